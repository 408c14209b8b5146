package import CaretCore

/// Chooses the segments to merge: successive segments of similar size, once there are many of them. So each
/// revision is compressed again only a few times.
package enum MergePlan {
    /// A merged segment of this size compresses well, and can still be read within about ten milliseconds.
    package static let mostChanges = 16_384
    package static let mostBytes = 256 << 10

    /// The segments to merge next; nil if no merge is due. `summaries` must be all segments of the document,
    /// in order. Segments before and after the newest snapshot are never merged with each other, because
    /// reading the text starts at the snapshot.
    package static func next(
        _ summaries: [SegmentSummary], after snapshot: Revision, isIdle: Bool
    ) -> ArraySlice<SegmentSummary>? {
        let edge = summaries.firstIndex { $0.last > snapshot } ?? summaries.endIndex
        return next(summaries[..<edge], isClosed: true, isIdle: isIdle)
            ?? next(summaries[edge...], isClosed: false, isIdle: isIdle)
    }

    /// `isClosed` means that no more segments will be added after `summaries`. In this case, even a few
    /// unmerged segments are merged, because otherwise they would never be merged.
    private static func next(
        _ summaries: ArraySlice<SegmentSummary>, isClosed: Bool, isIdle: Bool
    ) -> ArraySlice<SegmentSummary>? {
        let limit = isClosed ? 2 : isIdle ? UpkeepPolicy.fanOutWhenIdle : UpkeepPolicy.unmergedLimit
        for run in runs(of: summaries, where: \.isUnmerged)
        where run.count >= limit || isClosed && run.contains(where: isWhole) {
            return fitting(run)
        }
        let fanOut = isIdle ? UpkeepPolicy.fanOutWhenIdle : UpkeepPolicy.fanOut
        for run in runs(of: summaries, where: { (isClosed || !$0.isUnmerged) && !isWhole($0) })
        where run.count >= fanOut {
            for start in run.indices.dropLast(fanOut - 1) {
                let joined = fitting(run[start..<start + fanOut])
                if isWorthwhile(joined) { return joined }
            }
        }
        return nil
    }

    /// Whether the segment is large enough to stay as it is.
    private static func isWhole(_ summary: SegmentSummary) -> Bool {
        summary.changes >= mostChanges / 2 || summary.bytes >= mostBytes / 2
    }

    /// Whether the largest segment is at most as large as all other segments together. If so, each merge at
    /// least doubles the size of a revision's segment, so a revision is merged only a few times.
    private static func isWorthwhile(_ joined: ArraySlice<SegmentSummary>) -> Bool {
        let largest = joined.map(\.changes).max() ?? 0
        return 2 * largest <= joined.reduce(0) { $0 + $1.changes }
    }

    /// The longest runs of successive segments for which `holds` is true.
    private static func runs(
        of summaries: ArraySlice<SegmentSummary>, where holds: (SegmentSummary) -> Bool
    ) -> [ArraySlice<SegmentSummary>] {
        summaries.split { !holds($0) }
    }

    /// As many segments from the beginning of `run` as fit into one merged segment, but at least one.
    private static func fitting(_ run: ArraySlice<SegmentSummary>) -> ArraySlice<SegmentSummary> {
        var (changes, bytes) = (0, 0)
        let count = run.prefix(UpkeepPolicy.segmentsAtOnce).prefix { summary in
            changes += summary.changes
            bytes += summary.bytes
            return changes <= mostChanges && bytes <= mostBytes
        }.count
        return run.prefix(max(count, 1))
    }
}
