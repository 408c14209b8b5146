import CaretClient
import CaretCore
import FoundationEssentials

/// Prints the properties of one document.
struct Stat: Subcommand {
    static let description = CommandDescription(
        "stat", "prints the properties of a document: lengths, line breaks, creation and last change",
        arguments: [Argument("DOC", .document, "the document")])

    private let document: String

    init(_ arguments: Arguments) throws(UsageFault) { document = try arguments.document(0) }

    func run(in context: CommandContext) async throws -> ExitCode {
        let (version, first, last) = try await context.withClient(about: document) { client in
            let version = try await client.read(document)
            let head = version.revision.value
            let first = try await client.history(of: document, limit: 1).entries.first
            let last = try await client.history(
                of: document, after: .revision(.init(max(0, head - 1))), limit: 1)
            return (version, first, last.entries.first)
        }
        // If the history was trimmed, the time of creation is unknown.
        let made = first.flatMap { $0.revision == 1 ? $0.time : nil }
        let rows: [(key: String, label: String, value: JSON)] = [
            ("doc", "name", .text(version.name)), ("epoch", "epoch", .text(version.epoch)),
            ("rev", "revision", .number(version.revision.value)),
            ("length", "UTF-16 code units", .number(version.text.utf16.count)),
            ("bytes", "bytes of UTF-8", .number(version.text.utf8.count)),
            ("lines", "lines", .number(version.text.lineCount)),
            ("newline", "line breaks in files", .text(version.usesCRLF ? "crlf" : "lf")),
            ("first", "oldest kept revision", first.map { .number($0.revision.value) } ?? .null),
            ("created", "created", made.map { .text(context.stampForStat($0)) } ?? .null),
            ("updated", "last changed", last.map { .text(context.stampForStat($0.time)) } ?? .null),
            ("user", "last changed by", last.map { .text($0.user) } ?? .null),
        ]
        if context.isJSON {
            context.show(.object(rows.map { (key: $0.key, value: $0.value) }))
            return .done
        }
        let width = rows.map(\.label.columns).max() ?? 0
        for row in rows {
            let label = context.style.painted((row.label + ":").padded(to: width + 1), .faint)
            context.output.write("\(label) \(row.value.plain)\n")
        }
        return .done
    }
}

extension CommandContext {
    fileprivate func stampForStat(_ date: Date) -> String { isJSON ? Stamp.universal(date) : stamp(date) }
}

extension JSON {
    /// The value as users see it: a string has no quotes.
    fileprivate var plain: String {
        switch self {
        case .text(let text): text.printable
        case .number(let number): "\(number)"
        case .null: "unknown"
        case .bool, .list, .object: line
        }
    }
}

extension String {
    /// The number of lines. A last line without a line break counts too.
    fileprivate var lineCount: Int {
        let breaks = utf8.count { $0 == UInt8(ascii: "\n") }
        return breaks + (utf8.isEmpty || utf8.last == UInt8(ascii: "\n") ? 0 : 1)
    }
}
