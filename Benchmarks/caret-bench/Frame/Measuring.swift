import CMalloc
import Glibc

/// The CPU time of the calling thread, in nanoseconds. Other work on the machine hardly changes it.
func threadNanoseconds() -> Double { nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) }

/// The time since some fixed moment, in nanoseconds.
func wallNanoseconds() -> Double { nanoseconds(of: CLOCK_MONOTONIC) }

/// The CPU time of the whole process, in nanoseconds.
func processNanoseconds() -> Double { nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID) }

private func nanoseconds(of clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// How many of the smallest values a percentile covers: rounded up and at least 1, as in the server's
/// `Histogram`.
func rank(of percent: Double, in count: Int) -> Int {
    max(1, Int((Double(count) * percent / 100).rounded(.up)))
}

extension [Double] {
    /// The percentile: at least `percent` % of all values are equal to it or smaller; 0 without values.
    func percentile(_ percent: Double) -> Double {
        isEmpty ? 0 : sorted()[rank(of: percent, in: count) - 1]
    }

    var median: Double { percentile(50) }
}

/// Runs each of `bodies` `rounds` times, and returns the best time of each. The bodies take turns, so that
/// other load of the machine affects all of them.
func best(of rounds: Int, _ bodies: [() -> Void]) -> [Double] {
    var best = [Double](repeating: .infinity, count: bodies.count)
    for _ in 0..<rounds {
        for (index, body) in bodies.enumerated() {
            let start = threadNanoseconds()
            body()
            best[index] = min(best[index], threadNanoseconds() - start)
        }
    }
    return best
}

func best(of rounds: Int, _ body: () -> Void) -> Double {
    withoutActuallyEscaping(body) { best(of: rounds, [$0])[0] }
}

/// The bytes that the heap has allocated, including its own bookkeeping.
func heapBytes() -> Int {
    let state = mallinfo2()
    return Int(state.uordblks + state.hblkhd)
}

/// How many allocations this thread has made.
var allocations: Int { caret_allocations() }

/// How many allocations `body` makes on this thread. Those of other threads are not counted.
func allocations(_ body: () -> Void) -> Int {
    let before = caret_allocations()
    body()
    return caret_allocations() - before
}

/// Uses a value, so that the optimizer does not drop its computation.
@inline(never) @_optimize(none) func consume<Value>(_ value: Value) {}

/// Returns the result of `body`. If `body` throws, ends the benchmark.
func mustSucceed<Value>(_ body: () throws -> Value) -> Value {
    do {
        return try body()
    } catch {
        preconditionFailure("a benchmark failed: \(error)")
    }
}

extension Double {
    /// The number with this many digits after the point, the same in every locale. A dash if there is no
    /// value, as for 0 / 0.
    func digits(_ count: Int) -> String {
        var scale = 1.0
        for _ in 0..<count { scale *= 10 }
        guard let rounded = Int(exactly: (self * scale).rounded()) else { return "–" }
        if count == 0 { return String(rounded) }
        let fraction = String(abs(rounded) % Int(scale))
        let padded = String(repeating: "0", count: count - fraction.count) + fraction
        return "\(rounded < 0 ? "-" : "")\(abs(rounded) / Int(scale)).\(padded)"
    }

    /// Nanoseconds in the most readable unit.
    var time: String {
        if !isFinite { return "–" }
        if self < 10e3 { return digits(self < 100 ? 1 : 0) + " ns" }
        if self < 1e6 { return (self / 1e3).digits(1) + " µs" }
        return self < 1e9 ? (self / 1e6).digits(self < 10e6 ? 2 : 1) + " ms" : (self / 1e9).digits(2) + " s"
    }

    /// Bytes, in megabytes.
    var megabytes: String { (self / 1e6).digits(1) + " MB" }
}
