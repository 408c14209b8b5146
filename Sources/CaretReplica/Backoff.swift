/// How long to wait before the next attempt, after several failed attempts in a row.
package struct Backoff: Equatable, Sendable {
    /// The shortest and the longest delay. Half a second gives the server time to recover, and users hardly
    /// notice it. A user should not wait longer than half a minute for the next attempt.
    package static let (first, longest): (Milliseconds, Milliseconds) = (500, 30_000)
    /// The longest delay that the server can request. If the server requests a longer delay, the client waits
    /// only this long: the request may be a mistake, and a user is waiting.
    package static let longestRequested: Milliseconds = 300_000

    private(set) var failures = 0

    package init() {}

    /// Counts a failed attempt, and returns the delay before the next attempt. The delay is `requested`, or
    /// else twice the previous delay.
    package mutating func nextDelay(requested: Milliseconds? = nil) -> Milliseconds {
        // The seventh delay is the longest one, so counting further is of no use.
        failures = min(failures + 1, 7)
        if let requested { return min(max(requested, 1), Backoff.longestRequested) }
        return min(Milliseconds(Backoff.first.value << (failures - 1)), Backoff.longest)
    }

    package mutating func reset() { failures = 0 }
}
