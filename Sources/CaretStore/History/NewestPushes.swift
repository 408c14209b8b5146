import CaretCore
import CaretLog

/// The last push of each pusher, as segments have it, to be compared with the rows of `pusher`.
struct NewestPushes {
    struct Push: Equatable {
        let seq: Int64
        let revision: Int64
        let time: Int64
    }

    private(set) var newest: [Pusher: Push] = [:]

    /// Takes in a segment that follows those before.
    mutating func add(_ segment: Segment) {
        var revision = Int64(segment.last.value)
        // The segments that were written last and not merged yet have one change each.
        if segment.changes.count == 1, let only = segment.changes.first {
            newest[only.pusher] = Push(seq: only.seq, revision: revision, time: only.time)
            return
        }
        // From the last one back, so that each pusher is written down once a segment.
        var seen: Set<Pusher> = []
        var last: Pusher?
        for change in segment.changes.reversed() {
            defer { revision -= 1 }
            // Whoever pushes mostly pushes several.
            if change.pusher == last { continue }
            last = change.pusher
            guard seen.insert(change.pusher).inserted else { continue }
            newest[change.pusher] = Push(seq: change.seq, revision: revision, time: change.time)
        }
    }
}
