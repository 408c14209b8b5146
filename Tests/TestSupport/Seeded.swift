import FoundationEssentials
import Glibc

/// A source of numbers that gives the same ones for the same seed, on every machine (SplitMix64).
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

    /// A number in `range`, each as likely but for a part too small to matter in a test.
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
    /// Milliseconds between two keys: lognormal, with a spread of one.
    package mutating func pause(median: Double) -> Int64 {
        let (one, other) = (Double(next() >> 11) / 0x1p53, Double(next() >> 11) / 0x1p53)
        let normal = (-2 * log(1 - one)).squareRoot() * cos(2 * .pi * other)
        return Int64((median * exp(normal)).rounded())
    }
}

/// Which seeds a test runs, and how many in a whole run.
package enum Seeds {
    /// The first so many, or the one that `CARET_SEED` asks for.
    package static func first(_ count: Int) -> Range<UInt64> {
        let asked = ProcessInfo.processInfo.environment["CARET_SEED"].flatMap(UInt64.init)
        return asked.map { $0..<$0 + 1 } ?? 0..<UInt64(slowed(count))
    }

    /// Whether the laws are tried with their whole counts.
    package static let areWhole = ProcessInfo.processInfo.environment["CARET_FULL"] != nil

    /// All of them, or, in the run that every commit goes through, the share that fits its time.
    package static func share(of all: Int, everyCommit share: Int) -> Int {
        areWhole ? all : share
    }

    /// Whether the tests, and the programs that they start, run under a sanitizer.
    package static let areSanitized = ProcessInfo.processInfo.environment["CARET_SANITIZER"] != nil

    /// How many times as slow a sanitizer makes a test, or 1 where there is none.
    private static let slowness = areSanitized ? 10 : 1

    /// So many cases or rounds, or, under a sanitizer, so many less as each takes longer: the law is the same.
    package static func slowed(_ count: Int) -> Int { max(1, count / slowness) }

    /// The line that replays a test with one seed.
    package static func replay(_ seed: UInt64, of test: String) -> String {
        "CARET_SEED=\(seed) swift test -c release --skip-build --filter \(test)"
    }
}
