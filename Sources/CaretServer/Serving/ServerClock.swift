/// The time of the values, in milliseconds since 1970: that of the wall when the server began, and what has passed
/// since by the clock that only goes forward.
package struct ServerClock: Sendable {
    /// Milliseconds from 1970 to the beginning of the steady clock.
    private let offset: Int64
    private let steady: @Sendable () -> Moment
    /// When the server began.
    package let start: Int64

    /// `wall` is in milliseconds since 1970. A wall clock that stands before that, or beyond what the wire has numbers
    /// for, is taken for one that stands at that edge.
    package init(
        wall: Int64 = SystemClock.wall.milliseconds, steady: @escaping @Sendable () -> Moment = { .now }
    ) {
        start = min(max(wall, 0), ServerClock.latest)
        offset = start - Int64(steady().nanoseconds / 1_000_000)
        self.steady = steady
    }

    /// Some nine thousand years from now, which leaves room below the largest number of the wire.
    private static let latest: Int64 = 1 << 48

    var moment: Moment { steady() }
    package var now: Int64 { time(at: moment) }

    package func time(at moment: Moment) -> Int64 { Int64(moment.nanoseconds / 1_000_000) + offset }

    /// The first moment of a millisecond.
    package func moment(of time: Int64) -> Moment {
        // No deadline is as far off as the bounds, within which no number is too large.
        let steady = min(max(0, time), 1 << 60) - offset
        return Moment(nanoseconds: UInt64(min(max(0, steady), 1 << 43)) * 1_000_000)
    }
}
