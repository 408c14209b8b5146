import CaretWire
import Foundation
import TestSupport
import Testing

/// Compares the tables of docs/errors.md with the codes of the wire.
@Suite("The tables of error codes in docs/errors.md") struct ErrorsPageTests {
    /// The rows of all tables, except the one with codes that exist only over HTTP.
    private let rows: [[String]]

    init() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/errors.md")
        let tables = MarkdownPage(try String(contentsOf: path, encoding: .utf8)).tables
        rows = tables.filter { $0.heading != "Over HTTP" }.flatMap(\.rows)
    }

    @Test("docs/errors.md has exactly one row for every error code")
    func codes() {
        let codes = rows.map { $0[0].replacing("`", with: "") }
        #expect(codes.sorted() == ErrorCode.allCases.map(\.rawValue).sorted())
    }

    @Test("a row's last column says whether the error closes the connection")
    func closes() throws {
        for row in rows {
            let code = try #require(ErrorCode(rawValue: row[0].replacing("`", with: "")))
            #expect((row.last == "yes") == code.closes, "\(row)")
            #expect(row.count == 4 && row.allSatisfy { !$0.isEmpty }, "\(row)")
        }
    }
}
