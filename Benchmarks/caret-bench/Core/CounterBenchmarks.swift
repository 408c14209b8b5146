import CaretConfig
import CaretWire
import Dispatch
import Glibc
import Synchronization

/// `caret-bench counters`: the cost of counting, compared to other ways to count, and the cost of logging.
struct CounterBenchmarks {
    let rounds: Int

    private static let additions = 1_000_000

    func run() {
        runCounting()
        runReading()
        runLog()
    }

    private final class Own {
        var number: UInt64 = 0

        @inline(never) func add() { number &+= 1 }
    }

    private final class Shared: Sendable {
        let atomic = Atomic<UInt64>(0)
        let locked = Mutex<UInt64>(0)
    }

    private func runCounting() {
        let own = Own()
        let board = CounterBoard()
        let tally = board.tally()
        let shared = Shared()
        var table = Table(["an addition", "one thread", "two threads at once, each"])
        table.row("to a plain variable", one { own.add() }, "")
        table.row("to the thread's own tally", one { tally.add(to: .pushes) }, two { tallying(on: board) })
        table.row(
            "to a shared atomic number", one { shared.atomic.add(1, ordering: .relaxed) },
            two { for _ in 0..<Self.additions { shared.atomic.add(1, ordering: .relaxed) } })
        table.row(
            "to a shared number with a lock", one { shared.locked.withLock { $0 &+= 1 } },
            two { for _ in 0..<Self.additions { shared.locked.withLock { $0 &+= 1 } } })
        var time: UInt64 = 0
        let taken = one {
            time &+= 977
            tally.took(time, .commit)
        }
        table.row("of a duration to a tally", taken, "")
        table.row("of a refusal to a tally", one { tally.refused(.rateLimited) }, "")
        table.print(under: "Counting")
        consume(own.number)
    }

    private func runReading() {
        let board = CounterBoard()
        for _ in 0..<8 { tallying(on: board) }
        let reading = best(of: rounds) { for _ in 0..<100 { consume(board.counts) } } / 100
        let counts = board.counts
        let percentile =
            best(of: rounds) { for _ in 0..<1_000 { consume(counts[.commit].percentile(99)) } } / 1_000
        var table = Table(["reading", "time"])
        table.row("all numbers of 8 tallies", reading.time)
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
            let time = Atomic64()
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
        table.row(["below the level"] + quiet.map { log in repeated(100_000) { log.write(event) }.time })
        table.print(under: "The log")
    }

    private final class Atomic64: Sendable {
        private let value = Atomic<Int64>(0)

        func next() -> Int64 { value.add(1, ordering: .relaxed).newValue }
    }

    // MARK: Measuring

    private func repeated(_ count: Int, _ body: () -> Void) -> Double {
        best(of: rounds) { for _ in 0..<count { body() } } / Double(count)
    }

    private func one(_ add: () -> Void) -> String { repeated(Self.additions, add).time }

    private func tallying(on board: CounterBoard) {
        let tally = board.tally()
        for index in 0..<Self.additions { tally.add(index & 1, to: .pushes) }
    }

    /// The CPU time of an addition while two threads add at the same time. This is the median, because in the
    /// best round the two threads may not have overlapped.
    private func two(_ additions: @Sendable () -> Void) -> String {
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
