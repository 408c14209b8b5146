import Testing

@Suite("The pages of docs/decisions") struct DecisionTests {
    private static let folder = "docs/decisions/"

    @Test("the index has each decision with its number, title and file")
    func index() throws {
        let files = try Repository.textFiles().filter { $0.path.hasPrefix(Self.folder) }.sorted {
            $0.path < $1.path
        }
        let index = try #require(files.first { $0.path == Self.folder + "README.md" })
        let pages = files.filter { $0.path != index.path }
        #expect(pages.count > 20)
        let rows = try pages.enumerated().map { offset, page in
            let title = try #require(page.text.firstMatch(of: /^# (\d+)\. (.+)\n/))
            let file = page.path.dropFirst(Self.folder.count)
            let digits = String(title.1)
            #expect(Int(digits) == offset + 1)
            #expect(file.hasPrefix(String(repeating: "0", count: 4 - digits.count) + digits + "-"))
            return "| \(title.1) | [\(title.2)](\(file)) |"
        }
        let found = index.text.split(separator: "\n").filter { $0.hasPrefix("| ") }.map(String.init)
        #expect(found.dropFirst(2) == rows[...])
    }
}

@Suite("The rows of docs/glossary.md") struct GlossaryTests {
    @Test("glossary words are sorted, and each word in italics has a row")
    func words() throws {
        let page = try #require(try Repository.textFiles().first { $0.path == "docs/glossary.md" })
        let rows = page.text.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2)
        let words = rows.compactMap { $0.firstMatch(of: /^\| (.+?) \|/).map { String($0.1) } }
        #expect(words.count > 50)
        #expect(words == words.sorted())
        let cited = page.text.matches(of: /\*([a-z ]+)\*/).map { String($0.1) }
        #expect(cited.filter { word in !words.contains(word) && word != "italics" } == [])
    }
}
