extension UpkeepStep {
    /// About how many rows and pages the writer has to write.
    package var weight: Int {
        switch self {
        case .merge(let replacement):
            replacement.old.reduce(1) { $0 + 1 + $1.bytes / UpkeepPolicy.pageSize }
                + 2 * (replacement.new.body.count / UpkeepPolicy.pageSize)
        case .snapshot(let snapshot, _, _): 2 + snapshot.body.count / UpkeepPolicy.pageSize
        case .removeTrimmed: UpkeepPolicy.rowsAtOnce
        case .moveNotes(let notes): notes.count
        case .correctUnmerged: 1
        }
    }
}
