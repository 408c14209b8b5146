/// The help texts, generated from the descriptions.
package enum HelpPage {
    private static let width = 100

    package static var overview: String {
        """
        usage: caret SUBCOMMAND [arguments] [options]

        Reads, writes and administers the documents of a caretd server.

        \(list(CommandList.descriptions.map { ($0.name, $0.summary) }))
        DOC is the name of a document, and DOC@REV one of its revisions: notes/today, notes/today@900,
        notes/today@2h (2 hours ago; units s, m, h, d, w), notes/today@2026-11-20T14:30,
        notes/today@draft-1 (the revision with this name; see caret tag).

        \(list(CommonOptions.all.map { ($0.usage, $0.summary) }))
        The exit code 0 means success; caret help help lists the other codes.

        """
    }

    /// The short usage: the names of the subcommands, in a few lines.
    static var usage: String {
        let names = CommandList.descriptions.compactMap(\.words.first).unique
        return """
            usage: caret SUBCOMMAND [arguments] [options]

            \(wrap(names.joined(separator: ", "), to: width - 2).map { "  " + $0 }.joined(separator: "\n"))

            caret help describes them all; caret help SUBCOMMAND explains one.

            """
    }

    package static func text(of command: CommandDescription) -> String {
        var text = "usage: \(command.usage)\n\n\(wrapped(command.summary.sentence))\n"
        if !command.details.isEmpty { text += wrapped(command.details) + "\n" }
        if !command.arguments.isEmpty {
            text += "\n" + list(command.arguments.map { ($0.name, $0.summary) })
        }
        if !command.options.isEmpty { text += "\n" + list(command.options.map { ($0.usage, $0.summary) }) }
        return text + "\nOptions of all subcommands: caret help\n"
    }

    private static func list(_ rows: [(String, String)]) -> String {
        let column = min(28, (rows.map(\.0.count).max() ?? 0) + 2)
        return rows.map { name, meaning in
            let lines = wrap(meaning, to: width - column - 2)
            let indent = "\n" + String(repeating: " ", count: column + 2)
            return "  " + name.padded(to: column) + lines.joined(separator: indent) + "\n"
        }.joined()
    }

    private static func wrapped(_ text: String) -> String { wrap(text, to: width).joined(separator: "\n") }

    private static func wrap(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}

extension String {
    /// The text with a capital letter at the beginning and a full stop at the end.
    var sentence: String { prefix(1).uppercased() + dropFirst() + (hasSuffix(".") ? "" : ".") }
}
