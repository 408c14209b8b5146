import CaretClient
import CaretCore

/// Searches all documents for a pattern.
struct Grep: Subcommand {
    private static let ignoreCase = Option("ignore-case", letter: "i", "ignores the case of letters")
    private static let fixed = Option("fixed", letter: "F", "the pattern is a plain text, not an expression")
    private static let names = Option("names", letter: "l", "prints only the names of the documents")

    static let description = CommandDescription(
        "grep", "searches documents for lines that match a regular expression",
        details: "The exit code is 4 if nothing is found.",
        arguments: [
            Argument("PATTERN", .other, "a regular expression in the syntax of Swift"),
            Argument(
                "PREFIX", .document, isOptional: true, "only in documents whose names begin with PREFIX"),
        ], options: [ignoreCase, fixed, names])

    private let text: String
    private let isPlain: Bool
    private let ignoresCase: Bool
    private let prefix: String
    private let wantsNames: Bool

    init(_ arguments: Arguments) throws(UsageFault) {
        text = arguments.required(0)
        (isPlain, ignoresCase) = (arguments.has(Grep.fixed), arguments.has(Grep.ignoreCase))
        prefix = arguments.optional(1) ?? ""
        wantsNames = arguments.has(Grep.names)
        if pattern == nil {
            throw arguments.fault(
                .badValue(
                    "PATTERN", found: text, expected: "a regular expression; pass --fixed for a plain text"))
        }
    }

    /// Each access creates a new pattern, because a `Regex` cannot be sent to another task.
    private var pattern: LinePattern? { LinePattern(text, isPlain: isPlain, ignoresCase: ignoresCase) }

    func run(in context: CommandContext) async throws -> ExitCode {
        let isFound = try await context.withClient { client in
            guard let pattern else {
                preconditionFailure("the pattern that was checked before is invalid now")
            }
            var isFound = false
            try await inOrder(try await client.documents(under: prefix)) { entry in
                try await client.versionIfThere(entry.name)
            } receive: { entry, version in
                guard let version else { return }
                if show(version, pattern, in: context) { isFound = true }
            }
            return isFound
        }
        return isFound ? .done : .negative
    }

    /// Prints the matches in a document. Returns true if the document has a match.
    private func show(_ version: DocumentVersion, _ pattern: LinePattern, in context: CommandContext) -> Bool
    {
        let table = LineTable(version.text)
        var isFound = false
        for line in 0..<table.count {
            let matches = pattern.matches(in: table, line: line)
            if matches.isEmpty { continue }
            isFound = true
            if wantsNames { break }
            show(line, of: table, matches, in: version.name, in: context)
        }
        if isFound, wantsNames {
            if context.isJSON {
                context.show(.object(["doc": .text(version.name)]))
            } else {
                context.output.write(context.shown(name: version.name) + "\n")
            }
        }
        return isFound
    }

    private func show(
        _ line: Int, of table: LineTable, _ matches: [Range<Int>], in document: String,
        in context: CommandContext
    ) {
        let content = table.content(line)
        if context.isJSON {
            return context.show(
                .object([
                    "doc": .text(document), "line": .number(line + 1), "text": .text(table.text(content)),
                ]))
        }
        var (text, next) = ("", content.lowerBound)
        for match in matches {
            text += context.shown(table.text(next..<match.lowerBound))
            text += context.style.painted(context.shown(table.text(match)), .found)
            next = match.upperBound
        }
        text += context.shown(table.text(next..<content.upperBound))
        let name = context.style.painted(context.shown(name: document), .location)
        context.output.write("\(name):\(line + 1):\(text)\n")
    }
}
