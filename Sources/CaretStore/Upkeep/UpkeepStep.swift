package import CaretCore

/// One thing to be done for a document's history, made ready.
package enum UpkeepStep {
    case merge(Replacement)
    /// A snapshot to be kept, the one that it makes superfluous, and what of the weight behind the newest it covers.
    case snapshot(StoredSnapshot, superseded: Revision?, covered: Int)
    /// There are rows in front of the history's beginning.
    case removeTrimmed
    /// The document's row counts so many loose segments too many.
    case correctLoose(excess: Int)

    /// How many rows, and pages of them, the writer has to do with.
    var weight: Int {
        switch self {
        case .merge(let replacement):
            replacement.old.reduce(1) { $0 + 1 + $1.bytes / PageSums.pageSize }
                + 2 * (replacement.new.body.count / PageSums.pageSize)
        case .snapshot(let snapshot, _, _): 2 + snapshot.body.count / PageSums.pageSize
        case .removeTrimmed: UpkeepPolicy.rowsAtOnce
        case .correctLoose: 1
        }
    }
}

/// What is due for a document, and whether nothing is due behind it.
package struct DueStep {
    package let step: UpkeepStep
    let isLast: Bool

    init(_ step: UpkeepStep, isLast: Bool) {
        self.step = step
        self.isLast = isLast
    }
}
