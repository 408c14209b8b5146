import CaretCore
import CaretLog

/// A segment encoded for its row.
struct EncodedSegment {
    let first: Revision
    let last: Revision
    /// The latest time of its changes.
    let time: Int64
    let body: [UInt8]
    let before: Chain
    let after: Chain

    /// `authors` has the number of each change's pusher. `columns` is only memory to reuse.
    init(
        _ segment: Segment, after before: Chain, packing: SegmentFormat.Packing, authors: [Int64],
        in columns: inout SegmentColumns
    ) {
        first = segment.first
        last = segment.last
        time = segment.latestTime
        self.before = before
        after = before.extended(by: segment.changes[...], from: segment.first)
        body = SegmentFormat.encoded(segment.changes, packing: packing, authors: authors, in: &columns)
    }
}

extension Segment {
    /// The latest time of its changes.
    var latestTime: Int64 { changes.reduce(.min) { max($0, $1.time) } }
}
