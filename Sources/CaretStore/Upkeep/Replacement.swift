import CaretLog

/// One segment in the place of several.
package struct Replacement {
    let document: DocumentID
    let old: [SegmentPlace]
    let new: EncodedSegment

    /// The new one, which has no row yet.
    var place: SegmentPlace {
        SegmentPlace(row: 0, first: new.first, last: new.last, bytes: new.body.count, isLoose: false)
    }

    /// How many of the old ones were as they were appended.
    var loose: Int { old.count { $0.isLoose } }
}
