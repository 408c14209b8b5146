import CaretCore
import CaretLog

/// A decoded row of `segment`, not checked yet.
struct StoredSegment {
    static let columns = "id, first, last, body, before, after, time"

    let row: Int64
    let segment: Segment
    /// The last revision in the row.
    let last: Revision
    /// The latest time of its changes, from the row. Trimming by time uses it.
    let time: Int64
    /// The chain before the first change. `after` is the chain after the last change.
    let before: Chain
    let after: Chain

    /// Whether the changes give the chain `after` from `before`, and match `last` and `time`.
    var isSound: Bool {
        before.extended(by: segment.changes[...], from: segment.first) == after && segment.last == last
            && segment.latestTime == time
    }

    /// A digest of all stored values of the segment. Two segments with the same digest are equally sound.
    func fingerprint(_ body: [UInt8]) -> Digest {
        var sum = SHA256()
        for number in [segment.first.value, last.value] { sum.update(Int64(number)) }
        sum.update(time)
        sum.update(before.value)
        sum.update(after.value)
        sum.update(body)
        return sum.digest()
    }
}
