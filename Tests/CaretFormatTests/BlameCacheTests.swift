import CaretCore
import CaretFormat
import CaretLog
import TestSupport
import Testing

@Suite("Answers about who changed texts, in memory") struct BlameCacheTests {
    private func entry(
        _ id: Int64, document part: UInt64 = 1, start: Revision = 0
    ) throws -> DocumentEntry {
        DocumentEntry(
            id: DocumentID(id), name: try DocumentName("a\(id)"),
            epoch: Epoch(generation: 1, document: part), head: 100, start: start, length: .zero, updated: 0,
            lineBreak: .lf)
    }

    /// An answer about a text of this many lines, after one change.
    private func blame(at revision: Int, lines: Int = 1, start: Int = 0) throws -> BlamedText {
        var text = try BlamedText(TextBuffer(), at: Revision(start))
        for seq in start..<revision {
            let edits = seq == start ? [try Edit(0..<0, String(repeating: "\n", count: lines))] : []
            try text.apply(SampleLog.change(Change(edits), in: TextBuffer(), seq: Int64(seq + 1)))
        }
        return text
    }

    private func chain(_ text: BlamedText) -> Chain {
        Chain(Digest(SIMD4(repeating: UInt64(text.revision.value))))
    }

    @Test("the newest answer that is not after the revision is found, if its history is the same")
    func finding() throws {
        var cache = BlameCache()
        let known = try entry(1)
        for revision in [10, 20, 30] {
            let text = try blame(at: revision)
            // The answer at revision 20 is inside a segment, and can only be used as it is.
            cache.add(CheckedBlame(text: text, chain: revision == 20 ? nil : chain(text)), of: known)
        }
        func found(_ revision: Int, _ entry: DocumentEntry) -> Int? {
            cache.blame(of: entry, through: Revision(revision))?.text.revision.value
        }
        #expect(found(9, known) == nil && found(10, known) == 10 && found(19, known) == 10)
        #expect(found(20, known) == 20 && found(21, known) == 10 && found(99, known) == 30)
        // Another document, another history after a redaction, and a trimmed history.
        for other in [try entry(2), try entry(1, document: 2), try entry(1, start: 5)] {
            #expect(found(99, other) == nil)
        }
        cache.remove(known.id)
        #expect(found(99, known) == nil && cache.bytes == 0)
    }

    @Test("all answers together have a limit, and the one that was used longest ago is dropped")
    func limit() throws {
        let text = try blame(at: 1, lines: 1_000)
        func sample() -> CheckedBlame { CheckedBlame(text: text, chain: chain(text)) }
        var cache = BlameCache(mostBytes: 3 * text.bytes)
        func isKnown(_ id: Int64) throws -> Bool {
            let found = cache.blame(of: try entry(id), through: 1)
            return found != nil
        }
        for id in 1...3 { cache.add(sample(), of: try entry(Int64(id))) }
        #expect(cache.bytes == 3 * text.bytes)
        #expect(try isKnown(1))
        cache.add(sample(), of: try entry(4))
        #expect(cache.bytes == 3 * text.bytes)
        #expect(try [1, 2, 3, 4].map { try isKnown($0) } == [true, false, true, true])
        // The same answer again takes no more memory, and a text that is too large is not kept.
        cache.add(sample(), of: try entry(4))
        let large = try blame(at: 1, lines: 4_000)
        cache.add(CheckedBlame(text: large, chain: chain(large)), of: try entry(5))
        #expect(cache.bytes == 3 * text.bytes)
        #expect(try !isKnown(5))
    }
}
