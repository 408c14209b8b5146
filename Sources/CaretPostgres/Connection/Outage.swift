/// A time in which PostgreSQL cannot be reached. It begins with the first attempt to connect that fails. The loss of a
/// connection does not begin it, because PostgreSQL may run again when the connection is needed.
package struct Outage {
    private let began: ContinuousClock.Instant
    private let patience: Duration
    private var pause = Duration.milliseconds(50)
    /// When a call may try to connect again.
    package private(set) var nextAttempt: ContinuousClock.Instant

    private static let longestPause = Duration.seconds(1)

    package init(since began: ContinuousClock.Instant, patience: Duration) {
        self.began = began
        nextAttempt = began
        self.patience = patience
    }

    package mutating func attemptFailed(at now: ContinuousClock.Instant) {
        nextAttempt = now + pause
        pause = min(pause * 2, Outage.longestPause)
    }

    /// Whether calls no longer wait for its end.
    package func isLong(at now: ContinuousClock.Instant) -> Bool { now - began >= patience }
}
