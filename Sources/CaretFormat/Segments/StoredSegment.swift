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

    /// The changes of a sound segment after revision `at`, up to revision `end`. Nil if they do not continue a history that
    /// has this chain at revision `at`.
    func changes(after at: Revision, _ chain: Chain, through end: Revision) -> ArraySlice<LoggedChange>? {
        guard segment.first <= at.next, at <= end else { return nil }
        let new = segment.changes.dropFirst(at.value + 1 - segment.first.value).prefix(end.value - at.value)
        let known = segment.changes[..<new.startIndex]
        return before.extended(by: known, from: segment.first) == chain ? new : nil
    }

    /// The chain after changes of the segment, if the chain before them is `chain`.
    func chain(after new: ArraySlice<LoggedChange>, from chain: Chain) -> Chain {
        if new.endIndex == segment.changes.endIndex { return after }
        return chain.extended(by: new, from: Revision(segment.first.value + new.startIndex))
    }
}
