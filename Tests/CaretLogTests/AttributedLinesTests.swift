import CaretCore
import CaretLog
import TestSupport
import Testing

@Suite("The revision that last changed each line") struct AttributedLinesTests {
    /// Applies changes of one edit each. Returns, for each line, the revision that changed it last.
    private func revisions(_ edits: [(Range<Int>, String)]) throws -> [Int] {
        var (lines, text) = (try AttributedLines(TextBuffer(), at: 0), TextBuffer())
        for (index, (range, new)) in edits.enumerated() {
            let change = try Change([try Edit(Offset(range.lowerBound)..<Offset(range.upperBound), new)])
            try lines.apply(change, making: Revision(index + 1))
            try text.apply(change)
            expectLengths(lines, text)
        }
        return lines.lines.map(\.revision.value)
    }

    private func expectLengths(_ lines: AttributedLines, _ text: TextBuffer) {
        let table = LineTable(text.string)
        let lengths = (0..<table.count).map { table.text(table.range($0)).utf16.count }
        #expect(lines.lines.map(\.length) == lengths && lines.count == lengths.count)
        var seen: [AttributedLines.Line] = []
        lines.forEachLine {
            seen.append($0)
            return true
        }
        #expect(seen == lines.lines)
    }

    private static let cases: [(String, [(Range<Int>, String)], [Int])] = [
        ("an empty text has no lines", [], []),
        ("a text without a line break has one line", [(0..<0, "a")], [1]),
        ("typing into a line changes the line", [(0..<0, "a\nb\nc\n"), (2..<2, "x")], [1, 2, 1]),
        ("deleting a part of a line changes the line", [(0..<0, "aa\nb\n"), (0..<1, "")], [2, 1]),
        (
            "a line inserted before others does not change them", [(0..<0, "a\nb\n"), (0..<0, "x\n")],
            [2, 1, 1]
        ),
        ("a line inserted after others does not change them", [(0..<0, "a\nb"), (3..<3, "\nx")], [1, 1, 2]),
        (
            "a line break added at the end of the text changes no line", [(0..<0, "a\nb"), (3..<3, "\n")],
            [1, 1]
        ),
        (
            "inserting a line break and a line between two lines changes neither",
            [(0..<0, "a\nb\n"), (1..<1, "\nx")], [1, 2, 1]
        ),
        (
            "inserting a line and a line break between two lines changes neither",
            [(0..<0, "a\nb\n"), (2..<2, "x\n")], [1, 2, 1]
        ),
        ("splitting a line changes both halves", [(0..<0, "aabb\nc\n"), (2..<2, "\n")], [2, 2, 1]),
        ("joining two lines changes the joined line", [(0..<0, "a\nb\nc\n"), (1..<2, "")], [2, 1]),
        (
            "deleting a line and its line break does not change the others",
            [(0..<0, "a\nb\nc\n"), (2..<4, "")], [1, 1]
        ),
        (
            "deleting a line and the line break before it does not change the others",
            [(0..<0, "a\nb\nc\n"), (1..<3, "")], [1, 1]
        ),
        ("deleting the whole text leaves no lines", [(0..<0, "a\nb\n"), (0..<4, "")], []),
        ("an emoji counts as two code units", [(0..<0, "😀\nb\n"), (3..<3, "😀")], [1, 2]),
    ]

    @Test("each line is attributed to the last revision that changed it", arguments: cases.indices)
    func rules(index: Int) throws {
        let (law, edits, expected) = AttributedLinesTests.cases[index]
        #expect(try revisions(edits) == expected, "\(law)")
    }

    @Test(
        "no line of a recorded session has an older revision than its letters",
        .enabled(if: TraceFolder.reasonForAbsence == nil), arguments: ["sveltecomponent", "rustcode"])
    func sessions(name: String) throws {
        let trace = try Trace(named: name)
        var text = try TextBuffer(trace.start)
        var lines = try AttributedLines(text, at: 0)
        // The revision that inserted each code unit.
        var units = [Int](repeating: 0, count: trace.start.utf16.count)
        for (index, edit) in trace.edits.enumerated() {
            try lines.apply(try Change([edit]), making: Revision(index + 1))
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

    @Test("a change that does not fit the text is refused")
    func misplaced() throws {
        for range in [4..<4, 0..<4, 3..<9] {
            var lines = try AttributedLines(TextBuffer("a\nb"), at: 0)
            let edit = try Edit(Offset(range.lowerBound)..<Offset(range.upperBound), "x")
            #expect(throws: AttributedLines.Fault.misplaced) {
                try lines.apply(try Change([edit]), making: 1)
            }
        }
    }

    @Test("more lines than allowed are refused, in the first text and after each change")
    func tooManyLines() throws {
        for text in ["1\n2\n3", "1\n2\n3\n"] {
            #expect(try AttributedLines(TextBuffer(text), at: 0, atMost: 3).count == 3)
        }
        for text in ["1\n2\n3\n4", "\n\n\n\n", "\n\n\n\n\n\n"] {
            #expect(throws: AttributedLines.Fault.tooManyLines) {
                try AttributedLines(TextBuffer(text), at: 0, atMost: 3)
            }
        }
        for (edits, fault) in [
            ([(0..<0, "x\n")], nil), ([(0..<0, "x\ny\n")], .tooManyLines),
            ([(0..<0, "\n\n\n\n")], .tooManyLines),
            ([(0..<2, ""), (4..<4, "x\ny\n")], nil), ([(0..<4, "x\ny\nz\n")], nil),
        ] as [([(Range<Int>, String)], AttributedLines.Fault?)] {
            var lines = try AttributedLines(TextBuffer("a\nb\n"), at: 0, atMost: 3)
            let change = try Change(
                edits.map { try Edit(Offset($0.lowerBound)..<Offset($0.upperBound), $1) })
            var found: AttributedLines.Fault?
            do throws(AttributedLines.Fault) { try lines.apply(change, making: 1) } catch { found = error }
            #expect(found == fault, "\(edits)")
        }
    }

    @Test("texts that grew and shrank often have no more blocks than they need")
    func smallBlocks() throws {
        var lines = try AttributedLines(TextBuffer(), at: 0)
        for revision in 1...40 {
            let text = String(repeating: "\n", count: 4_000)
            try lines.apply(Change([Edit(0..<0, text)]), making: Revision(2 * revision - 1))
            // All new lines are deleted, except one of each 100.
            let edits = try (0..<40).map { try Edit(Offset($0 * 100)..<Offset($0 * 100 + 99), "") }
            try lines.apply(Change(edits), making: Revision(2 * revision))
        }
        #expect(lines.count == 1_600 && lines.blockCount < 20)
    }

    @Test("after 2,000 random edits, the lengths of 5,000 lines are correct")
    func blocks() throws {
        var random = Seeded(7)
        var text = try TextBuffer(String(repeating: "line\n", count: 5_000))
        var lines = try AttributedLines(text, at: 0)
        for revision in 1...2_000 {
            let start = random.number(0...text.length.utf16)
            let end = min(text.length.utf16, start + (random.chance(2) ? random.number(0...40) : 0))
            let new = String(repeating: "x\n", count: random.number(0...3))
            let change = try Change([try Edit(Offset(start)..<Offset(end), new)])
            try lines.apply(change, making: Revision(revision))
            try text.apply(change)
        }
        expectLengths(lines, text)
    }
}
