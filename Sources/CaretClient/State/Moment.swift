package import CaretReplica

/// A point in time of a monotonic clock.
package struct Moment: Comparable, Hashable, Sendable {
    let milliseconds: Int

    package init(milliseconds: Int) {
        self.milliseconds = milliseconds
    }

    package static func < (left: Moment, right: Moment) -> Bool { left.milliseconds < right.milliseconds }

    package static func - (left: Moment, right: Moment) -> Milliseconds {
        Milliseconds(left.milliseconds - right.milliseconds)
    }

    package static func + (moment: Moment, span: Milliseconds) -> Moment {
        Moment(milliseconds: moment.milliseconds + span.value)
    }
}
