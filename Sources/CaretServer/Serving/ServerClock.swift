/// The time in milliseconds since 1970. It is the wall clock's time at the start of the server, plus the time
/// that a steady clock has counted since. So it never goes back.
package struct ServerClock: Sendable {
    /// Milliseconds from 1970 to the zero of the steady clock.
    private let offset: Int64
    private let steady: @Sendable () -> Moment
    private let readWall: @Sendable () -> Int64
    /// When the server started.
    package let start: Int64

    /// `wall` returns milliseconds since 1970. If it is negative or too large for the protocol, the nearest
    /// valid time is used.
    package init(
        wall: @escaping @Sendable () -> Int64,
        steady: @escaping @Sendable () -> Moment = { .now }
    ) {
        readWall = wall
        start = ServerClock.valid(wall())
        offset = start - Int64(steady().nanoseconds / 1_000_000)
        self.steady = steady
    }

    /// About nine thousand years from now, well below the largest integer of the protocol.
    private static let latest: Int64 = 1 << 48

    private static func valid(_ time: Int64) -> Int64 { min(max(time, 0), latest) }

    /// What the wall clock shows now, if it was set since the start.
    var wall: Int64 { ServerClock.valid(readWall()) }
    var moment: Moment { steady() }
    package var now: Int64 { time(at: moment) }

    package func time(at moment: Moment) -> Int64 { Int64(moment.nanoseconds / 1_000_000) + offset }

    /// The moment at which this millisecond begins.
    package func moment(of time: Int64) -> Moment {
        // All deadlines are within these bounds. Within them no computation overflows.
        let steady = min(max(0, time), 1 << 60) - offset
        return Moment(nanoseconds: UInt64(min(max(0, steady), 1 << 43)) * 1_000_000)
    }
}
