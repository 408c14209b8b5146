import CaretClient
import CaretCore
import CaretLog
import FoundationEssentials

/// Prints the author of each line.
struct Blame: Subcommand {
    static let description = CommandDescription(
        "blame", "prints each line with the revision that last changed it, its author and its time",
        arguments: [Argument("DOC[@REV]", .document, "the document, with an optional revision")])

    private let point: DocumentPoint

    init(_ arguments: Arguments) throws(UsageFault) { point = try arguments.point(0) }

    private struct Author {
        let user: String
        let time: Date
    }

    private struct AttributedText {
        let text: String
        let lines: [AttributedLines.Line]
        /// The author of each revision.
        let authors: [Int: Author]
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let found = try await context.withClient(about: point.document) { try await find($0) }
        let table = LineTable(found.text)
        let width = (found.lines.map(\.revision).max()?.value ?? 0).description.columns
        let userWidth = min(16, found.authors.values.reduce(1) { max($0, $1.user.printable.columns) })
        for (index, line) in found.lines.enumerated() {
            let (revision, text) = (line.revision.value, table.text(table.content(index)))
            let author = found.authors[revision]
            if context.isJSON {
                context.show(
                    .object([
                        "line": .number(index + 1), "rev": .number(revision),
                        "user": author.map { .text($0.user) } ?? .null,
                        "time": author.map { .text(Stamp.universal($0.time)) } ?? .null, "text": .text(text),
                    ]))
            } else if context.screen == nil {
                let fields = [
                    "\(revision)", context.shown(name: author?.user ?? ""),
                    author.map { context.stamp($0.time) } ?? "", text,
                ]
                context.output.write(fields.joined(separator: "\t") + "\n")
            } else {
                let user = (author?.user.printable ?? "").shortened(to: userWidth).padded(to: userWidth)
                let time = author.map { context.stamp($0.time) } ?? ""
                context.output.write(
                    context.style.painted("\(revision)".padded(to: width, atStart: true), .revision) + " "
                        + context.style.painted("\(user) \(time.padded(to: 19))", .faint) + "  "
                        + context.shown(text) + "\n")
            }
        }
        return .done
    }

    private func find(_ client: LiveClient) async throws -> AttributedText {
        let version = try await client.read(point)
        let start = try await client.oldestRevision(of: point.document)
        let first = try await client.read(point.document, at: .revision(start))
        var lines = AttributedLines(try TextBuffer(first.text), at: start)
        var authors: [Author] = []
        let windows = HistoryWindow.windows(after: start, through: version.revision)
        try await inOrder(windows) { window in
            try await client.history(of: point.document, in: window, withChanges: true)
        } receive: { _, entries in
            for entry in entries {
                authors.append(Author(user: entry.user, time: entry.time))
                if let change = entry.change { lines.apply(change, making: entry.revision) }
            }
        }
        let all = lines.lines
        let wanted = Set(all.map(\.revision.value)).filter {
            $0 > start.value && $0 - start.value <= authors.count
        }
        return AttributedText(
            text: version.text, lines: all,
            authors: Dictionary(uniqueKeysWithValues: wanted.map { ($0, authors[$0 - start.value - 1]) }))
    }
}
