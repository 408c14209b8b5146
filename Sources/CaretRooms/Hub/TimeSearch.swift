import CaretCore

/// The search for the revision that was the head at a time, by halves: times never go back from one revision to the next.
struct TimeSearch: Equatable, Sendable {
    let time: Int64
    /// Where history begins; when that was made is not kept.
    private let start: Revision
    /// The revision that is sought is not before this one,
    private var low: Int
    /// and not behind this one.
    private var high: Int

    init(for time: Int64, in range: ClosedRange<Revision>) {
        self.time = time
        start = range.lowerBound
        low = range.lowerBound.value
        high = range.upperBound.value
    }

    /// The revision whose time is wanted next; nil where the search is over.
    var probe: Revision? { low < high ? Revision(middle) : nil }

    private var middle: Int { low + (high - low + 1) / 2 }

    mutating func take(_ time: Int64) {
        if time <= self.time { low = middle } else { high = middle - 1 }
    }

    /// What was found; nil where it lies before what is kept.
    var found: Revision? {
        // Nothing was ever before revision 0.
        low == start.value && start > 0 ? nil : Revision(low)
    }
}
