package import CaretWire

/// Revisions that are told in one answer, as many as fit.
///
/// How many bytes they take is bounded as long as that will do: to count them is to write them, once more than the answer
/// does.
package struct HistoryPage: Equatable, Sendable {
    package private(set) var revisions: [RevisionSummary] = []
    /// What they take at most.
    private var bytes = 0
    /// Of the first so many it is counted, and of the rest bounded by so much.
    private var counted = 0
    private var bound = 0

    package init() {}

    /// Takes a revision in; false where it does not fit any more, which the first one always does.
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
    /// As it stands in a page.
    package var encodedBytes: Int {
        Revisions(document: "", revisions: [self]).encodedBytes
            - Revisions(document: "", revisions: []).encodedBytes
    }
}
