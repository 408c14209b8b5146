import CaretCore

/// A binary search for the revision that was the head at a time. Times never go back from one revision to the
/// next.
struct TimeSearch: Equatable, Sendable {
    let time: Int64
    /// The revision where the kept history begins. The time of this revision is not kept.
    private let start: Revision
    /// The lowest revision that the result can be.
    private var low: Int
    /// The highest revision that the result can be.
    private var high: Int

    init(for time: Int64, in range: ClosedRange<Revision>) {
        self.time = time
        start = range.lowerBound
        low = range.lowerBound.value
        high = range.upperBound.value
    }

    /// The revision whose time is needed next; nil at the end of the search.
    var probe: Revision? { low < high ? Revision(middle) : nil }

    private var middle: Int { low + (high - low + 1) / 2 }

    mutating func narrow(_ time: Int64) {
        if time <= self.time { low = middle } else { high = middle - 1 }
    }

    /// The result; nil if the time is before the kept history.
    var found: Revision? {
        // Revision 0, the empty text, comes before every time, so it is a valid result. If the kept
        // history starts at a later revision, that revision is not a valid result: its time is unknown.
        low == start.value && start > 0 ? nil : Revision(low)
    }
}
