#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The numbers for pushes of full texts.
// The numbers start at the current time in milliseconds. So a client that restarts with its old id does not
// reuse a number, even if it has stored only the id.
struct PushNumbers: Sendable {
    private var last = 0

    mutating func next(at time: Date) -> Int {
        last = max(last + 1, time.milliseconds)
        return last
    }
}

extension Date {
    /// Milliseconds since 1970, as in the protocol.
    package var milliseconds: Int { Int((timeIntervalSince1970 * 1_000).rounded()) }

    package init(milliseconds: Int) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}
