import CaretClient
import CaretCore

/// Prints the changes of one revision.
struct Show: Subcommand {
    static let description = CommandDescription(
        "show", "prints the change of one revision: author, time and lines",
        arguments: [Argument("DOC[@REV]", .document, "the revision; default: the newest one")])

    private let point: DocumentPoint

    init(_ arguments: Arguments) throws(UsageFault) { point = try arguments.point(0) }

    private struct ShownRevision {
        let entry: DocumentHistory.Entry
        let change: Change
        let old: TextBuffer
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let found = try await context.withClient(about: point.document) { try await find($0) }
        let (entry, name) = (found.entry, point.document.printable)
        if context.isJSON {
            context.show(
                .object([("doc", .text(point.document))] + entry.members + [("edits", found.change.json)]))
            return .done
        }
        let new = try found.old.applying(found.change)
        let title = context.style.painted("\(name)@\(entry.revision.value)", .revision)
        context.output.write(
            "\(title)  \(context.stamp(entry.time))  \(entry.user.printable) (\(entry.client.printable))  "
                + "+\(entry.inserted) -\(entry.deleted)\n\n")
        let patch = Patch(
            try LineDiff(from: found.old, to: new, by: found.change),
            from: "\(name)@\(entry.revision.value - 1)", to: "\(name)@\(entry.revision.value)")
        let page = DiffPage(patch, style: context.style, isForUsers: context.screen != nil)
        context.output.write(page.text)
        return .done
    }

    private func find(_ client: LiveClient) async throws -> ShownRevision {
        let revision = try await client.read(point).revision
        if revision == 0 {
            throw Failure("\(point.document.printable): revision 0 is the empty text before the first change")
        }
        let before = Revision(revision.value - 1)
        let entry = try await client.history(
            of: point.document, after: .revision(before), limit: 1, withChanges: true
        ).entries.first
        guard let entry, entry.revision == revision, let change = entry.change else {
            throw Failure(
                "\(point.document.printable): the change of revision \(revision.value) was trimmed",
                advice: "`caret log` lists the revisions that are kept; `caret cat` still prints the text")
        }
        let old = try await client.read(point.document, at: .revision(before))
        return ShownRevision(entry: entry, change: change, old: try TextBuffer(old.text))
    }
}
