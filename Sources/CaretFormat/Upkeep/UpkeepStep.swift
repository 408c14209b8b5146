package import CaretCore

/// A prepared step of upkeep for one document.
package enum UpkeepStep {
    case merge(Replacement)
    /// Store a snapshot, and delete the snapshot that it supersedes. `covered` is the size of the changes up
    /// to the new snapshot.
    case snapshot(StoredSnapshot, superseded: Revision?, covered: Int)
    /// Remove rows that are older than the start of the history.
    case removeTrimmed
    /// Move the places of notes to the newest text.
    case moveNotes([MovedNote])
    /// The document's row counts too many unmerged segments: subtract `excess`.
    case correctUnmerged(excess: Int)
}

/// The next step for a document, and whether it is the last step that is due.
package struct DueStep {
    package let step: UpkeepStep
    package let isLast: Bool

    package init(_ step: UpkeepStep, isLast: Bool) {
        self.step = step
        self.isLast = isLast
    }
}
