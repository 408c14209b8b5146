/// A histogram of numbers, in constant memory.
package struct Histogram: Equatable, Sendable {
    private var counts: [UInt64]
    /// The sum of all numbers. It wraps beyond 2^64.
    package private(set) var sum: UInt64
    /// The exact largest number.
    package private(set) var largest: UInt64

    package init() {
        self.init(counts: [UInt64](repeating: 0, count: Buckets.count), sum: 0, largest: 0)
    }

    init(counts: [UInt64], sum: UInt64, largest: UInt64) {
        precondition(counts.count == Buckets.count, "a histogram cannot have \(counts.count) ranges")
        self.counts = counts
        self.sum = sum
        self.largest = largest
    }

    package var count: UInt64 { counts.reduce(0, &+) }

    package mutating func add(_ number: UInt64) {
        counts[Buckets.index(of: number)] &+= 1
        sum &+= number
        largest = max(largest, number)
    }

    /// How many numbers are below a power of two. The result is exact, because no range of a histogram
    /// crosses a power of two.
    package func count(below2ToThe power: Int) -> UInt64 {
        counts[..<Buckets.index(of: 1 << power)].reduce(0, &+)
    }

    package static func + (left: Histogram, right: Histogram) -> Histogram {
        Histogram(
            counts: zip(left.counts, right.counts).map { $0 &+ $1 }, sum: left.sum &+ right.sum,
            largest: max(left.largest, right.largest))
    }

    /// The percentile: `percent` % of the numbers are not larger than the result. The error of the result is
    /// at most 6.25 %. If there are no numbers, the result is 0.
    package func percentile(_ percent: Double) -> UInt64 {
        let total = count
        let rank = UInt64((Double(total) * min(max(percent, 0), 100) / 100).rounded(.up))
        var passed: UInt64 = 0
        for index in counts.indices {
            passed += counts[index]
            if passed >= max(1, rank) { return min(Buckets.middle(at: index), largest) }
        }
        // The histogram has no numbers, so `largest` is 0.
        return largest
    }
}
