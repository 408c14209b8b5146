import CaretLog

/// A merged segment, and the segments that it replaces.
package struct Replacement {
    let document: DocumentID
    let old: [SegmentSummary]
    let new: EncodedSegment

    /// The new segment, which has no row yet.
    var summary: SegmentSummary {
        SegmentSummary(row: 0, first: new.first, last: new.last, bytes: new.body.count, isUnmerged: false)
    }

    /// The number of old segments that were never merged.
    var unmergedCount: Int { old.count { $0.isUnmerged } }
}
