package import CaretLog

/// A merged segment, and the segments that it replaces.
package struct Replacement {
    package let document: DocumentID
    package let old: [SegmentSummary]
    package let new: EncodedSegment

    package init(document: DocumentID, old: [SegmentSummary], new: EncodedSegment) {
        self.document = document
        self.old = old
        self.new = new
    }

    /// The new segment, which has no row yet.
    package var summary: SegmentSummary {
        SegmentSummary(first: new.first, last: new.last, bytes: new.body.count, isUnmerged: false)
    }

    /// The number of old segments that were never merged.
    package var unmergedCount: Int { old.count { $0.isUnmerged } }
}
