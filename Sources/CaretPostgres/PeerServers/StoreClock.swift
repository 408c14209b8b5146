import Synchronization

/// The time, in milliseconds since 1970. It is the machine's, unless PostgreSQL's differs by more than a minute. Then it
/// is PostgreSQL's: servers over one database must agree, and no revision gets an earlier time than the one before it.
final class StoreClock: Sendable {
    private let machine: @Sendable () -> Int64
    private let state = Mutex(State())

    private struct State {
        /// PostgreSQL's time, and when it was read; nil while the machine's is used.
        var anchor: (time: Int64, moment: ContinuousClock.Instant)?
        /// What the last comparison found.
        var difference = Difference.none
    }

    private enum Difference: Comparable {
        case none, noticed, corrected
    }

    /// Differences of more milliseconds than this are reported, and corrected.
    private static let (noticed, corrected): (Int64, Int64) = (5_000, 60_000)

    init(_ machine: @escaping @Sendable () -> Int64) { self.machine = machine }

    var now: Int64 {
        let anchor = state.withLock { $0.anchor }
        guard let anchor else { return machine() }
        return anchor.time + Int64((ContinuousClock.now - anchor.moment) / .milliseconds(1))
    }

    /// What the clock of the machine shows.
    var machineTime: Int64 { machine() }

    /// Compares the machine's time with PostgreSQL's, which was asked for when the machine showed `asked`. Returns by how
    /// much the machine is ahead, if that is more than the last comparison has shown.
    func compare(_ theirs: Int64, askedAt asked: Int64) -> Int64? {
        let now = machine()
        // The answer may have come late.
        let ahead = asked > theirs ? asked - theirs : now < theirs ? now - theirs : 0
        return state.withLock { state in
            let difference: Difference =
                abs(ahead) > StoreClock.corrected
                ? .corrected : abs(ahead) > StoreClock.noticed ? .noticed : .none
            defer { state.difference = difference }
            state.anchor = difference == .corrected ? (theirs, .now) : nil
            return difference > state.difference ? ahead : nil
        }
    }
}
