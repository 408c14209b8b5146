/// Limits how many lines of each event are logged, so that a flood of events does not fill the disk.
///
/// A burst of lines shows the cause of a flood. Most of the later events are only counted. Two lines of 150
/// bytes a second are 26 MB a day.
package struct LogRate: Sendable {
    /// How many lines of an event may be written at once.
    package static let burst = 50
    /// How many lines a second may be written after the burst.
    package static let aSecond = 2

    package enum Decision: Equatable, Sendable {
        /// The line must be written. It reports how many lines before it were suppressed.
        case write(suppressed: Int)
        case suppress
    }

    /// The state of the limit for one event. `thousandths` says how many lines may be written at `time`, in
    /// thousandths of a line.
    private struct Allowance {
        var thousandths = LogRate.burst * 1_000
        var time: Int64
        var suppressed = 0
    }

    private var allowances: [LogEvent.Name: Allowance] = [:]

    package init() {}

    /// Decides whether to write a line. `time` is in milliseconds. If the clock goes back, the allowance does
    /// not change.
    package mutating func decide(_ name: LogEvent.Name, at time: Int64) -> Decision {
        var allowance = allowances[name] ?? Allowance(time: time)
        defer { allowances[name] = allowance }
        let full = Self.burst * 1_000
        let passed = Int(min(max(0, time - allowance.time), Int64(full / Self.aSecond)))
        allowance.thousandths = min(full, allowance.thousandths + passed * Self.aSecond)
        allowance.time = time
        guard allowance.thousandths >= 1_000 else {
            allowance.suppressed += 1
            return .suppress
        }
        allowance.thousandths -= 1_000
        defer { allowance.suppressed = 0 }
        return .write(suppressed: allowance.suppressed)
    }

    /// Returns the numbers of suppressed lines that have not been reported yet, and sets them to zero.
    package mutating func remainders() -> [(name: LogEvent.Name, suppressed: Int)] {
        LogEvent.Name.allCases.compactMap { name in
            guard let count = allowances[name]?.suppressed, count > 0 else { return nil }
            allowances[name]?.suppressed = 0
            return (name, count)
        }
    }
}
