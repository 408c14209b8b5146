import FoundationEssentials
import Glibc

/// Random numbers that are the same for the same seed on every machine (SplitMix64).
package struct Seeded: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(_ seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A number in `range`. The distribution is uniform, up to a bias too small to matter in a test.
    package mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(truncatingIfNeeded: next() % UInt64(range.count))
    }

    /// True in `percent` of a hundred cases.
    package mutating func chance(_ percent: Int) -> Bool { number(0...99) < percent }

    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[number(0...elements.count - 1)]
    }
}

extension Seeded {
    /// Milliseconds between two keystrokes: lognormal, with a spread of one.
    package mutating func pause(median: Double) -> Int64 {
        let (one, other) = (Double(next() >> 11) / 0x1p53, Double(next() >> 11) / 0x1p53)
        let normal = (-2 * log(1 - one)).squareRoot() * cos(2 * .pi * other)
        return Int64((median * exp(normal)).rounded())
    }
}

/// The seeds that a test runs, and how many a full run has.
package enum Seeds {
    /// The first `count` seeds, or the one in `CARET_SEED`.
    package static func first(_ count: Int) -> Range<UInt64> {
        asked.map { $0..<$0 + 1 } ?? 0..<UInt64(slowed(count))
    }

    /// The seed in `CARET_SEED`.
    private static let asked = ProcessInfo.processInfo.environment["CARET_SEED"].flatMap(UInt64.init)

    /// The seed of a test with one long run: the one in `CARET_SEED`, a new one in each full run, and otherwise
    /// always the same.
    package static var ofLongRun: UInt64 { asked ?? (isFullRun ? .random(in: 0..<1_000_000) : 0) }

    /// Whether this is a full run, in which randomized tests try all their cases.
    package static let isFullRun = ProcessInfo.processInfo.environment["CARET_FULL"] != nil

    /// `all` in a full run, otherwise the smaller number that every commit runs.
    package static func share(of all: Int, everyCommit share: Int) -> Int {
        isFullRun ? all : share
    }

    private static let sanitizer = ProcessInfo.processInfo.environment["CARET_SANITIZER"]

    /// Whether the tests, and the programs that they start, run under a sanitizer.
    package static let isSanitized = sanitizer != nil && sanitizer != "none"

    /// The factor by which a sanitizer slows a test down; 1 without a sanitizer. If `CARET_SANITIZER` is
    /// `none`, there is no sanitizer, but the tests have as few cases as with one.
    private static let slowness = sanitizer == nil ? 1 : 10

    /// How many of `count` cases or rounds a test runs. Under a sanitizer a test runs fewer of them, because
    /// each takes longer.
    package static func slowed(_ count: Int) -> Int { max(1, count / slowness) }

    /// The line that replays a test with one seed.
    package static func replay(_ seed: UInt64, of test: String) -> String {
        "CARET_SEED=\(seed) swift test -c release --skip-build --filter \(test)"
    }
}
