/// A span of time.
package struct Milliseconds: Comparable, Hashable, Sendable {
    package let value: Int

    package init(_ value: Int) { self.value = value }

    package static func < (left: Milliseconds, right: Milliseconds) -> Bool { left.value < right.value }
}

extension Milliseconds: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int) { self.init(value) }
}

/// How long to wait before the next of several tries that all failed.
package struct Backoff: Equatable, Sendable {
    /// Half a second lets a server breathe, and hardly anybody sees it; half a minute is what people wait for by
    /// themselves.
    static let (first, longest): (Milliseconds, Milliseconds) = (500, 30_000)
    /// No server's wish for more is followed: it may be a mistake, and a person is waiting.
    package static let longestAsked: Milliseconds = 300_000

    private(set) var tries = 0

    package init() {}

    /// Counts a try that failed. The answer is how long to wait: what the server asks for, else twice as long as
    /// before.
    package mutating func wait(asked: Milliseconds? = nil) -> Milliseconds {
        // The seventh wait is the longest one; a larger count would say nothing more.
        if tries < 7 { tries += 1 }
        if let asked { return min(max(asked, 1), Backoff.longestAsked) }
        return min(Milliseconds(Backoff.first.value << (tries - 1)), Backoff.longest)
    }

    package mutating func reset() { tries = 0 }
}
