/// The time in milliseconds since 1970: the wall clock's when the server started, plus what has passed since
/// by a clock that never goes back.
package struct ServerClock: Sendable {
    /// Milliseconds from 1970 to the start of the steady clock.
    private let offset: Int64
    private let steady: @Sendable () -> Moment
    /// When the server started.
    package let start: Int64

    /// `wall` is in milliseconds since 1970. If it is before that, or too large for the wire, the nearest
    /// valid time is used.
    package init(
        wall: Int64 = SystemClock.wall.milliseconds, steady: @escaping @Sendable () -> Moment = { .now }
    ) {
        start = min(max(wall, 0), ServerClock.latest)
        offset = start - Int64(steady().nanoseconds / 1_000_000)
        self.steady = steady
    }

    /// About nine thousand years from now, well below the largest number of the wire.
    private static let latest: Int64 = 1 << 48

    var moment: Moment { steady() }
    package var now: Int64 { time(at: moment) }

    package func time(at moment: Moment) -> Int64 { Int64(moment.nanoseconds / 1_000_000) + offset }

    /// The first moment of a millisecond.
    package func moment(of time: Int64) -> Moment {
        // Deadlines are always within these bounds, in which no number overflows.
        let steady = min(max(0, time), 1 << 60) - offset
        return Moment(nanoseconds: UInt64(min(max(0, steady), 1 << 43)) * 1_000_000)
    }
}
