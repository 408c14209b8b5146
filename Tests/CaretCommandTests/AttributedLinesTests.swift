import CaretCommand
import CaretCore
import CaretSync
import TestSupport
import Testing

@Suite("The revision of each line") struct AttributedLinesTests {
    /// The revisions of the lines after these changes, each of one edit.
    private func revisions(_ edits: [(Range<Int>, String)]) throws -> [Int] {
        var (lines, text) = (AttributedLines(Text(), at: 0), Text())
        for (index, (range, new)) in edits.enumerated() {
            let change = try Change([try Edit(Offset(range.lowerBound)..<Offset(range.upperBound), new)])
            lines.apply(change, making: Revision(index + 1))
            try text.apply(change)
            expectLengths(lines, text)
        }
        return lines.lines.map(\.revision.value)
    }

    private func expectLengths(_ lines: AttributedLines, _ text: Text) {
        let table = LineTable(text.string)
        let lengths = (0..<table.count).map { table.text(table.range($0)).utf16.count }
        #expect(lines.lines.map(\.length) == lengths)
    }

    private static let cases: [(String, [(Range<Int>, String)], [Int])] = [
        ("an empty text has no line", [], []), ("one without a line break is one", [(0..<0, "a")], [1]),
        ("one that is typed into is new", [(0..<0, "a\nb\nc\n"), (2..<2, "x")], [1, 2, 1]),
        ("one out of which something goes is new", [(0..<0, "aa\nb\n"), (0..<1, "")], [2, 1]),
        ("one in front leaves those behind", [(0..<0, "a\nb\n"), (0..<0, "x\n")], [2, 1, 1]),
        ("one behind leaves those in front", [(0..<0, "a\nb"), (3..<3, "\nx")], [1, 1, 2]),
        ("a line break at the end is no change of a line", [(0..<0, "a\nb"), (3..<3, "\n")], [1, 1]),
        ("one between leaves both, however it is put", [(0..<0, "a\nb\n"), (1..<1, "\nx")], [1, 2, 1]),
        ("one between leaves both", [(0..<0, "a\nb\n"), (2..<2, "x\n")], [1, 2, 1]),
        ("a cut line is two new ones", [(0..<0, "aabb\nc\n"), (2..<2, "\n")], [2, 2, 1]),
        ("joined lines are a new one", [(0..<0, "a\nb\nc\n"), (1..<2, "")], [2, 1]),
        ("a whole line that goes leaves the others", [(0..<0, "a\nb\nc\n"), (2..<4, "")], [1, 1]),
        ("it does so with the line break in front, too", [(0..<0, "a\nb\nc\n"), (1..<3, "")], [1, 1]),
        ("everything may go", [(0..<0, "a\nb\n"), (0..<4, "")], []),
        ("a pair of code units is one letter of two", [(0..<0, "😀\nb\n"), (3..<3, "😀")], [1, 2]),
    ]

    @Test("a line has the last revision that changed it", arguments: cases.indices)
    func rules(index: Int) throws {
        let (law, edits, expected) = AttributedLinesTests.cases[index]
        #expect(try revisions(edits) == expected, "\(law)")
    }

    @Test(
        "after a recorded session no line is older than its newest letter",
        .enabled(if: TraceFolder.reasonForAbsence == nil), arguments: ["sveltecomponent", "rustcode"])
    func sessions(name: String) throws {
        let trace = try Trace(named: name)
        var (lines, text) = (AttributedLines(try Text(trace.start), at: 0), try Text(trace.start))
        // The revision that inserted each code unit.
        var units = [Int](repeating: 0, count: trace.start.utf16.count)
        for (index, edit) in trace.edits.enumerated() {
            lines.apply(try Change([edit]), making: Revision(index + 1))
            try text.apply(edit)
            units.replaceSubrange(
                edit.range.lowerBound.value..<edit.range.upperBound.value,
                with: repeatElement(index + 1, count: edit.inserted.utf16))
            if index % 5_000 == 0 { expectLengths(lines, text) }
        }
        expectLengths(lines, text)
        #expect(text.string == trace.end)
        var start = 0
        for line in lines.lines {
            let newest = units[start..<max(start, start + line.length - 1)].max() ?? 0
            #expect(line.revision.value >= newest)
            start += line.length
        }
    }

    @Test("many lines are split into blocks without a loss")
    func blocks() throws {
        var random = Seeded(7)
        var text = try Text(String(repeating: "line\n", count: 5_000))
        var lines = AttributedLines(text, at: 0)
        for revision in 1...2_000 {
            let start = random.number(0...text.length.utf16)
            let end = min(text.length.utf16, start + (random.chance(2) ? random.number(0...40) : 0))
            let new = String(repeating: "x\n", count: random.number(0...3))
            let change = try Change([try Edit(Offset(start)..<Offset(end), new)])
            lines.apply(change, making: Revision(revision))
            try text.apply(change)
        }
        expectLengths(lines, text)
    }
}
