import CaretFormat

extension UpkeepStep {
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
