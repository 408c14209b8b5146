import Foundation
import Testing

/// The laws that a source file checks, each with the function that checks it.
struct LawTable {
    struct Row: Equatable {
        let law: String
        let function: String
    }

    let path: String
    let rows: [Row]

    init(_ file: RepositoryFile) {
        path = file.path
        var function = ""
        rows = file.text.matches(of: Self.pattern).compactMap { match in
            if let name = match.1 { function = String(name) }
            return match.2.map { Row(law: Self.plain($0), function: function) }
        }
    }

    // A computed property, since a regular expression is not Sendable.
    private static var pattern: Regex<(Substring, Substring?, Substring?)> {
        #/func (\w+)|BrokenInvariant\.check\(\s*"((?:[^"\\]|\\.)*)"/#
    }

    /// The text of a law. A value inside the law is shown as its code.
    private static func plain(_ literal: Substring) -> String {
        String(literal.replacing(#/\\\((.*?)\)/#) { "`\($0.1)`" })
    }

    var markdown: String {
        let lines = rows.map { "| \($0.law) | `\($0.function)` |\n" }.joined()
        return "\n### `\(path)`\n| law | function |\n| --- | --- |\n\(lines)"
    }
}

@Suite("The tables of docs/architecture.md") struct LawTableTests {
    private static let page = "docs/architecture.md"

    private static func files() throws -> [String: RepositoryFile] {
        Dictionary(uniqueKeysWithValues: try Repository.textFiles().map { ($0.path, $0) })
    }

    /// `CARET_REWRITE=1` writes the laws to the page again.
    @Test("docs/architecture.md lists the laws of all state machines, by file")
    func laws() throws {
        let sources = try Repository.swiftFiles().filter { $0.path.hasPrefix("Sources/") }
        let tables = sources.sorted { $0.path < $1.path }.map(LawTable.init).filter { !$0.rows.isEmpty }
        #expect(tables.count > 8)
        let made = tables.map(\.markdown).joined()
        let text = try #require(try Self.files()[Self.page]).text
        let start = try #require(text.firstRange(of: "\n### `Sources/")).lowerBound
        if ProcessInfo.processInfo.environment["CARET_REWRITE"] != nil {
            return try (text[..<start] + made).write(
                to: Repository.url(of: Self.page), atomically: true, encoding: .utf8)
        }
        #expect(text[start...] == made)
    }

    /// Reads the table rows whose last cell is the path of a file. Returns this path and the cell before it.
    private func rows(of text: String) -> [(functions: String, path: String)] {
        text.split(separator: "\n").filter { $0.hasPrefix("|") }.compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count >= 2, let path = cells.last?.wholeMatch(of: #/`(\S+\.swift)`/#)?.1 else {
                return nil
            }
            return (cells[cells.count - 2], String(path))
        }
    }

    @Test("each function in the page's tables is in the file named beside it")
    func functions() throws {
        let files = try Self.files()
        let rows = rows(of: try #require(files[Self.page]).text)
        #expect(rows.count > 15)
        for (functions, path) in rows {
            let source = files[path]?.text ?? ""
            let names = functions.matches(of: #/`(\w+)`/#).map { String($0.1) }
            #expect(
                names.first.map { source.contains("func \($0)(") || source.contains("func \($0)<") } ?? false,
                "\(path) has no function of: \(functions)")
            for name in names { #expect(source.contains(name), "\(path) has no \(name)") }
        }
    }

    @Test("a law in the code gives a row with its function, and values as code")
    func oneLaw() {
        let text = #"""
            func checkAll() {
                try BrokenInvariant.check(
                    "at most \(Requests.limit) requests", true)
            }
            """#
        let table = LawTable(RepositoryFile(path: "a.swift", text: text))
        #expect(table.rows == [LawTable.Row(law: "at most `Requests.limit` requests", function: "checkAll")])
    }
}
