/// The ranges of a histogram. They cover all of UInt64: there are eight ranges from each power of two to the
/// next.
///
/// The middle of a range differs from any number in the range by at most 6.25 % (one sixteenth). Numbers
/// below 16 are exact.
package enum Buckets {
    private static let bits = 3
    private static let perPower = 1 << bits

    package static let count = (64 - bits + 1) * perPower

    @inline(__always)
    package static func index(of number: UInt64) -> Int {
        if number < UInt64(perPower) { return Int(number) }
        let power = 63 - number.leadingZeroBitCount
        let part = Int(truncatingIfNeeded: number >> UInt64(power - bits)) & (perPower - 1)
        return (power - bits + 1) * perPower + part
    }

    package static func range(at index: Int) -> ClosedRange<UInt64> {
        if index < perPower { return UInt64(index)...UInt64(index) }
        let shift = UInt64(index / perPower - 1)
        let low = UInt64(perPower + index % perPower) << shift
        return low...low + ((1 << shift) - 1)
    }

    package static func middle(at index: Int) -> UInt64 {
        let range = range(at: index)
        return range.lowerBound + (range.upperBound - range.lowerBound) / 2
    }
}
