import CaretConfig
import TestSupport
import Testing

@Suite("Histograms of latencies") struct HistogramTests {
    @Test("the ranges of a histogram cover all numbers without gaps")
    func ranges() {
        var next: UInt64 = 0
        for index in 0..<Buckets.count {
            let range = Buckets.range(at: index)
            #expect(range.lowerBound == next)
            #expect(
                Buckets.index(of: range.lowerBound) == index && Buckets.index(of: range.upperBound) == index)
            next = range.upperBound &+ 1
        }
        #expect(next == 0)
    }

    @Test("a range's middle is within 6.25 % of its numbers, and exact below 16")
    func error() {
        for index in 0..<Buckets.count {
            let (range, middle) = (Buckets.range(at: index), Buckets.middle(at: index))
            for number in [range.lowerBound, range.upperBound] where number > 0 {
                let distance = middle > number ? middle - number : number - middle
                #expect(Double(distance) <= Double(number) / 16)
                if number < 16 { #expect(distance == 0) }
            }
        }
    }

    @Test("without numbers all percentiles are 0")
    func empty() {
        #expect(Histogram().percentile(50) == 0 && Histogram().largest == 0 && Histogram().count == 0)
    }

    @Test("with one number, all percentiles are within 7 % of that number")
    func one() {
        for number: UInt64 in [0, 1, 15, 1_000, .max] {
            var histogram = Histogram()
            histogram.add(number)
            for percent in [-1.0, 0, 50, 99, 100, 101] {
                let found = histogram.percentile(percent)
                #expect(found <= number && Double(found) >= Double(number) * 0.93)
            }
            #expect(histogram.largest == number && histogram.sum == number)
        }
    }

    @Test(
        "p50, p99 and p99.9 are within 6.25 %, and the largest is exact", arguments: 0..<4)
    func percentiles(shape: Int) {
        for seed in Seeds.first(20) {
            var random = Seeded(seed)
            let numbers = (0..<random.number(1...5_000)).map { _ in number(shape, &random) }
            var histogram = Histogram()
            for number in numbers { histogram.add(number) }
            let sorted = numbers.sorted()
            for percent in [0.0, 1, 50, 90, 99, 99.9, 100] {
                let rank = max(1, Int((Double(sorted.count) * percent / 100).rounded(.up)))
                let (exact, found) = (Double(sorted[rank - 1]), Double(histogram.percentile(percent)))
                #expect(abs(found - exact) <= exact / 16, "\(Seeds.replay(seed, of: "percentiles"))")
            }
            #expect(histogram.largest == sorted.last && histogram.count == UInt64(numbers.count))
            #expect(histogram.sum == numbers.reduce(0, &+))
        }
    }

    /// A random number of one of four distributions: similar numbers, skewed ones such as commit times,
    /// numbers of all sizes, and numbers of two sizes.
    private func number(_ shape: Int, _ random: inout Seeded) -> UInt64 {
        switch shape {
        case 0: UInt64(random.number(900_000...1_100_000))
        case 1: UInt64(random.pause(median: 700_000))
        case 2: random.next() >> UInt64(random.number(0...63))
        default:
            random.chance(98) ? UInt64(random.number(0...20)) : UInt64(random.number(5_000_000...9_000_000))
        }
    }

    @Test("the sum of histograms equals a histogram of all their numbers")
    func joined() {
        var random = Seeded(3)
        var (parts, whole) = ([Histogram](repeating: Histogram(), count: 3), Histogram())
        for _ in 0..<1_000 {
            let number = number(2, &random)
            parts[random.number(0...2)].add(number)
            whole.add(number)
        }
        #expect(parts[0] + parts[1] + parts[2] == whole)
        #expect(parts[2] + (parts[0] + parts[1]) == whole)
        #expect(whole + Histogram() == whole)
    }
}
