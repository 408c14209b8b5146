import CaretCore
import CaretLog
import TestSupport
import Testing

@Suite("Whether changes fit a document") struct DocumentFitTests {
    @Test("a text of the maximum length fits, and a longer text does not")
    func longestText() throws {
        let most = DocumentEntry.longestText
        let entry = try entry(utf8: most - 1)
        #expect(try entry.length(after: [inserting("x")])?.utf8 == most)
        #expect(try entry.length(after: [inserting("xy")]) == nil)
        #expect(try entry.length(after: [inserting("x"), inserting("y")]) == nil)
    }

    @Test("the length computed from changes is the length of the changed text")
    func lengths() throws {
        for seed in Seeds.first(200) {
            var random = Seeded(seed)
            var text = try TextBuffer(SampleText.make(upTo: 40, &random))
            let length = text.length
            var changes: [PushedChange] = []
            for seq in 1...4 {
                let change = SampleChange.make(for: text, upTo: 3, &random)
                changes.append(try SampleLog.pushed(change, in: text, seq: Int64(seq)))
                try text.apply(change)
            }
            #expect(
                try entry(length).length(after: changes) == text.length,
                "\(Seeds.replay(seed, of: "DocumentFitTests/lengths"))")
        }
    }

    /// The text has 12 bytes, 6 UTF-16 units and 4 scalars. Each case is the start of an edit and the length
    /// that it removes, each as bytes, units and scalars.
    @Test(
        "an edit fits if a part of the text can have its lengths in all units",
        arguments: [
            ([0, 0, 0], [0, 0, 0], true), ([0, 0, 0], [12, 6, 4], true), ([12, 6, 4], [0, 0, 0], true),
            ([11, 5, 3], [1, 1, 1], true), ([3, 1, 1], [9, 5, 3], true), ([0, 0, 0], [4, 2, 1], true),
            ([0, 0, 0], [13, 6, 4], false), ([0, 0, 0], [12, 7, 4], false), ([0, 0, 0], [12, 6, 5], false),
            ([12, 6, 4], [1, 1, 1], false), ([0, 0, 0], [4, 1, 1], false), ([0, 0, 0], [1, 2, 1], false),
            ([0, 0, 0], [3, 3, 1], false), ([0, 0, 0], [2, 1, 2], false), ([4, 1, 1], [0, 0, 0], false),
            ([0, 0, 0], [-1, 0, 0], false), ([0, 0, 0], [0, 0, -1], false), ([2, 1, 1], [-2, 0, -1], false),
        ] as [([Int], [Int], Bool)])
    func lengthsOfEdits(start: [Int], removed: [Int], fits: Bool) throws {
        func length(_ numbers: [Int]) -> TextLength {
            TextLength(utf8: numbers[0], utf16: numbers[1], scalars: numbers[2])
        }
        let edit = try LoggedEdit(start: length(start), removed: length(removed), text: "")
        let change = LoggedChange(pusher: SampleLog.ann, seq: 1, time: 1, edits: [edit])
        let text = length([12, 6, 4])
        let after = try entry(text).length(after: [PushedChange(change, digest: SampleLog.digest(1))])
        #expect(after == (fits ? text - length(removed) : nil))
    }

    @Test("edits of one change fit only in the order of the text, without overlap")
    func order() throws {
        let letters = (0...4).map { TextLength(utf8: $0, utf16: $0, scalars: $0) }
        for (first, second, fits) in [(0...2, 2...4, true), (0...2, 1...4, false), (2...4, 0...2, false)] {
            let edits = try [first, second].map { range in
                let start = letters[range.lowerBound]
                return try LoggedEdit(start: start, removed: letters[range.upperBound] - start, text: "")
            }
            let logged = LoggedChange(pusher: SampleLog.ann, seq: 1, time: 1, edits: edits)
            let change = PushedChange(logged, digest: SampleLog.digest(1))
            let after = try entry(letters[4]).length(after: [change])
            #expect(after == (fits ? TextLength.zero : nil), "\(first) and \(second)")
        }
    }

    @Test("a seq or a time fits if it is between -2^53 and 2^53")
    func numbers() throws {
        let most = DocumentEntry.farthest
        for (seq, time, fits) in [
            (most, most, true), (-most, -most, true), (most + 1, 0, false), (0, most + 1, false),
            (-most - 1, 0, false), (0, -most - 1, false),
        ] as [(Int64, Int64, Bool)] {
            let change = LoggedChange(pusher: SampleLog.ann, seq: seq, time: time, edits: [])
            let after = try entry(.zero).length(after: [PushedChange(change, digest: SampleLog.digest(1))])
            #expect((after != nil) == fits, "\(seq), \(time)")
        }
    }

    private func inserting(_ string: String) throws -> PushedChange {
        try SampleLog.pushed(Change([SampleChange.edit(0, 0, string)]), in: TextBuffer(), seq: 1)
    }

    private func entry(utf8: Int) throws -> DocumentEntry {
        try entry(TextLength(utf8: utf8, utf16: utf8, scalars: utf8))
    }

    private func entry(_ length: TextLength) throws -> DocumentEntry {
        DocumentEntry(
            id: DocumentID(1), name: try DocumentName("a"), epoch: Epoch(generation: 1, document: 1), head: 1,
            start: 0, length: length, updated: 0, lineBreak: .lf)
    }
}
