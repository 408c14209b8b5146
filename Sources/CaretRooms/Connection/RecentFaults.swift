import CaretWire

/// The times when a connection recently sent lines that could not be understood.
struct RecentFaults: Equatable, Sendable {
    private var times: [Int64] = []

    /// Counts a faulty line. Returns true if the connection has reached the limit.
    mutating func add(at now: Int64, limits: Limits) -> Bool {
        let since = now - Int64(limits.faultSeconds) * 1_000
        times.removeAll { $0 < since }
        times.append(now)
        return times.count >= limits.faults
    }
}
