/// Counts latencies in steps of at most 1.6 %, so that millions of them need little memory.
struct Latencies {
    /// How many latencies were in each step: 64 steps for each power of two. The longest possible latency is
    /// more than an hour.
    private var counts = [Int](repeating: 0, count: 64 * 38)
    private(set) var count = 0

    mutating func add(_ nanoseconds: Double) {
        counts[min(Latencies.step(of: UInt64(max(0, nanoseconds))), counts.count - 1)] += 1
        count += 1
    }

    static func += (one: inout Latencies, other: Latencies) {
        for step in one.counts.indices { one.counts[step] += other.counts[step] }
        one.count += other.count
    }

    /// The percentile in nanoseconds: at least `percent` % of all values are equal to it or smaller. It is 0
    /// if there are no values.
    func percentile(_ percent: Double) -> Double {
        var left = rank(of: percent, in: count)
        for (step, count) in counts.enumerated() {
            left -= count
            if left <= 0 { return Latencies.middle(of: step) }
        }
        return 0
    }

    private static func step(of value: UInt64) -> Int {
        let shift = max(0, 57 - value.leadingZeroBitCount)
        return shift * 64 + Int(value >> UInt64(shift))
    }

    private static func middle(of step: Int) -> Double {
        if step < 128 { return Double(step) }
        let shift = step / 64 - 1
        return (Double(step - shift * 64) + 0.5) * Double(1 << shift)
    }
}
