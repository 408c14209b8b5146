import CaretConfig
import CaretWire
import Dispatch
import Glibc
import Synchronization

/// `caret-bench counters`: the cost of adding to a counter, compared to other ways to count, and the cost of
/// a log line.
struct CounterBenchmarks {
    let rounds: Int

    private static let additions = 1_000_000

    func run() {
        runCounting()
        runReading()
        runLog()
    }

    private final class PlainCounter {
        var number: UInt64 = 0

        @inline(never) func add() { number &+= 1 }
    }

    private final class SharedCounters: Sendable {
        let atomic = Atomic<UInt64>(0)
        let locked = Mutex<UInt64>(0)
    }

    private func runCounting() {
        let plain = PlainCounter()
        let board = CounterBoard()
        let local = board.makeCounters()
        let shared = SharedCounters()
        var table = Table(["an addition", "one thread", "two threads at once, each"])
        table.row("to a plain variable", timeOnOneThread { plain.add() }, "")
        table.row(
            "to the thread's own counters", timeOnOneThread { local.add(to: .pushes) },
            timeOnTwoThreads { addLocally(on: board) })
        table.row(
            "to a shared atomic number", timeOnOneThread { shared.atomic.add(1, ordering: .relaxed) },
            timeOnTwoThreads { for _ in 0..<Self.additions { shared.atomic.add(1, ordering: .relaxed) } })
        table.row(
            "to a shared number with a lock", timeOnOneThread { shared.locked.withLock { $0 &+= 1 } },
            timeOnTwoThreads { for _ in 0..<Self.additions { shared.locked.withLock { $0 &+= 1 } } })
        var time: UInt64 = 0
        let taken = timeOnOneThread {
            time &+= 977
            local.record(time, as: .commit)
        }
        table.row("of a duration to local counters", taken, "")
        table.row("of a refusal to local counters", timeOnOneThread { local.countRefusal(.rateLimited) }, "")
        table.print(under: "Counting")
        consume(plain.number)
    }

    private func runReading() {
        let board = CounterBoard()
        for _ in 0..<8 { addLocally(on: board) }
        let reading = best(of: rounds) { for _ in 0..<100 { consume(board.counts) } } / 100
        let counts = board.counts
        let percentile =
            best(of: rounds) { for _ in 0..<1_000 { consume(counts[.commit].percentile(99)) } } / 1_000
        var table = Table(["reading", "time"])
        table.row("all counters of 8 threads", reading.time)
        table.row("a percentile", percentile.time)
        table.print(under: "Reading the counters, which does not slow down the counting threads")
    }

    private func runLog() {
        let event = LogEvent(.listening, .transport(.tcp), .address(.loopback(port: 45_123)))
        let nowhere = open("/dev/null", O_WRONLY)
        defer { close(nowhere) }
        var table = Table(["a line", "plain", "json"])
        let forms = LogFormat.allCases
        let rendered = forms.map { form in
            repeated(1_000) { consume(LogLine(event, at: 1_795_248_900_123).written(as: form)) }
        }
        table.row(["formatted"] + rendered.map(\.time))
        let writers = forms.map { form in
            // The clock advances by seconds between two lines, so that no line is suppressed.
            let time = CountingClock()
            return LogWriter(format: form, level: .info, descriptor: nowhere, now: { time.next() * 1_000 })
        }
        table.row(
            ["formatted and written to /dev/null"]
                + writers.map { log in repeated(1_000) { log.write(event) }.time })
        let storm = forms.map { LogWriter(format: $0, level: .info, descriptor: nowhere, now: { 0 }) }
        table.row(
            ["suppressed, because the rate is too high"]
                + storm.map { log in repeated(100_000) { log.write(event) }.time })
        let quiet = forms.map { LogWriter(format: $0, level: .error, descriptor: nowhere, now: { 0 }) }
        table.row(
            ["not written, because the level is too low"]
                + quiet.map { log in repeated(100_000) { log.write(event) }.time })
        table.print(under: "The log")
    }

    private final class CountingClock: Sendable {
        private let value = Atomic<Int64>(0)

        func next() -> Int64 { value.add(1, ordering: .relaxed).newValue }
    }

    // MARK: Measuring

    private func repeated(_ count: Int, _ body: () -> Void) -> Double {
        best(of: rounds) { for _ in 0..<count { body() } } / Double(count)
    }

    private func timeOnOneThread(_ add: () -> Void) -> String { repeated(Self.additions, add).time }

    private func addLocally(on board: CounterBoard) {
        let local = board.makeCounters()
        for index in 0..<Self.additions { local.add(index & 1, to: .pushes) }
    }

    /// The CPU time of an addition while two threads add at the same time. This is the median, because in the
    /// best round the two threads may not have overlapped.
    private func timeOnTwoThreads(_ additions: @Sendable () -> Void) -> String {
        let times = (0..<rounds).map { _ in
            let spent = Mutex(0.0)
            DispatchQueue.concurrentPerform(iterations: 2) { _ in
                let start = threadNanoseconds()
                additions()
                let time = threadNanoseconds() - start
                spent.withLock { $0 += time }
            }
            return spent.withLock { $0 } / Double(2 * Self.additions)
        }
        return times.median.time
    }
}
