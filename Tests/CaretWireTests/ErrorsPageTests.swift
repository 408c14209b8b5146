import CaretWire
import Foundation
import TestSupport
import Testing

/// Compares the tables of docs/errors.md with the codes of the wire.
@Suite("The page on errors") struct ErrorsPageTests {
    private let rows: [[String]]

    init() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/errors.md")
        rows = MarkdownPage(try String(contentsOf: path, encoding: .utf8)).tables.flatMap(\.rows)
    }

    @Test("every code has one row in docs/errors.md, and every row is a code")
    func codes() {
        let codes = rows.map { $0[0].replacing("`", with: "") }
        #expect(codes.sorted() == ErrorCode.allCases.map(\.rawValue).sorted())
    }

    @Test("the last column says whether the server closes the connection")
    func closes() throws {
        for row in rows {
            let code = try #require(ErrorCode(rawValue: row[0].replacing("`", with: "")))
            #expect((row.last == "yes") == code.closes, "\(row)")
            #expect(row.count == 4 && row.allSatisfy { !$0.isEmpty }, "\(row)")
        }
    }
}
