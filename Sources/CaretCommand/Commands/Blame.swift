import CaretClient
import CaretCore
import FoundationEssentials

/// Prints the author of each line.
struct Blame: Subcommand {
    static let description = CommandDescription(
        "blame", "prints each line with the revision that last changed it, its author and its time",
        arguments: [Argument("DOC[@REV]", .document, "the document, with an optional revision")])

    private let point: DocumentPoint

    init(_ arguments: Arguments) throws(UsageFault) { point = try arguments.point(0) }

    func run(in context: CommandContext) async throws -> ExitCode {
        let (text, lines) = try await context.withClient(about: point.document) { client in
            let version = try await client.read(point)
            return (version.text, try await client.blamedLines(of: version))
        }
        let table = LineTable(text)
        let width = (lines.map(\.revision).max()?.value ?? 0).description.columns
        let userWidth = min(16, lines.reduce(1) { max($0, $1.author?.user.printable.columns ?? 1) })
        for (index, line) in lines.enumerated() {
            let (revision, text) = (line.revision.value, table.text(table.content(index)))
            let author = line.author
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
}
