import CaretCore
import CaretSync
import TestSupport
import Testing

@Suite("Merged texts and lines") struct TextMergeTests {
    @Test(
        "if you and others add a line at one place, the others' line is first",
        arguments: [
            ("1\nmine\n2\n", "1\ntheirs\n2\n", "1\ntheirs\nmine\n2\n"), ("1\n2\n", "1\nx\n2\n", "1\nx\n2\n"),
            ("1\nx\n2\n", "1\n2\n", "1\nx\n2\n"), ("1\nx\n2\n", "1\nx\n2\n", "1\nx\n2\n"),
            ("0\n1\n2\n", "1\n2\n3\n", "0\n1\n2\n3\n"), ("1\n", "1\n2\n3\n", "1\n3\n"),
        ])
    func merged(own: String, other: String, merged: String) throws {
        #expect(try TextMerge.merged(base: "1\n2\n", own: own, other: other) == merged)
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
