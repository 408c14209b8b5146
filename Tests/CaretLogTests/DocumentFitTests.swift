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

    @Test("the computed length after changes is the length of the text")
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
