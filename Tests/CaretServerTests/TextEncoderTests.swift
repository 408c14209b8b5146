import CaretConfig
import CaretCore
import CaretLog
import CaretRooms
import CaretServer
import CaretWire
import TestSupport
import Testing

@Suite("Encoding long texts beside the hub and the loops") struct TextEncoderTests {
    private let jobs = Shared<[@Sendable () -> Void]>([])

    private let budget = OutputBudget(1 << 30)

    private func encoder() -> TextEncoder {
        TextEncoder(budget, CounterBoard().makeCounters()) { [jobs] job in jobs.change { $0.append(job) } }
    }

    /// Runs the next job. Returns false if there is none.
    private func runNext() -> Bool {
        guard !jobs.value.isEmpty else { return false }
        let job = jobs.value[0]
        jobs.change { $0.removeFirst() }
        job()
        return true
    }

    private func version(_ document: Int64) -> TextVersion {
        TextVersion(document: DocumentID(document), epoch: "1.1", revision: 1, lineBreak: .crlf)
    }

    @Test("equal texts are encoded once, until no answer holds the text any more")
    func equalReads() throws {
        let (encoder, texts) = (encoder(), Shared<[EncodedText]>([]))
        let text = try TextBuffer(String(repeating: "ä\u{1}\n", count: 100_000))
        for _ in 0..<2 { encoder.encode(text, version(1)) { text in texts.change { $0.append(text) } } }
        #expect(jobs.value.count == 1 && texts.value.isEmpty)
        #expect(runNext())
        encoder.encode(text, version(1)) { text in texts.change { $0.append(text) } }
        var slices = 1
        while runNext() { slices += 1 }
        #expect(slices == (400_000 + TextEncoder.slice - 1) / TextEncoder.slice && texts.value.count == 3)
        encoder.encode(text, version(1)) { text in texts.change { $0.append(text) } }
        #expect(jobs.value.isEmpty && texts.value.count == 4)
        for encoded in texts.value {
            #expect(Array(encoded.utf8.bytes) == Array(text.string.utf8))
            #expect(encoded.escaped.count == 1_000_000)
            #expect(encoded.escaped.bytes.starts(with: Array(#"ä\u0001\nä"#.utf8)))
            #expect(Array(encoded.kept.bytes) == Array(text.string.replacing("\n", with: "\r\n").utf8))
        }
        // One answer still holds the longest form.
        let last = texts.value.last?.escaped
        texts.change { $0 = [] }
        encoder.encode(text, version(1)) { text in texts.change { $0.append(text) } }
        #expect(jobs.value.isEmpty && texts.value.last?.escaped === last)
    }

    @Test("a text that no answer holds is forgotten, and encoded again")
    func forgotten() throws {
        let (encoder, count) = (encoder(), Shared(0))
        let text = try TextBuffer("text")
        for expected in 1...3 {
            encoder.encode(text, version(1)) { _ in count.change { $0 += 1 } }
            #expect(jobs.value.count == 1 && count.value == expected - 1)
            while runNext() {}
            #expect(count.value == expected)
        }
    }

    @Test("a short text does not wait for the end of a long one")
    func turns() throws {
        let (encoder, order) = (encoder(), Shared<[Int]>([]))
        let texts = try [10 * TextEncoder.slice, 10].map { try TextBuffer(String(repeating: "a", count: $0)) }
        for (number, text) in texts.enumerated() {
            encoder.encode(text, version(Int64(number))) { _ in order.change { $0.append(number) } }
        }
        #expect(jobs.value.count == 1)
        for _ in 0..<2 { #expect(runNext()) }
        #expect(order.value == [1])
        while runNext() {}
        #expect(order.value == [1, 0])
    }

    @Test("no text is begun while the budget for output is used up; then they begin in order")
    func usedUp() throws {
        let (encoder, order) = (encoder(), Shared<[Int]>([]))
        let text = try TextBuffer("text")
        budget.added(1 << 30)
        for number in 0..<2 {
            encoder.encode(text, version(Int64(number))) { _ in order.change { $0.append(number) } }
        }
        while runNext() {}
        #expect(order.value == [])
        budget.removed(1)
        while runNext() {}
        #expect(order.value == [0, 1])
    }

    @Test("while the budget is used up, a text is refused if as many as allowed wait; others are not")
    func refused() throws {
        let (encoder, count) = (encoder(), Shared(0))
        let text = try TextBuffer("text")
        func encode(_ revision: Int64, behind most: Int) -> Bool {
            encoder.encode(text, version(revision), behindAtMost: most) { _ in count.change { $0 += 1 } }
        }
        budget.added(1 << 30)
        #expect(encode(1, behind: 2) && encode(2, behind: 2))
        #expect(!encode(3, behind: 2) && encode(3, behind: 3))
        // A text that waits already needs no more memory.
        #expect(encode(1, behind: 0))
        while runNext() {}
        #expect(count.value == 0)
        budget.removed(1 << 30)
        #expect(encode(4, behind: 0))
        while runNext() {}
        #expect(count.value == 5)
    }

    @Test("a text that waits to be sent is sent to others even if the budget is used up")
    func sharedWhileUsedUp() throws {
        let (encoder, texts) = (encoder(), Shared<[EncodedText]>([]))
        let text = try TextBuffer("text")
        encoder.encode(text, version(1)) { text in texts.change { $0.append(text) } }
        while runNext() {}
        budget.added(1 << 30)
        encoder.encode(text, version(1)) { text in texts.change { $0.append(text) } }
        #expect(texts.value.count == 2)
    }

    @Test("an encoded text uses the budget until the last answer with it is gone")
    func held() throws {
        let budget = OutputBudget(13)
        let encoder = TextEncoder(budget, CounterBoard().makeCounters()) { $0() }
        let texts = Shared<[EncodedText]>([])
        for (text, isUsedUp) in [("abcdef", false), ("abcdef\"", true)] {
            let buffer = try TextBuffer(text)
            encoder.encode(buffer, version(1)) { text in texts.change { $0.append(text) } }
            // The forms of `abcdef` have 6, 6 and 6 bytes.
            #expect(texts.value.count == 1)
            budget.setLimit(isUsedUp ? 22 : 19)
            #expect(budget.isUsedUp == isUsedUp)
            texts.change { $0 = [] }
            #expect(!budget.isUsedUp)
        }
    }
}
