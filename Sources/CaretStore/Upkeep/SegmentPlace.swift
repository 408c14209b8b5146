import CaretCore

/// A row of `segment` without its content.
struct SegmentPlace: Equatable {
    let row: Int64
    let first: Revision
    let last: Revision
    /// As it is stored.
    let bytes: Int
    /// Stored as it was appended.
    let isLoose: Bool

    var changes: Int { last.value - first.value + 1 }

    func loose(_ isLoose: Bool) -> SegmentPlace {
        SegmentPlace(row: row, first: first, last: last, bytes: bytes, isLoose: isLoose)
    }
}
