import Foundation
import TestSupport
import Testing

/// How many cases a law is tried with.
enum Share {
    /// All of them, or, in the run that every commit goes through, the share that fits its time.
    static func cases(_ all: Int, everyCommit share: Int) -> Int {
        ProcessInfo.processInfo.environment["CARET_FULL"] == nil ? share : all
    }
}

/// Tries a law with one seed after the other; the first failure is reported with the line that replays it.
///
/// `failure` answers with what is wrong, or nil.
func checkLaw(
    _ test: String, cases: Int, at location: SourceLocation = #_sourceLocation,
    _ failure: (inout Seeded) throws -> String?
) {
    let started = ContinuousClock.now
    let asked = ProcessInfo.processInfo.environment["CARET_SEED"].flatMap(UInt64.init)
    let seeds = asked.map { $0..<$0 + 1 } ?? 0..<UInt64(cases)
    for seed in seeds {
        var random = Seeded(seed)
        let found: String?
        do {
            found = try failure(&random)
        } catch {
            found = "threw \(error)"
        }
        guard let found else { continue }
        let replay = "CARET_SEED=\(seed) swift test -c release --scratch-path .build/tests --filter \(test)"
        Issue.record("seed \(seed): \(found)\nreplay: \(replay)", sourceLocation: location)
        return
    }
    let seconds = (ContinuousClock.now - started) / .seconds(1)
    print("law \(test): \(seeds.count) cases held in \(String(format: "%.1f", seconds)) s")
}

/// A text as one can read it in a report: every scalar that is not a plain letter by its number.
func readable(_ text: String) -> String {
    text.unicodeScalars.map {
        $0.value >= 0x20 && $0.value < 0x7F ? String($0) : "{\(String($0.value, radix: 16))}"
    }
    .joined()
}
