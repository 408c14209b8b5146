import CaretLog

/// A merged segment, and the segments that it replaces.
package struct Replacement {
    let document: DocumentID
    let old: [SegmentPlace]
    let new: EncodedSegment

    /// The new segment, which has no row yet.
    var place: SegmentPlace {
        SegmentPlace(row: 0, first: new.first, last: new.last, bytes: new.body.count, isLoose: false)
    }

    /// The number of old segments that were never merged.
    var loose: Int { old.count { $0.isLoose } }
}
