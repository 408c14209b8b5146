package import CaretCore

/// A row of `segment` without its content.
package struct SegmentPlace: Equatable {
    let row: Int64
    package let first: Revision
    package let last: Revision
    /// The stored length.
    package let bytes: Int
    /// Whether the segment is stored as it was appended: not merged yet.
    package let isLoose: Bool

    package init(row: Int64, first: Revision, last: Revision, bytes: Int, isLoose: Bool) {
        self.row = row
        self.first = first
        self.last = last
        self.bytes = bytes
        self.isLoose = isLoose
    }

    package var changes: Int { last.value - first.value + 1 }

    func loose(_ isLoose: Bool) -> SegmentPlace {
        SegmentPlace(row: row, first: first, last: last, bytes: bytes, isLoose: isLoose)
    }
}
