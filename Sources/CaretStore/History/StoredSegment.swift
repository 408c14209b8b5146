import CaretCore
import CaretLog

/// A row of `segment` with its bytes read, but nothing of it checked yet.
struct StoredSegment {
    static let columns = "id, first, last, body, before, after, time"

    let row: Int64
    let segment: Segment
    /// The last revision, as the row has it.
    let last: Revision
    /// The latest of its changes' times, as the row has it; trimming by time relies on it.
    let time: Int64
    /// The chain in front of the first change and behind the last one.
    let before: Chain
    let after: Chain

    /// Whether its changes lead from the one chain value to the other, and are as many and as late as the row says.
    var isSound: Bool {
        before.extended(by: segment.changes[...], from: segment.first) == after && segment.last == last
            && segment.latestTime == time
    }
}
