import CaretReplica

/// A point of a clock that never goes back.
struct Moment: Comparable, Hashable, Sendable {
    let milliseconds: Int

    static func < (left: Moment, right: Moment) -> Bool { left.milliseconds < right.milliseconds }

    static func + (moment: Moment, span: Milliseconds) -> Moment {
        Moment(milliseconds: moment.milliseconds + span.value)
    }
}
