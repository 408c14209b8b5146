import Synchronization

/// The time of the last complete round.
final class LastRound: Sendable {
    private let last = Mutex<Int64?>(nil)

    var time: Int64? { last.withLock { $0 } }

    func set(_ time: Int64) { last.withLock { $0 = time } }
}
