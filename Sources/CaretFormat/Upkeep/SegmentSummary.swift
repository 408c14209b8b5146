package import CaretCore
import CaretLog

/// A row of `segment` without its content.
package struct SegmentSummary: Equatable {
    package let first: Revision
    package let last: Revision
    /// The length of the stored content.
    package let bytes: Int
    /// Whether the segment is stored as it was appended: not merged yet.
    package let isUnmerged: Bool

    package init(first: Revision, last: Revision, bytes: Int, isUnmerged: Bool) {
        self.first = first
        self.last = last
        self.bytes = bytes
        self.isUnmerged = isUnmerged
    }

    /// Whether a segment can have these revisions. A damaged row may have any.
    package var isPlausible: Bool {
        first > 0 && first <= last && last.value <= DocumentEntry.farthest
    }

    package var changes: Int { last.value - first.value + 1 }
}
