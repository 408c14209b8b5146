import Synchronization

/// Limits how often something happens: at most once per pause, and not before the first pause is over.
package final class Throttle: Sendable {
    private let pause: UInt64
    private let now: @Sendable () -> Moment
    private let next: Mutex<UInt64>

    /// `pause` is in nanoseconds.
    package init(pause: UInt64, now: @escaping @Sendable () -> Moment = { .now }) {
        self.pause = pause
        self.now = now
        next = Mutex(now().nanoseconds + pause)
    }

    /// Returns true if the pause is over. The next pause then begins.
    package func isDue() -> Bool {
        let time = now().nanoseconds
        return next.withLock { next in
            if time < next { return false }
            next = time + pause
            return true
        }
    }
}
