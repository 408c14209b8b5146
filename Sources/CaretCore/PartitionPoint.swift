extension Range<Int> {
    /// Binary search: the first number for which the condition is true, or the end of the range. If the
    /// condition is true for one number, it must be true for all larger ones.
    @inlinable package func partitionPoint(where holds: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
