package import CaretCore
package import CaretLog

/// A decoded row of `segment`, not checked yet.
package struct StoredSegment {
    package let segment: Segment
    /// The last revision in the row.
    package let last: Revision
    /// The latest time of its changes, from the row. Trimming by time uses it.
    package let time: Int64
    /// The chain before the first change. `after` is the chain after the last change.
    package let before: Chain
    package let after: Chain

    package init(
        segment: Segment, last: Revision, time: Int64, before: Chain, after: Chain
    ) {
        self.segment = segment
        self.last = last
        self.time = time
        self.before = before
        self.after = after
    }

    /// Whether the changes give the chain `after` from `before`, and match `last` and `time`.
    package var isSound: Bool {
        before.extended(by: segment.changes[...], from: segment.first) == after && segment.last == last
            && segment.latestTime == time
    }

    /// A digest of all stored values of the segment. Two segments with the same digest are equally sound.
    package func fingerprint(_ body: [UInt8]) -> Digest {
        var sum = SHA256()
        for number in [segment.first.value, last.value] { sum.update(Int64(number)) }
        sum.update(time)
        sum.update(before.value)
        sum.update(after.value)
        sum.update(body)
        return sum.digest()
    }
}
