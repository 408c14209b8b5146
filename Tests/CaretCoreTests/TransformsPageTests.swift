import CaretCore
import Foundation
import TestSupport
import Testing

/// The examples of docs/protocol/transforms.md: one test for each kind of table.
@Suite("The examples of docs/protocol/transforms.md") struct TransformsPageTests {
    private let page: MarkdownPage

    init() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/protocol/transforms.md")
        page = MarkdownPage(try String(contentsOf: path, encoding: .utf8))
    }

    /// The rows of the table whose last column has this heading.
    private func rows(_ column: String) throws -> [[String]] {
        let table = try #require(page.tables.first { $0.columns.last == column })
        #expect(table.rows.count >= 2)
        return table.rows
    }

    @Test("applying a change gives the text that the table shows")
    func apply() throws {
        for row in try rows("text after it") {
            #expect(try text(row[0]).applying(change(row[1])) == text(row[2]), "\(row)")
        }
    }

    @Test("a change gets the normal form that the table shows")
    func normalForm() throws {
        for row in try rows("in normal form") { #expect(try change(row[0]) == change(row[1]), "\(row)") }
    }

    @Test("changes rebase as the table shows, and both orders give the same text")
    func rebase() throws {
        for row in try rows("text after B, then A") {
            let (old, a, b) = (try text(row[0]), try change(row[1]), try change(row[2]))
            let tie = row[3] == "B" ? Tie.otherFirst : .selfFirst
            let moved = a.rebased(over: b, tie: tie)
            #expect(try moved == change(row[4]), "\(row)")
            #expect(try old.applying(b).applying(moved) == text(row[5]), "\(row)")
            let other = b.rebased(over: a, tie: tie == .otherFirst ? .selfFirst : .otherFirst)
            #expect(try old.applying(a).applying(other) == text(row[5]), "\(row)")
        }
    }

    @Test("carets and selections move as the table shows")
    func selections() throws {
        for row in try rows("after the change") {
            #expect(try selection(row[2]).mapped(through: change(row[1])) == selection(row[3]), "\(row)")
        }
    }

    @Test("composing two changes gives the change that the table shows")
    func compose() throws {
        for row in try rows("composed") {
            let (old, first, second) = (try text(row[0]), try change(row[1]), try change(row[2]))
            let composed = try first.composed(with: second)
            #expect(try composed == change(row[3]), "\(row)")
            #expect(try old.applying(composed) == old.applying(first).applying(second), "\(row)")
        }
    }

    // MARK: The cells

    private func text(_ cell: String) throws -> TextBuffer { try TextBuffer(cell.filter { $0 != "`" }) }

    /// Reads edits such as `[1,2] "x"`, each in its own pair of backquotes.
    private func change(_ cell: String) throws -> Change {
        if cell == "nothing" { return try Change([]) }
        let edits = cell.matches(of: /`\[(\d+),(\d+)\] "([^"]*)"`/)
        try #require(!edits.isEmpty, "\(cell)")
        return try Change(
            edits.map { edit in
                let (start, end) = (try #require(Int(edit.1)), try #require(Int(edit.2)))
                return try Edit(Offset(start)..<Offset(end), String(edit.3))
            })
    }

    private func selection(_ cell: String) throws -> Selection {
        let pair = try #require(cell.wholeMatch(of: /`\[(\d+),(\d+)\]`/))
        let (anchor, head) = (try #require(Int(pair.1)), try #require(Int(pair.2)))
        return Selection(anchor: Offset(anchor), head: Offset(head))
    }
}
