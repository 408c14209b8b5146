package import CaretWire

/// A page of revisions: as many as fit in one answer.
///
/// Uses an upper bound of the encoded size as long as that is enough. The exact size would require encoding,
/// once more than the answer does.
package struct HistoryPage: Equatable, Sendable {
    package private(set) var revisions: [RevisionSummary] = []
    /// An upper bound of their encoded size.
    private var bytes = 0
    /// The exact size of the first revisions, and how many they are. The rest is bounded.
    private var counted = 0
    private var bound = 0

    package init() {}

    /// Adds a revision. Returns false if it does not fit; the first one always does.
    package mutating func take(_ revision: RevisionSummary, within limit: Int) -> Bool {
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
    /// Its encoded size in a page.
    package var encodedBytes: Int {
        Revisions(document: "", revisions: [self]).encodedBytes
            - Revisions(document: "", revisions: []).encodedBytes
    }
}
