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

/// The laws of several servers, each with the deliberate faults that break it. They come from `PeerLaws.swift`.
private struct PeerLawTable {
    let markdown: String

    init(_ text: String) {
        var (rows, law) = ("", "")
        for match in text.matches(of: Self.pattern) {
            if let name = match.1 { law = String(name) }
            guard let fault = match.2, let type = match.3 else { continue }
            rows += "|\(law.isEmpty ? "" : " \(law)") | \(fault) | `\(type)` |\n"
            law = ""
        }
        markdown = "\n| law | fault | type of the fault |\n| --- | --- | --- |\n\(rows)"
    }

    // A computed property, since a regular expression is not Sendable.
    private static var pattern: Regex<(Substring, Substring?, Substring?, Substring?)> {
        #/PeerLaw\(\s*"([^"]+)"|\(\s*"([^"]+)",\s*\{ (\w+)\(\) \}/#
    }
}

@Suite("The tables of docs/architecture.md", .serialized) struct LawTableTests {
    private static let page = "docs/architecture.md"

    private static func files() throws -> [String: RepositoryFile] {
        Dictionary(uniqueKeysWithValues: try Repository.textFiles().map { ($0.path, $0) })
    }

    @Test("docs/architecture.md lists the laws of all state machines, by file")
    func laws() throws {
        let sources = try Repository.swiftFiles().filter { $0.path.hasPrefix("Sources/") }
        let tables = sources.sorted { $0.path < $1.path }.map(LawTable.init).filter { !$0.rows.isEmpty }
        #expect(tables.count > 8)
        try expect(tables.map(\.markdown).joined(), from: "\n### `Sources/", to: nil)
    }

    @Test("docs/architecture.md lists the laws of several servers, with the faults that break them")
    func lawsOfServers() throws {
        let file = try #require(try Self.files()["Tests/ScenarioTests/Faults/PeerLaws.swift"])
        let table = PeerLawTable(file.text).markdown
        #expect(table.split(separator: "\n").count > 15)
        try expect(table, from: "\n| law | fault |", to: "\n## ")
    }

    /// The part of the page between these marks must be `made`. `CARET_REWRITE=1` writes it to the page.
    private func expect(_ made: String, from start: String, to end: String?) throws {
        let text = try #require(try Self.files()[Self.page]).text
        let first = try #require(text.firstRange(of: start)).lowerBound
        let last = try end.map { try #require(text[first...].firstRange(of: $0)).lowerBound } ?? text.endIndex
        if ProcessInfo.processInfo.environment["CARET_REWRITE"] != nil {
            return try (text[..<first] + made + text[last...]).write(
                to: Repository.url(of: Self.page), atomically: true, encoding: .utf8)
        }
        #expect(text[first..<last] == made)
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
