import CaretCore
import CaretLog
import TestSupport
import Testing

@Suite("Who changed the lines of a text last") struct BlamedTextTests {
    /// A random history of a text with some lines, by two pushers.
    private struct RandomHistory {
        private(set) var texts = [TextBuffer()]
        private(set) var log: [LoggedChange] = []

        init(seed: UInt64, _ count: Int) throws {
            var random = Seeded(seed)
            for seq in 1...count {
                let old = texts[texts.count - 1]
                let start = random.number(0...old.length.utf16)
                let end = min(old.length.utf16, start + (random.chance(30) ? random.number(0...8) : 0))
                var edits = [
                    try Edit(Offset(start)..<Offset(end), random.pick(["x\n", "y", "\n", "z\nz\n"]))
                ]
                if end < old.length.utf16, random.chance(30) {
                    edits.append(try Edit(Offset(end + 1)..<Offset(end + 1), "t\n"))
                }
                let who = random.chance(50) ? SampleLog.ann : SampleLog.bob
                let logged = try SampleLog.change(Change(edits), in: old, by: who, seq: Int64(seq))
                log.append(logged)
                texts.append(try old.applying(logged.change))
            }
        }

        func blamed(from start: Int, through end: Int) throws -> BlamedText {
            var blamed = try BlamedText(texts[start], at: Revision(start))
            for change in log[start..<end] {
                try blamed.apply(change)
                if change.seq % 5 == 0 { blamed.forgetUnusedAuthors() }
            }
            return blamed
        }
    }

    /// Rules D22 and D23.
    @Test(
        "ranges have the revisions of the lines, and the authors of these revisions",
        arguments: 0..<UInt64(40))
    func ranges(seed: UInt64) throws {
        let history = try RandomHistory(seed: seed, 300)
        let start = Int(seed) * 5
        var lines = try AttributedLines(history.texts[start], at: Revision(start))
        for (index, change) in history.log[start...].enumerated() {
            try lines.apply(change.change, making: Revision(start + index + 1))
        }
        var blamed = try history.blamed(from: start, through: 300)
        let all = blamed.ranges(after: 0, limit: .max)
        #expect(!all.hasMore && blamed.revision == 300)
        #expect(
            all.ranges.flatMap { repeatElement($0.revision, count: $0.count) } == lines.lines.map(\.revision))
        #expect(zip(all.ranges, all.ranges.dropFirst()).allSatisfy { $0.revision != $1.revision })
        for range in all.ranges {
            let change = range.revision.value > start ? history.log[range.revision.value - 1] : nil
            #expect(range.author?.pusher == change?.pusher && range.author?.time == change?.time)
        }
        blamed.forgetUnusedAuthors()
        #expect(blamed.ranges(after: 0, limit: .max).ranges == all.ranges)
        // Pages have the same ranges.
        var paged: [BlamedRange] = []
        while true {
            let page = blamed.ranges(after: paged.last.map { $0.line + $0.count - 1 } ?? 0, limit: 3)
            paged += page.ranges
            #expect(page.ranges.count <= 3)
            if !page.hasMore { break }
        }
        #expect(paged == all.ranges)
    }

    @Test("a trim changes only lines that are older than the oldest kept revision", arguments: 0..<UInt64(20))
    func trimmed(seed: UInt64) throws {
        let history = try RandomHistory(seed: seed, 200)
        let whole = try history.blamed(from: 0, through: 200).ranges(after: 0, limit: .max).ranges
        let kept = try history.blamed(from: 120, through: 200).ranges(after: 0, limit: .max).ranges
        func each(_ ranges: [BlamedRange]) -> [Revision] {
            ranges.flatMap { repeatElement(max(120, $0.revision), count: $0.count) }
        }
        #expect(each(whole) == each(kept))
        #expect(kept.allSatisfy { ($0.author == nil) == ($0.revision == 120) })
    }

    @Test("a page can begin inside a range, after the last line, and before the first one")
    func positions() throws {
        var blamed = try BlamedText(TextBuffer("1\n2\n3\n"), at: 0)
        let edit = try Edit(6..<6, "4\n5\n")
        try blamed.apply(SampleLog.change(Change([edit]), in: TextBuffer("1\n2\n3\n"), seq: 1))
        func found(_ after: Int, _ limit: Int) -> [[Int]] {
            blamed.ranges(after: after, limit: limit).ranges.map { [$0.line, $0.count, $0.revision.value] }
        }
        #expect(found(0, 9) == [[1, 3, 0], [4, 2, 1]] && found(-5, 9) == found(0, 9))
        #expect(found(1, 9) == [[2, 2, 0], [4, 2, 1]] && found(4, 9) == [[5, 1, 1]])
        #expect(found(5, 9) == [] && found(99, 9) == [])
        #expect(found(0, 1) == [[1, 3, 0]] && blamed.ranges(after: 0, limit: 1).hasMore)
        #expect(!blamed.ranges(after: 3, limit: 1).hasMore)
    }

    @Test("the author of an empty last line stays known, because the line may come back")
    func emptyLastLine() throws {
        var (blamed, text) = (try BlamedText(TextBuffer(), at: 0), TextBuffer())
        for (seq, (start, end, new)) in [(0, 0, "a\nx"), (2, 3, ""), (2, 2, "\n")].enumerated() {
            let change = try Change([Edit(Offset(start)..<Offset(end), new)])
            try blamed.apply(SampleLog.change(change, in: text, seq: Int64(seq + 1)))
            try text.apply(change)
            blamed.forgetUnusedAuthors()
        }
        let ranges = blamed.ranges(after: 0, limit: 9).ranges
        #expect(ranges.map(\.revision) == [1, 2])
        #expect(ranges.map { $0.author?.time } == [1_001, 1_002])
    }

    @Test("memory is bounded by the lines, and not by the history")
    func memory() throws {
        var (blamed, text) = (try BlamedText(TextBuffer(), at: 0), TextBuffer())
        for seq in 1...20_000 {
            let change = try Change([Edit(0..<text.end, "\(seq)\n")])
            try blamed.apply(SampleLog.change(change, in: text, seq: Int64(seq)))
            try text.apply(change)
            #expect(blamed.bytes < 1 << 17)
        }
        #expect(blamed.ranges(after: 0, limit: 9).ranges.map(\.revision) == [20_000])
    }

    @Test("250,000 lines are allowed, and one more is not")
    func mostLines() throws {
        let most = String(repeating: "\n", count: BlamedText.mostLines)
        var blamed = try BlamedText(TextBuffer(most), at: 0)
        #expect(blamed.bytes < 5 << 20)
        let edit = try Edit(0..<0, "\n")
        let change = try SampleLog.change(Change([edit]), in: TextBuffer(most), seq: 1)
        #expect(throws: AttributedLines.Fault.tooManyLines) { try blamed.apply(change) }
        #expect(throws: AttributedLines.Fault.tooManyLines) { try BlamedText(TextBuffer(most + "\n"), at: 0) }
    }
}
