/// How many pushes a connection may send: so many a second, and twice that at once.
struct PushRate: Equatable, Sendable {
    let perSecond: Int
    /// In thousandths of a push.
    private var left: Int
    private var counted: Int64

    init(perSecond: Int, at now: Int64) {
        self.perSecond = perSecond
        left = 2 * perSecond * 1_000
        counted = now
    }

    /// Counts a push; where it is one too many, it is not counted, and so many milliseconds later one will not be.
    mutating func excess(at now: Int64) -> Int? {
        // A second refills as many thousandths a millisecond as there are pushes a second.
        let passed = Int(min(max(0, now - counted), 2_000))
        left = min(left + passed * perSecond, 2 * perSecond * 1_000)
        counted = max(counted, now)
        if left >= 1_000 {
            left -= 1_000
            return nil
        }
        return (1_000 - left + perSecond - 1) / max(1, perSecond)
    }
}
