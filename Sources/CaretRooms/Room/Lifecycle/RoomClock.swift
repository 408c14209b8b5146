/// The current time in a room, and the time of its next due work.
struct RoomClock: Sendable {
    private(set) var now: Int64
    private var due: Int64?
    /// The time of the `wake` that the room has requested; nil if there is none.
    private var requestedWake: Int64?

    init(now: Int64) { self.now = now }

    mutating func schedule(at time: Int64) { due = min(due ?? time, time) }

    /// Sets the current time. Returns true if something is due.
    mutating func advance(to time: Int64) -> Bool {
        now = max(now, time)
        if let requestedWake, requestedWake <= now { self.requestedWake = nil }
        let isDue = due ?? .max <= now
        if isDue { due = nil }
        return isDue
    }

    /// Whether the room has requested a `wake` at this time or earlier.
    func wakes(by time: Int64) -> Bool { requestedWake ?? .max <= time }

    /// The time at which the room must be woken; nil if that was requested already.
    mutating func takeWake() -> Int64? {
        guard let due, due < requestedWake ?? .max else { return nil }
        requestedWake = due
        return due
    }
}
