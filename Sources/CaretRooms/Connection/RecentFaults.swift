import CaretWire

/// When a connection sent lines that say nothing, as far back as they count.
struct RecentFaults: Equatable, Sendable {
    private var times: [Int64] = []

    /// Counts one; true where it is one too many.
    mutating func add(at now: Int64, limits: Limits) -> Bool {
        let since = now - Int64(limits.faultSeconds) * 1_000
        times.removeAll { $0 < since }
        times.append(now)
        return times.count >= limits.faults
    }
}
