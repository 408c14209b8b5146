import Testing

/// Words that readers stumble over. CONTRIBUTING.md says how we write instead.
enum PlainEnglishRule {
    // Each word is written in two halves, so that these lines do not break the rule.
    static let words = [
        "who" + "ever", "who" + "mever", "a" + "new", "be" + "ars", "de" + "arest",
        "there" + "of",
        "there" + "in", "where" + "of", "where" + "in", "hither" + "to", "hence" + "forth",
    ]

    static let phrases = ["as " + "else", "of one's " + "own"]

    static func violations(in file: RepositoryFile) -> [Violation] {
        file.numberedLines.flatMap { line in
            let prose = " " + prose(of: line.text, in: file.path).lowercased() + " "
            let found = words.filter { prose.holdsWord($0) } + phrases.filter { prose.holdsWord($0) }
            return found.map {
                Violation(path: file.path, line: line.number, reason: "\"\($0)\" is hard to read")
            }
        }
    }

    /// The comment in a line of code, or a line of a page; empty for data.
    private static func prose(of line: Substring, in path: String) -> String {
        if path.hasSuffix(".md") { return path.hasPrefix("docs/report/") ? "" : String(line) }
        guard path.hasSuffix(".swift") || path.hasSuffix(".c") || path.hasSuffix(".h") else { return "" }
        guard let start = line.ranges(of: "//").first else { return "" }
        return String(line[start.upperBound...])
    }
}

@Suite("Plain words in comments and pages") struct PlainEnglishTests {
    @Test("no comment or page has a word that is on the list of hard words")
    func words() throws {
        expectNone(try Repository.textFiles().flatMap(PlainEnglishRule.violations(in:)))
    }

    @Test(
        "a hard word is found in a comment and on a page",
        arguments: PlainEnglishRule.words + PlainEnglishRule.phrases)
    func found(word: String) {
        for (path, text) in [
            ("a.swift", "let a = 1\n/// This \(word) x.\n"), ("a.md", "# A\nThis \(word) x.\n"),
        ] {
            #expect(
                PlainEnglishRule.violations(in: RepositoryFile(path: path, text: text)).map(\.line) == [2])
        }
    }

    @Test("hard words in code, in strings and inside longer words are allowed")
    func others() {
        let text = "let anewName = \"he bears it\"\n// A renewed name of an overbearing one.\n"
        #expect(PlainEnglishRule.violations(in: RepositoryFile(path: "a.swift", text: text)).isEmpty)
    }
}
