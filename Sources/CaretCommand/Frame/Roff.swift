/// A page in the format of `man`: macros at the beginning of lines, and text between them.
struct Roff {
    private(set) var text: String

    init(_ title: String, section: Int, version: String) {
        // Turns off hyphenation and justified lines, because readers copy most lines of the manual.
        text = ".TH \(title.uppercased()) \(section) \"\" \"Caret \(version)\"\n.nh\n.ad l\n"
    }

    mutating func section(_ title: String) { text += ".SH \(title.uppercased())\n" }

    mutating func subsection(_ title: String) { text += ".SS \(Roff.escaped(title))\n" }

    mutating func paragraph(_ words: String) { text += ".PP\n\(Roff.line(words))\n" }

    /// A line with a command. `man` does not join this line with the text after it.
    mutating func command(_ line: String) { text += ".PP\n.nf\n\\fB\(Roff.escaped(line))\\fP\n.fi\n" }

    mutating func entry(_ tag: String, _ meaning: String) {
        text += ".TP\n\\fB\(Roff.escaped(tag))\\fP\n\(Roff.line(meaning))\n"
    }

    /// One line of text. Code in backquotes becomes bold.
    private static func line(_ words: String) -> String {
        let parts = words.replacing("\n", with: " ").split(separator: "`", omittingEmptySubsequences: false)
        let line = parts.enumerated().map { index, part in
            index % 2 == 1 ? "\\fB\(escaped(String(part)))\\fP" : escaped(String(part))
        }.joined()
        // At the beginning of a line `.` and `'` start a macro.
        return line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }

    /// The words in ASCII, with special characters escaped. `\-` prints a hyphen that can be copied.
    private static func escaped(_ words: String) -> String {
        words.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\e"
            case "-": "\\-"
            case "…": "..."
            case _ where scalar.isASCII: String(scalar)
            default: "\\[u" + String(scalar.value, radix: 16, uppercase: true) + "]"
            }
        }.joined()
    }
}
