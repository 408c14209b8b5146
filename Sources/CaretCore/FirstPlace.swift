extension Range<Int> {
    /// Binary search: the first number for which the condition is true, or the end. The condition must stay
    /// true once it is true.
    @inlinable package func firstPlace(where holds: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
