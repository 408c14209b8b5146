package import CaretCore
package import CaretLog

/// A segment encoded for its row.
package struct EncodedSegment {
    package let first: Revision
    package let last: Revision
    /// The latest time of its changes.
    package let time: Int64
    package let body: [UInt8]
    package let before: Chain
    package let after: Chain

    /// `authors` has the number of each change's pusher. `columns` is only memory to reuse.
    package init(
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
    package var latestTime: Int64 { changes.reduce(.min) { max($0, $1.time) } }
}
