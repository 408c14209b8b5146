import CaretConfig
import TestSupport
import Testing

@Suite("The limit on the rate of log lines") struct LogRateTests {
    @Test("after a burst, lines have a limited rate; suppressed lines are counted")
    func burst() {
        var rate = LogRate()
        for _ in 0..<LogRate.burst { #expect(rate.decide(.slowReader, at: 0) == .write(suppressed: 0)) }
        for _ in 0..<7 { #expect(rate.decide(.slowReader, at: 499) == .suppress) }
        #expect(rate.decide(.slowReader, at: 500) == .write(suppressed: 7))
        #expect(rate.decide(.slowReader, at: 999) == .suppress)
        #expect(rate.decide(.slowReader, at: 1_000) == .write(suppressed: 1))
    }

    @Test("a flood of one event does not suppress other events")
    func others() {
        var rate = LogRate()
        for _ in 0..<1_000 { _ = rate.decide(.slowReader, at: 0) }
        #expect(rate.decide(.diskFailed, at: 0) == .write(suppressed: 0))
    }

    @Test("each jump of the clock allows at most one more burst")
    func clocks() {
        var rate = LogRate()
        var written = 0
        for time in [Int64.max, 0, .max, 0, .max - 1] {
            for _ in 0..<200 where rate.decide(.ready, at: time) != .suppress { written += 1 }
        }
        #expect(written <= 5 * LogRate.burst)
    }

    @Test("a day's flood stays within the rate, and suppressed lines are counted")
    func day() {
        var rate = LogRate()
        var random = Seeded(7)
        var (time, happened, written, suppressed) = (Int64(0), 0, 0, 0)
        while time < 86_400_000 {
            time += Int64(random.number(0...random.pick([10, 200, 5_000])))
            happened += 1
            guard case .write(let before) = rate.decide(.internalFault, at: time) else { continue }
            written += 1
            suppressed += before
        }
        #expect(written <= LogRate.burst + LogRate.aSecond * Int(time / 1_000) + 1)
        let rest = rate.remainders()
        #expect(written + suppressed + (rest.first?.suppressed ?? 0) == happened)
        #expect(rate.remainders().isEmpty)
    }
}

@Suite("The queue of waiting log lines") struct LogQueueTests {
    private let ready = LogEvent(.ready)

    private func line(_ time: Int64, lost: Int = 0) -> LogLine { LogLine(ready, at: time, lost: lost) }

    @Test("a writing thread also gets the lines that other threads add meanwhile")
    func turns() {
        var queue = LogQueue()
        #expect(queue.add(ready, at: 1)?.line == line(1))
        #expect(queue.add(ready, at: 2) == nil)
        #expect(queue.add(ready, at: 3) == nil)
        #expect(queue.finishWrite(.written)?.line == line(2))
        #expect(queue.finishWrite(.written)?.line == line(3))
        #expect(queue.finishWrite(.written) == nil)
        #expect(queue.add(ready, at: 4)?.line == line(4))
    }

    @Test("the next written line says how many lines could not be written")
    func refused() {
        var queue = LogQueue()
        for time: Int64 in 0..<3 {
            #expect(queue.add(ready, at: time)?.line == line(time, lost: Int(time)))
            #expect(queue.finishWrite(.refused) == nil)
        }
        #expect(queue.add(ready, at: 3)?.line == line(3, lost: 3))
        #expect(queue.finishWrite(.written) == nil)
        #expect(queue.add(ready, at: 4)?.line == line(4))
        #expect(queue.lostInAll == 3)
    }

    @Test("before the next line, a partly written line gets a line break")
    func partlyWritten() {
        var queue = LogQueue()
        #expect(queue.add(ready, at: 0)?.endsLineBefore == false)
        #expect(queue.finishWrite(.partlyWritten) == nil)
        #expect(queue.add(ready, at: 1) == LogQueue.WriteTask(line: line(1, lost: 1), endsLineBefore: true))
        #expect(queue.finishWrite(.refused) == nil)
        #expect(queue.add(ready, at: 2)?.endsLineBefore == true)
        #expect(queue.finishWrite(.written) == nil)
        #expect(queue.add(ready, at: 3)?.endsLineBefore == false)
    }

    @Test("256 lines wait for a stuck writer, and further lines count as lost")
    func stuck() {
        var queue = LogQueue()
        var lines = 0
        // The times differ, because the rate limit would suppress lines of the same time.
        for index in 0...Int64(LogQueue.mostWaiting + 10) {
            if queue.add(ready, at: index * 1_000) != nil { lines += 1 }
        }
        #expect(lines == 1 && queue.lostInAll == 10)
        #expect(queue.finishWrite(.written)?.line == line(1_000, lost: 10))
        for _ in 1..<LogQueue.mostWaiting { #expect(queue.finishWrite(.written) != nil) }
        #expect(queue.finishWrite(.written) == nil)
    }

    @Test("if a line is lost, the suppressed lines that it reports count as lost")
    func lostCounts() {
        var queue = LogQueue()
        for _ in 0..<LogRate.burst + 5 {
            if queue.add(ready, at: 0) != nil { #expect(queue.finishWrite(.written) == nil) }
        }
        #expect(queue.add(ready, at: 500)?.line == LogLine(ready, at: 500, suppressed: 5))
        #expect(queue.finishWrite(.refused) == nil)
        #expect(queue.add(ready, at: 1_000)?.line == line(1_000, lost: 6))
        #expect(queue.lostInAll == 6)
    }

    @Test("a full queue loses a line with the suppressed lines that it reports")
    func lostBeyond() {
        var queue = LogQueue()
        let end = Int64(LogQueue.mostWaiting) * 1_000
        for time in stride(from: 0, through: end, by: 1_000) { _ = queue.add(ready, at: time) }
        #expect(queue.lostInAll == 0)
        // The rate limit suppresses the last of these lines, and the next line reports them.
        for _ in 0..<LogRate.burst + 4 { #expect(queue.add(ready, at: end) == nil) }
        #expect(queue.add(ready, at: end + 500) == nil)
        #expect(queue.lostInAll == LogRate.burst + 5)
    }

    @Test("at its end, the log reports the suppressed lines of each event")
    func addSuppressedCounts() {
        var queue = LogQueue()
        for name in [LogEvent.Name.slowReader, .connectionRefused] {
            for _ in 0..<LogRate.burst + 5 {
                if queue.add(LogEvent(name), at: 0) != nil { #expect(queue.finishWrite(.written) == nil) }
            }
        }
        let first = LogEvent(.logSuppressed, .event(.connectionRefused), .count(5))
        #expect(queue.addSuppressedCounts(at: 9)?.line == LogLine(first, at: 9))
        let second = LogEvent(.logSuppressed, .event(.slowReader), .count(5))
        #expect(queue.finishWrite(.written)?.line == LogLine(second, at: 9))
        #expect(queue.finishWrite(.written) == nil)
        #expect(queue.addSuppressedCounts(at: 9) == nil)
    }
}
