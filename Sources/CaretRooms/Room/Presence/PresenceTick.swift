/// Decides when a room sends presence: at once after a quiet time, and otherwise once in each interval.
///
/// Without this, each selection would be sent to each session, so the number of messages would grow with the
/// square of the number of people. With it, a session gets at most one message about each other session in an
/// interval.
package struct PresenceTick: Equatable, Sendable {
    package enum Decision: Equatable, Sendable {
        /// No presence waits.
        case nothing
        /// Send all presence that waits. If anything was sent, the caller must call `sent`.
        case send
        /// Ask again at this time.
        case wait(until: Int64)
    }

    /// Whether a session may lack presence that it could be sent.
    package private(set) var isWaiting = false
    /// The earliest time at which presence may be sent again.
    package private(set) var next = Int64.min

    package init() {}

    /// A session may lack presence that it could be sent.
    package mutating func wait() { isWaiting = true }

    /// Decides what happens to the presence that waits.
    package mutating func decide(at now: Int64) -> Decision {
        if !isWaiting { return .nothing }
        if now < next { return .wait(until: next) }
        isWaiting = false
        return .send
    }

    /// The presence that waited was sent.
    package mutating func sent(at now: Int64, every milliseconds: Int) { next = now + Int64(milliseconds) }
}
