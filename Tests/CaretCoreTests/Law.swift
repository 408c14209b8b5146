import Foundation
import TestSupport
import Testing

/// Tries a law with one seed after the other. Reports the first failure with the command that replays it.
///
/// `failure` returns what is wrong, or nil.
func checkLaw(
    _ test: String, cases: Int, at location: SourceLocation = #_sourceLocation,
    _ failure: (inout Seeded) throws -> String?
) {
    let started = ContinuousClock.now
    let seeds = Seeds.first(cases)
    for seed in seeds {
        var random = Seeded(seed)
        let found: String?
        do {
            found = try failure(&random)
        } catch {
            found = "threw \(error)"
        }
        guard let found else { continue }
        let replay = Seeds.replay(seed, of: test)
        Issue.record("seed \(seed): \(found)\nreplay: \(replay)", sourceLocation: location)
        return
    }
    let seconds = (ContinuousClock.now - started) / .seconds(1)
    print("law \(test): \(seeds.count) cases passed in \(String(format: "%.1f", seconds)) s")
}

/// A text in readable form for a report: scalars other than plain letters are printed as numbers.
func readable(_ text: String) -> String {
    text.unicodeScalars.map {
        $0.value >= 0x20 && $0.value < 0x7F ? String($0) : "{\(String($0.value, radix: 16))}"
    }
    .joined()
}
