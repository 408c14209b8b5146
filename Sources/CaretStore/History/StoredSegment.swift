import CaretCore
import CaretLog

/// A row of `segment` with its bytes read, but nothing of it checked yet.
struct StoredSegment {
    static let columns = "id, first, last, body, before, after"

    let row: Int64
    let segment: Segment
    /// The last revision, as the row has it.
    let last: Revision
    /// The chain in front of the first change and behind the last one.
    let before: Chain
    let after: Chain

    /// Whether its changes lead from the one chain value to the other, and are as many as the row says.
    var isSound: Bool {
        before.extended(by: segment.changes[...], from: segment.first) == after && segment.last == last
    }
}
