import CaretCore
import TestSupport
import Testing

/// Texts whose diff has one right answer, for rules that the fixtures do not cover.
@Suite("Diff of chosen texts") struct DiffCaseTests {
    private func expect(
        _ old: String, _ new: String, _ edits: [Edit], at location: SourceLocation = #_sourceLocation
    ) throws {
        let (oldText, newText) = (try TextBuffer(old), try TextBuffer(new))
        let found = diff(from: oldText, to: newText)
        let note = "\(readable(String(old.prefix(80)))) → \(readable(String(new.prefix(80))))"
        #expect(found == SampleChange.change(edits), "\(note)", sourceLocation: location)
        #expect(try oldText.applying(found) == newText, "\(note)", sourceLocation: location)
    }

    private func edit(_ start: Int, _ end: Int, _ text: String) -> Edit {
        SampleChange.edit(start, end, text)
    }

    @Test("a line that occurs once in each text is kept if other lines move")
    func uniqueLine() throws {
        try expect("A\nc\nc\nc\n", "c\nc\nc\nA\n", [edit(0, 0, "c\nc\nc\n"), edit(2, 8, "")])
        try expect("c\nc\nc\nA\n", "A\nc\nc\nc\n", [edit(0, 6, ""), edit(8, 8, "c\nc\nc\n")])
    }

    @Test("if lines repeat, the diff inserts or removes the second copy")
    func repeatedLines() throws {
        for lines in ["x\n", "x\ny\n", "\n\n", "x\ny\nz\n"] {
            let length = lines.utf16.count
            try expect(lines, lines + lines, [edit(length, length, lines)])
            try expect(lines + lines, lines, [edit(length, 2 * length, "")])
        }
    }

    @Test("a joined edit may be large enough to be joined with the edit before it")
    func joinedTwice() throws {
        try expect("1aaXbY", "4aab", [edit(0, 6, "4aab")])
        try expect("4aab", "1aaXbY", [edit(0, 4, "1aaXbY")])
    }

    @Test("two edits in one emoji are joined, and a distant edit stays separate")
    func twoEditsInOneGrapheme() throws {
        let (man, woman, girl) = ("\u{1F468}", "\u{200D}\u{1F469}\u{200D}", "\u{1F467}")
        let (oldMan, baby) = ("\u{1F474}", "\u{1F476}")
        let middle = " and a long unchanged text "
        let end = 8 + middle.utf16.count
        try expect(
            man + woman + girl + middle + "1", oldMan + woman + baby + middle + "2",
            [edit(0, 8, oldMan + woman + baby), edit(end, end + 1, "2")])
    }

    @Test("if one scalar of a grapheme changes, the whole grapheme is replaced")
    func prependedSign() throws {
        let sign = "\u{600}"
        #expect((sign + "1").count == 1)
        try expect(sign + "1", sign + "2", [edit(0, 2, sign + "2")])
    }

    @Test("edits on both sides of letters of 1 to 4 bytes are found separately")
    func widths() throws {
        for letter in ["\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}"] {
            let middle = String(repeating: letter, count: 3)
            let end = 1 + middle.utf16.count
            try expect(
                "1" + middle + "2", "3" + middle + "4", [edit(0, 1, "3"), edit(end, end + 1, "4")])
        }
    }

    @Test("the diff finds the small edits in every changed line of a large text")
    func manyChangedLines() throws {
        let old = "the original text, and then a long unchanged passage 1\n"
        let new = "some original words, and then a long unchanged passage 2\n"
        let unchanged = String(repeating: String(repeating: "=", count: 999) + "\n", count: 35)
        var edits: [Edit] = []
        for line in 0..<20 {
            let start = line * (old.utf16.count + unchanged.utf16.count)
            let end = start + old.utf16.count - 1
            edits += [
                edit(start, start + 2, "som"), edit(start + 13, start + 17, "words"), edit(end - 1, end, "2"),
            ]
        }
        try expect(
            String(repeating: old + unchanged, count: 20), String(repeating: new + unchanged, count: 20),
            edits)
    }

    @Test("a diff that reaches its search limit keeps the edits found before")
    func limitedSearch() throws {
        // One line with more than 65,536 scalars on each side. A complete diff has 5,000 edits, but the
        // limits on windows and steps let the search find only some of these edits. So the last edit of the
        // result replaces the rest of the line.
        func line(_ mark: String) -> String {
            (0..<5_000).map { block in
                let scalars = (0..<13).compactMap { Unicode.Scalar(0x20000 + UInt32(13 * block + $0)) }
                return String(String.UnicodeScalarView(scalars)) + mark
            }.joined()
        }
        let (old, new) = (try TextBuffer(line("1")), try TextBuffer(line("2")))
        let change = diff(from: old, to: new)
        #expect(try old.applying(change) == new)
        #expect(change.edits.count == 1_267)
        #expect(change.edits.dropLast().allSatisfy { $0.text == "2" })
    }
}
