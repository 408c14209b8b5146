package import CaretCore
package import CaretLog

/// A document's whole history without a passage, encoded for its rows.
package struct RedactionPlan {
    /// The document as it was read.
    package let old: DocumentEntry
    let passage: Passage
    /// The document's part of the new epoch.
    package let epoch: UInt64
    package let segments: [EncodedSegment]
    package let snapshots: [StoredSnapshot]
    /// The chain and the length of the text at the head.
    package let chain: Chain
    package let length: TextLength

    package init(
        old: DocumentEntry, without passage: Passage, epoch: UInt64, segments: [EncodedSegment],
        snapshots: [StoredSnapshot], chain: Chain, length: TextLength
    ) {
        self.old = old
        self.passage = passage
        self.epoch = epoch
        self.segments = segments
        self.snapshots = snapshots
        self.chain = chain
        self.length = length
    }
}

/// The result of preparing a redaction.
package enum PreparedRedaction {
    /// Somebody has changed the history meanwhile.
    case changed
    case tooFrequent
    /// `plan` is nil for a dry run, and if no revision and no note contains the passage.
    case found(RedactionReport, RedactionPlan?)
}
