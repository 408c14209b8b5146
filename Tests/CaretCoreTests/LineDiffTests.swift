import CaretCore
import TestSupport
import Testing

@Suite("Changed lines and bytes") struct LineDiffTests {
    private func lines(_ old: String, _ edits: Edit...) throws -> LineDiff {
        let (text, change) = (try TextBuffer(old), SampleChange.change(edits))
        return try LineDiff(from: text, to: try text.applying(change), by: change)
    }

    private func edit(_ start: Int, _ end: Int, _ text: String) -> Edit {
        SampleChange.edit(start, end, text)
    }

    @Test("edits in the same line belong to one block of changed lines")
    func sharedLine() throws {
        let removed = try lines("ab\ncd\nef\n", edit(0, 1, "x"), edit(2, 4, "-")).hunks().flatMap(\.blocks)
        #expect(removed.map(\.old) == [0..<2] && removed.map(\.new) == [0..<1])
        let inserted = try lines("xb-d\nef\n", edit(0, 1, "a"), edit(2, 3, "\nc")).hunks().flatMap(\.blocks)
        #expect(inserted.map(\.old) == [0..<1] && inserted.map(\.new) == [0..<2])
        let apart = try lines("ab\ncd\nef\n", edit(0, 1, "x"), edit(3, 4, "y")).hunks().flatMap(\.blocks)
        #expect(apart.map(\.old) == [0..<1, 1..<2] && apart.map(\.new) == [0..<1, 1..<2])
    }

    @Test("changes with at most six unchanged lines between them share a hunk")
    func hunks() throws {
        let text = String(repeating: "a\n", count: 20)
        for (second, ranges) in [(7, [0..<11]), (8, [0..<4, 5..<12])] {
            let hunks = try lines(text, edit(0, 1, "b"), edit(2 * second, 2 * second + 1, "b")).hunks()
            #expect(hunks.map(\.old) == ranges && hunks.map(\.new) == ranges)
            #expect(hunks.flatMap(\.blocks).map(\.old) == [0..<1, second..<second + 1])
        }
    }

    @Test("a change shares a hunk with the one before it, not with the first one")
    func secondHunk() throws {
        let changed = [0, 14, 18].map { edit(2 * $0, 2 * $0 + 1, "b") }
        let hunks = try lines(String(repeating: "a\n", count: 30), changed[0], changed[1], changed[2]).hunks()
        #expect(hunks.map(\.old) == [0..<4, 11..<22] && hunks.map(\.blocks.count) == [1, 2])
    }

    @Test("only the changed bytes of a line are marked, unless all of it changed")
    func marks() throws {
        let word = try lines("one two\n", edit(4, 7, "2"))
        #expect(word.marks(inOld: 0) == [4..<7] && word.marks(inNew: 0) == [4..<5])
        let letter = try lines("ab\n", edit(1, 1, "x"))
        #expect(letter.marks(inOld: 0) == [] && letter.marks(inNew: 0) == [1..<2])
        let line = try lines("ab\ncd\n", edit(0, 2, "x"))
        #expect(line.marks(inOld: 0) == [] && line.marks(inNew: 0) == [] && line.marks(inOld: 1) == [])
        // The second edit removes the first line break and the letter after it.
        let both = try lines("ab\ncd\nef\n", edit(0, 1, "x"), edit(2, 4, "-"))
        #expect(both.marks(inOld: 0) == [0..<1] && both.marks(inOld: 1) == [3..<4])
        #expect(both.marks(inNew: 0) == [0..<1, 2..<3])
    }

    @Test(
        "a line table finds the line of each byte of a text",
        arguments: [
            ("", [], [0]), ("\n", ["\n"], [0, 1]), ("a", ["a"], [0, 0]),
            ("a\nbc", ["a\n", "bc"], [0, 0, 1, 1, 1]), ("a\n\n", ["a\n", "\n"], [0, 0, 1, 2]),
        ] as [(String, [String], [Int])])
    func lines(text: String, lines: [String], ofBytes: [Int]) {
        let table = LineTable(text)
        #expect(table.count == lines.count)
        #expect((0..<table.count).map { table.text(table.range($0)) } == lines)
        #expect((0...text.utf8.count).map { table.line(of: $0) } == ofBytes)
        let contents = lines.map { $0.replacing("\n", with: "") }
        #expect((0..<table.count).map { table.text(table.content($0)) } == contents)
        #expect((0..<table.count).map { table.hasLineBreak($0) } == lines.map { $0.hasSuffix("\n") })
    }

    @Test("in each of many changed lines, only the changed bytes are marked")
    func manyMarks() throws {
        let old = try TextBuffer(String(repeating: "ab\n", count: 20))
        let change = SampleChange.change((0..<20).map { SampleChange.edit(3 * $0 + 1, 3 * $0 + 2, "xy") })
        let diff = try LineDiff(from: old, to: try old.applying(change), by: change)
        for line in 0..<20 {
            #expect(diff.marks(inOld: line) == [3 * line + 1..<3 * line + 2])
            #expect(diff.marks(inNew: line) == [4 * line + 1..<4 * line + 3])
        }
    }
}
