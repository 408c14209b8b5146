import CaretCore
import CaretLog

/// A row of `segment` without its content.
struct SegmentPlace: Equatable {
    let row: Int64
    let first: Revision
    let last: Revision
    /// As it is stored.
    let bytes: Int
    /// Stored as it was appended.
    let isLoose: Bool

    var changes: Int { last.value - first.value + 1 }
}

/// Which segments are joined: small ones once there are many of them, level by level, so that each revision is packed
/// anew only a few times.
enum MergePlan {
    /// A block that packs well, and can still be read within some ten milliseconds.
    static let mostChanges = 16_384
    static let mostBytes = 256 << 10

    private enum Level: Int {
        case loose
        case small
        case middle
        /// It stays as it is.
        case whole

        init(_ place: SegmentPlace) {
            if place.isLoose {
                self = .loose
            } else if place.changes >= mostChanges / 2 || place.bytes >= mostBytes / 2 {
                self = .whole
            } else {
                self = place.changes >= mostChanges / 16 ? .middle : .small
            }
        }

        /// So many in a row are joined.
        func fanOut(isIdle: Bool) -> Int {
            switch self {
            case .loose: isIdle ? UpkeepPolicy.looseWhenIdle : UpkeepPolicy.loose
            case .small, .middle, .whole: 16
            }
        }
    }

    /// The segments to be joined next; nil where nothing is due. `places` are neighbours in their order.
    static func next(_ places: ArraySlice<SegmentPlace>, isIdle: Bool) -> ArraySlice<SegmentPlace>? {
        for level in [Level.loose, .small, .middle] {
            var rest = places
            while let run = nextRun(in: &rest, upTo: level) {
                if run.count < level.fanOut(isIdle: isIdle) { continue }
                let fitting = fitting(run)
                // One alone is packed, where it was not; to pack it anew gains nothing.
                if fitting.count > 1 || fitting.first?.isLoose == true { return fitting }
            }
        }
        return nil
    }

    /// The first run of segments of this level or below, which is taken from `rest` with all before it.
    private static func nextRun(
        in rest: inout ArraySlice<SegmentPlace>, upTo level: Level
    ) -> ArraySlice<SegmentPlace>? {
        let start = rest.drop { Level($0).rawValue > level.rawValue }
        let run = start.prefix { Level($0).rawValue <= level.rawValue }
        rest = start.dropFirst(run.count)
        return run.isEmpty ? nil : run
    }

    /// As many from the beginning as one block may hold, but at least one.
    private static func fitting(_ run: ArraySlice<SegmentPlace>) -> ArraySlice<SegmentPlace> {
        var (changes, bytes) = (0, 0)
        let count = run.prefix { place in
            changes += place.changes
            bytes += place.bytes
            return changes <= mostChanges && bytes <= mostBytes
        }.count
        return run.prefix(max(count, 1))
    }
}

/// One segment in the place of several.
struct Replacement {
    let document: DocumentID
    let old: [SegmentPlace]
    let new: EncodedSegment

    /// How many of the old ones were as they were appended.
    var loose: Int { old.count { $0.isLoose } }
}
