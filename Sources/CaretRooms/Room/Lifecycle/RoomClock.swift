/// The time in a room, and when something is due next.
struct RoomClock: Sendable {
    private(set) var now: Int64
    private var due: Int64?
    /// When the room asked to be woken.
    private var asked: Int64?

    init(now: Int64) { self.now = now }

    mutating func needs(at time: Int64) { due = min(due ?? time, time) }

    /// Sets the current time. Returns true if something is due.
    mutating func passed(to time: Int64) -> Bool {
        now = max(now, time)
        if let asked, asked <= now { self.asked = nil }
        guard let due, due <= now else { return false }
        self.due = nil
        return true
    }

    /// When the room must be woken; nil if that was requested already.
    mutating func wake() -> Int64? {
        guard let due, due < asked ?? .max else { return nil }
        asked = due
        return due
    }
}
