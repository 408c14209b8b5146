import CaretClient
import CaretCore
import CaretSync

/// What one revision changed.
struct Show: Subcommand {
    static let description = CommandDescription(
        "show", "what one revision changed: who, when, and the lines",
        arguments: [Argument("DOC[@REV]", .document, "the revision; without one the newest")])

    private let point: DocumentPoint

    init(_ given: Given) throws(UsageFault) { point = try given.point(0) }

    private struct Found {
        let entry: DocumentHistory.Entry
        let change: Change
        let old: Text
    }

    func run(on stage: Stage) async throws -> ExitCode {
        let found = try await stage.reach(about: point.document) { try await find($0) }
        let (entry, name) = (found.entry, point.document.harmless)
        if stage.isJSON {
            stage.show(
                .object([("doc", .text(point.document))] + entry.members + [("edits", found.change.json)]))
            return .done
        }
        let new = try found.old.applying(found.change)
        let title = stage.style.painted("\(name)@\(entry.revision.value)", .revision)
        stage.output.write(
            "\(title)  \(stage.stamp(entry.time))  \(entry.user.harmless) (\(entry.client.harmless))  "
                + "+\(entry.inserted) -\(entry.deleted)\n\n")
        let diff = try LineDiff(from: found.old, to: new, by: found.change)
        let page = DiffPage(
            diff, from: "\(name)@\(entry.revision.value - 1)", to: "\(name)@\(entry.revision.value)",
            style: stage.style, isForPeople: stage.screen != nil)
        stage.output.write(page.text)
        return .done
    }

    private func find(_ client: LiveClient) async throws -> Found {
        let revision = try await client.read(point).revision
        if revision == 0 {
            throw Failure("\(point.document.harmless): revision 0 is empty, and nobody made it")
        }
        let before = Revision(revision.value - 1)
        let entry = try await client.history(
            of: point.document, after: .revision(before), limit: 1, withChanges: true
        ).entries.first
        guard let entry, entry.revision == revision, let change = entry.change else {
            throw Failure(
                "\(point.document.harmless): what made revision \(revision.value) is not kept",
                advice: "caret log shows what is kept; caret cat still has the text")
        }
        let old = try await client.read(point.document, at: .revision(before))
        return Found(entry: entry, change: change, old: try Text(old.text))
    }
}
