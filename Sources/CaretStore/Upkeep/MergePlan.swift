package import CaretCore

/// Which segments are joined: neighbours of about one size, once there are many of them, so that each revision is packed
/// anew only a few times.
package enum MergePlan {
    /// A block that packs well, and can still be read within some ten milliseconds.
    package static let mostChanges = 16_384
    package static let mostBytes = 256 << 10

    /// The segments to be joined next; nil where nothing is due. `places` are all of a document in their order. None
    /// are joined over the newest snapshot: what is behind it is read alone.
    package static func next(
        _ places: [SegmentPlace], behind snapshot: Revision, isIdle: Bool
    ) -> ArraySlice<SegmentPlace>? {
        let edge = places.firstIndex { $0.last > snapshot } ?? places.endIndex
        return next(places[..<edge], isClosed: true, isIdle: isIdle)
            ?? next(places[edge...], isClosed: false, isIdle: isIdle)
    }

    /// `isClosed`: nothing is appended to them any more. Then a few loose ones need not wait for others, lest they
    /// stand between merged ones for ever.
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

    /// Whether it stays as it is.
    private static func isWhole(_ place: SegmentPlace) -> Bool {
        place.changes >= mostChanges / 2 || place.bytes >= mostBytes / 2
    }

    /// The largest is no more than all the others together: whatever is packed anew is then in a block of twice the
    /// size at least, which can happen to a revision only so often.
    private static func isWorthwhile(_ joined: ArraySlice<SegmentPlace>) -> Bool {
        let largest = joined.map(\.changes).max() ?? 0
        return joined.count > 1 && 2 * largest <= joined.reduce(0) { $0 + $1.changes }
    }

    /// The longest runs of neighbours of which this holds.
    private static func runs(
        of places: ArraySlice<SegmentPlace>, where holds: (SegmentPlace) -> Bool
    ) -> [ArraySlice<SegmentPlace>] {
        places.split { !holds($0) }
    }

    /// As many from the beginning as one block may hold, but at least one.
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
