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
        var revision = Int64(segment.last.value)
        // Most segments that are not merged yet have one change.
        if segment.changes.count == 1, let only = segment.changes.first {
            newest[only.pusher] = Push(seq: only.seq, revision: revision, time: only.time)
            return
        }
        // Go backwards, so that each pusher is stored only once per segment.
        var seen: Set<Pusher> = []
        var last: Pusher?
        for change in segment.changes.reversed() {
            defer { revision -= 1 }
            // Successive changes mostly have the same pusher.
            if change.pusher == last { continue }
            last = change.pusher
            guard seen.insert(change.pusher).inserted else { continue }
            newest[change.pusher] = Push(seq: change.seq, revision: revision, time: change.time)
        }
    }
}
