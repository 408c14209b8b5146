package import CaretWire

/// A page of revisions: as many as fit in one answer.
///
/// It uses an upper bound of the encoded size as long as the page has enough space. The exact size would
/// require encoding every revision twice.
package struct HistoryPage: Equatable, Sendable {
    package private(set) var revisions: [RevisionSummary] = []
    /// An upper bound of the encoded size of `revisions`.
    private var bytes = 0
    /// `bytes` has the exact size of the first `counted` revisions. For the others it has an upper bound,
    /// which is `bound`.
    private var counted = 0
    private var bound = 0

    package init() {}

    /// Adds a revision. Returns false if it does not fit. The first one is always added.
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
