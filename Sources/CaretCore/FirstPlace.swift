extension Range<Int> {
    /// The first number that holds, of numbers of which none that holds stands in front of one that does not; the end
    /// where none does. It asks about as many as the count has binary digits.
    @inlinable package func firstPlace(where holds: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
