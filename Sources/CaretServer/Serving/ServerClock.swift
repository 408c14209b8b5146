/// The time of the values, in milliseconds since 1970: that of the wall when the server began, and what has passed
/// since by the clock that only goes forward.
struct ServerClock: Sendable {
    /// Nanoseconds from the beginning of the steady clock to 1970, below zero for all that begins later.
    private let offset: Int64
    private let steady: @Sendable () -> Moment
    /// When the server began.
    let start: Int64

    init(steady: @escaping @Sendable () -> Moment = { .now }) {
        let wall = Int64(SystemClock.wall.nanoseconds)
        offset = wall - Int64(steady().nanoseconds)
        self.steady = steady
        start = wall / 1_000_000
    }

    var moment: Moment { steady() }
    var now: Int64 { time(at: moment) }

    func time(at moment: Moment) -> Int64 { (Int64(moment.nanoseconds) + offset) / 1_000_000 }

    /// The first moment of a millisecond.
    func moment(of time: Int64) -> Moment {
        Moment(nanoseconds: UInt64(max(0, time * 1_000_000 - offset)))
    }
}
