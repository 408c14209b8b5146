/// How many lines of each event the log takes, so that a storm does not fill the disk.
///
/// A burst tells what is going on, and what goes on for longer is counted: 2 lines of 150 bytes a second are 26 MB a day.
package struct LogRate: Sendable {
    /// Lines at once.
    package static let burst = 50
    /// Lines a second after that.
    package static let aSecond = 2

    package enum Answer: Equatable, Sendable {
        /// Written, with so many before it that were not.
        case write(suppressed: Int)
        case suppress
    }

    /// Of one event: thousandths of lines that may be written at once, when that was so, and what was held back.
    private struct Allowance {
        var thousandths = LogRate.burst * 1_000
        var time: Int64
        var suppressed = 0
    }

    private var allowances: [LogEvent.Name: Allowance] = [:]

    package init() {}

    /// `time` is in milliseconds; a clock that was put back gives nothing and takes nothing.
    package mutating func happened(_ name: LogEvent.Name, at time: Int64) -> Answer {
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

    /// What was held back and not told yet, which is told now.
    package mutating func remainders() -> [(name: LogEvent.Name, suppressed: Int)] {
        LogEvent.Name.allCases.compactMap { name in
            guard let count = allowances[name]?.suppressed, count > 0 else { return nil }
            allowances[name]?.suppressed = 0
            return (name, count)
        }
    }
}
