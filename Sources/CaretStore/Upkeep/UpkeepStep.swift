package import CaretCore

/// A prepared step of upkeep for one document.
package enum UpkeepStep {
    case merge(Replacement)
    /// Store a snapshot, and delete the snapshot that it supersedes. `covered` is the size of the changes up
    /// to the new snapshot.
    case snapshot(StoredSnapshot, superseded: Revision?, covered: Int)
    /// Remove rows that are older than the start of the history.
    case removeTrimmed
    /// The document's row counts too many unmerged segments: subtract `excess`.
    case correctUnmerged(excess: Int)

    /// About how many rows and pages the writer has to write.
    package var weight: Int {
        switch self {
        case .merge(let replacement):
            replacement.old.reduce(1) { $0 + 1 + $1.bytes / PageSums.pageSize }
                + 2 * (replacement.new.body.count / PageSums.pageSize)
        case .snapshot(let snapshot, _, _): 2 + snapshot.body.count / PageSums.pageSize
        case .removeTrimmed: UpkeepPolicy.rowsAtOnce
        case .correctUnmerged: 1
        }
    }
}

/// The next step for a document, and whether it is the last step that is due.
package struct DueStep {
    package let step: UpkeepStep
    let isLast: Bool

    init(_ step: UpkeepStep, isLast: Bool) {
        self.step = step
        self.isLast = isLast
    }
}
