/// Decides whether a room waits a moment for more pushes, so that they share one commit.
///
/// Some writers push again as soon as they have the ack of their last push. Without a wait, the pushes of two
/// such writers would alternate: each arrives while the other one is being committed, so each needs a commit
/// of its own. So after a commit, the room expects a push from each writer who gets an ack now. It waits only
/// for these, and only right after the commit. If waits are in vain, it leaves out most of them. A writer who is
/// alone never waits. People who type are too slow to wait.
package struct CommitSharing: Equatable, Sendable {
    package enum Decision: Equatable, Sendable {
        case append
        /// Begin to wait. The caller must call `waitEnded` when the longest time of a wait has passed.
        case beginWait
        /// Continue to wait.
        case wait
    }

    private enum Phase: Equatable {
        case ready
        /// A commit has ended at this time, and this number of pushes is expected. It includes the pushes that
        /// are ready.
        case expecting(pushes: Int, since: Int64)
        /// The room waits for this number of pushes. Some of them were ready when the wait began.
        case waiting(pushes: Int, readyBefore: Int)
    }

    private var phase = Phase.ready
    /// How many waits in a row have brought too few pushes.
    private var vainWaits = 0
    /// How many of the next waits are left out, because the last ones were in vain.
    private var leftOut = 0

    /// A push that arrives later than this after a commit, in milliseconds, does not wait.
    private static let mostDelay: Int64 = 1
    private static let mostVainWaits = 6

    package init() {}

    package var isWaiting: Bool { if case .waiting = phase { true } else { false } }

    /// A segment was committed. `pushes` is the number of pushes that are expected soon, including those that are
    /// ready.
    package mutating func committed(expecting pushes: Int, at now: Int64) {
        phase = pushes > 1 ? .expecting(pushes: pushes, since: now) : .ready
    }

    /// Decides what happens to the pushes that are ready.
    package mutating func decide(ready: Int, at now: Int64) -> Decision {
        switch phase {
        case .ready: return .append
        case .expecting(let pushes, let since):
            if ready < pushes, now - since <= CommitSharing.mostDelay {
                if leftOut == 0 {
                    phase = .waiting(pushes: pushes, readyBefore: ready)
                    return .beginWait
                }
                leftOut -= 1
            }
        case .waiting(let pushes, _):
            if ready < pushes { return .wait }
            vainWaits = 0
        }
        phase = .ready
        return .append
    }

    /// The longest time of a wait has passed. A wait that has brought less than half of the missing pushes was
    /// in vain. Each further vain wait doubles the number of waits that are left out.
    package mutating func waitEnded(ready: Int) {
        guard case .waiting(let pushes, let readyBefore) = phase else { return }
        phase = .ready
        if (ready - readyBefore) * 2 >= pushes - readyBefore {
            vainWaits = 0
        } else {
            vainWaits = min(vainWaits + 1, CommitSharing.mostVainWaits)
            leftOut = 1 << vainWaits
        }
    }
}
