package import FoundationEssentials

/// The numbers for pushes of full texts.
// They start at the present time in milliseconds. So a client that restarts with its old id, and remembers nothing
// else, does not reuse a number.
struct PushNumbers: Sendable {
    private var last = 0

    mutating func next(at time: Date) -> Int {
        last = max(last + 1, time.milliseconds)
        return last
    }
}

extension Date {
    /// Milliseconds since 1970, as on the wire.
    package var milliseconds: Int { Int((timeIntervalSince1970 * 1_000).rounded()) }

    package init(milliseconds: Int) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}
