import CaretCore
import CaretLog

/// The last push of each pusher in some segments, for a comparison with the rows of `pusher`.
struct NewestPushes {
    struct Push: Equatable {
        let seq: Int64
        let revision: Int64
        let time: Int64
    }

    private(set) var newest: [Pusher: Push] = [:]

    /// Adds a segment, which must follow the segments added before.
    mutating func add(_ segment: Segment) {
        let changes = segment.changes
        for (index, change) in changes.enumerated() {
            // Successive changes mostly have the same pusher, so store only the last of them.
            if index + 1 < changes.count, changes[index + 1].pusher == change.pusher { continue }
            newest[change.pusher] = Push(
                seq: change.seq, revision: Int64(segment.first.value + index), time: change.time)
        }
    }
}
