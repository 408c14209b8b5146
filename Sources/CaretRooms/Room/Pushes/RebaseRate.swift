import CaretLog

/// Limits how many steps of rebasing the pushes of each user take. Each user has `limit` steps; spent ones come back
/// within `seconds`.
///
/// It counts users and not clients or connections, because a client that connects again with another id is the same
/// user.
struct RebaseRate: Equatable, Sendable {
    private struct Account: Equatable {
        var left: Int
        var time: Int64
    }

    private let limit: Int
    private let seconds: Int
    /// The users who have spent steps lately.
    private var accounts: [ByteString: Account] = [:]

    init(limit: Int, seconds: Int) { (self.limit, self.seconds) = (limit, seconds) }

    /// Counts the steps of a push, which are at most `limit`. If they exceed what its user has left, they are not
    /// counted, and the result is the number of milliseconds to wait.
    mutating func count(_ steps: Int, of user: ByteString, at now: Int64) -> Int? {
        accounts = accounts.filter { stepsLeft(in: $0.value, at: now) < limit }
        let left = accounts[user].map { stepsLeft(in: $0, at: now) } ?? limit
        if steps > left { return ((steps - left) * seconds * 1_000 + limit - 1) / limit }
        accounts[user] = Account(left: left - steps, time: now)
        return nil
    }

    private func stepsLeft(in account: Account, at now: Int64) -> Int {
        let passed = Int(min(max(0, now - account.time), Int64(seconds) * 1_000))
        return min(limit, account.left + passed * limit / (seconds * 1_000))
    }
}
