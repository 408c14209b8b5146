/// Limits how many pushes a connection may send a second. A burst may have twice as many pushes.
struct PushRate: Equatable, Sendable {
    let perSecond: Int
    /// How many pushes may be sent now, in thousandths of a push.
    private var left: Int
    private var refilledAt: Int64

    init(perSecond: Int, at now: Int64) {
        self.perSecond = perSecond
        left = 2 * perSecond * 1_000
        refilledAt = now
    }

    /// Counts a push. If the push exceeds the limit, it is not counted, and the result is the number of
    /// milliseconds to wait.
    mutating func countPush(at now: Int64) -> Int? {
        // Each millisecond adds `perSecond` thousandths of a push.
        let passed = Int(min(max(0, now - refilledAt), 2_000))
        left = min(left + passed * perSecond, 2 * perSecond * 1_000)
        refilledAt = max(refilledAt, now)
        if left >= 1_000 {
            left -= 1_000
            return nil
        }
        return (1_000 - left + perSecond - 1) / max(1, perSecond)
    }
}
