package import FoundationEssentials

/// Numbers for pushes of whole texts.
// They begin with the time, so that a client that is started again with its old id, and nothing else, uses none twice.
struct PushNumbers: Sendable {
    private var last = 0

    mutating func next(at time: Date) -> Int {
        last = max(last + 1, time.milliseconds)
        return last
    }
}

extension Date {
    /// Since 1970, as the wire counts.
    package var milliseconds: Int { Int((timeIntervalSince1970 * 1_000).rounded()) }

    package init(milliseconds: Int) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}
