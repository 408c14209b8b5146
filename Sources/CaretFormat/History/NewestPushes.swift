import CaretCore
package import CaretLog

/// The last push of each pusher in some segments, for a comparison with the rows of `pusher`.
package struct NewestPushes {
    package struct Push: Equatable {
        package let seq: Int64
        package let revision: Int64
        package let time: Int64

        package init(seq: Int64, revision: Int64, time: Int64) {
            self.seq = seq
            self.revision = revision
            self.time = time
        }
    }

    package private(set) var newest: [Pusher: Push] = [:]

    package init() {}

    /// Adds a segment, which must follow the segments added before.
    package mutating func add(_ segment: Segment) {
        let changes = segment.changes
        for (index, change) in changes.enumerated() {
            // Successive changes mostly have the same pusher, so store only the last of them.
            if index + 1 < changes.count, changes[index + 1].pusher == change.pusher { continue }
            newest[change.pusher] = Push(
                seq: change.seq, revision: Int64(segment.first.value + index), time: change.time)
        }
    }
}
