package import CaretCore

/// Chooses the segments to merge: neighbours of similar size, once there are many of them. So each revision
/// is compressed again only a few times.
package enum MergePlan {
    /// A merged segment of this size compresses well, and can still be read within about ten milliseconds.
    package static let mostChanges = 16_384
    package static let mostBytes = 256 << 10

    /// The segments to merge next; nil if nothing is due. `places` must be all segments of the document, in
    /// order. Segments before and after the newest snapshot are never merged with each other, because reading
    /// the text starts at the snapshot.
    package static func next(
        _ places: [SegmentPlace], behind snapshot: Revision, isIdle: Bool
    ) -> ArraySlice<SegmentPlace>? {
        let edge = places.firstIndex { $0.last > snapshot } ?? places.endIndex
        return next(places[..<edge], isClosed: true, isIdle: isIdle)
            ?? next(places[edge...], isClosed: false, isIdle: isIdle)
    }

    /// `isClosed`: no more segments are appended to these. Then even a few loose segments are merged, because
    /// otherwise they would stay between merged ones for ever.
    private static func next(
        _ places: ArraySlice<SegmentPlace>, isClosed: Bool, isIdle: Bool
    ) -> ArraySlice<SegmentPlace>? {
        let loose = isClosed ? 2 : isIdle ? UpkeepPolicy.fanOutWhenIdle : UpkeepPolicy.loose
        for run in runs(of: places, where: \.isLoose)
        where run.count >= loose || isClosed && run.contains(where: isWhole) {
            return fitting(run)
        }
        let fanOut = isIdle ? UpkeepPolicy.fanOutWhenIdle : UpkeepPolicy.fanOut
        for run in runs(of: places, where: { (isClosed || !$0.isLoose) && !isWhole($0) })
        where run.count >= fanOut {
            for start in run.indices.dropLast(fanOut - 1) {
                let joined = fitting(run[start..<start + fanOut])
                if isWorthwhile(joined) { return joined }
            }
        }
        return nil
    }

    /// Whether the segment is large enough to stay as it is.
    private static func isWhole(_ place: SegmentPlace) -> Bool {
        place.changes >= mostChanges / 2 || place.bytes >= mostBytes / 2
    }

    /// Whether the largest segment is at most as large as all the others together. Then each merge at least
    /// doubles the size of the segment that a revision is in, so a revision is merged only a few times.
    private static func isWorthwhile(_ joined: ArraySlice<SegmentPlace>) -> Bool {
        let largest = joined.map(\.changes).max() ?? 0
        return joined.count > 1 && 2 * largest <= joined.reduce(0) { $0 + $1.changes }
    }

    /// The longest runs of neighbours for which `holds` is true.
    private static func runs(
        of places: ArraySlice<SegmentPlace>, where holds: (SegmentPlace) -> Bool
    ) -> [ArraySlice<SegmentPlace>] {
        places.split { !holds($0) }
    }

    /// As many segments from the beginning as fit into one, but at least one.
    private static func fitting(_ run: ArraySlice<SegmentPlace>) -> ArraySlice<SegmentPlace> {
        var (changes, bytes) = (0, 0)
        let count = run.prefix(UpkeepPolicy.joinedAtOnce).prefix { place in
            changes += place.changes
            bytes += place.bytes
            return changes <= mostChanges && bytes <= mostBytes
        }.count
        return run.prefix(max(count, 1))
    }
}
