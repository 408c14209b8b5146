package import CaretWire

/// A page of revisions: as many as fit in one answer.
///
/// While enough space is left, the page counts an upper bound of each encoded size. To count the exact sizes,
/// it would have to encode every revision twice.
package struct HistoryPage: Equatable, Sendable {
    package private(set) var revisions: [RevisionSummary] = []
    /// An upper bound of the encoded size of `revisions`.
    private var bytes = 0
    /// `bytes` is a sum: the exact size of the first `counted` revisions, and the upper bound `bound` for the
    /// others.
    private var counted = 0
    private var bound = 0

    package init() {}

    /// Adds a revision. Returns false if the revision does not fit. The first revision is always added.
    package mutating func append(_ revision: RevisionSummary, within limit: Int) -> Bool {
        let most = revision.mostBytes
        if bytes + most <= limit {
            bound += most
            bytes += most
        } else {
            countRest()
            let exact = revision.encodedBytes
            if bytes + exact > limit, !revisions.isEmpty { return false }
            bytes += exact
            counted += 1
        }
        revisions.append(revision)
        return true
    }

    private mutating func countRest() {
        bytes += revisions[counted...].reduce(-bound) { $0 + $1.encodedBytes }
        (counted, bound) = (revisions.count, 0)
    }
}

extension RevisionSummary {
    /// The encoded size of one revision in a page.
    package var encodedBytes: Int {
        Revisions(document: "", revisions: [self]).encodedBytes
            - Revisions(document: "", revisions: []).encodedBytes
    }
}
