/// Limits how many lines of each event are logged, so that a flood of events does not fill the disk.
///
/// A burst of lines shows the cause; further events are mostly counted. 2 lines of 150 bytes a second are 26
/// MB a day.
package struct LogRate: Sendable {
    /// Lines that may be written at once.
    package static let burst = 50
    /// Lines a second after that.
    package static let aSecond = 2

    package enum Answer: Equatable, Sendable {
        /// The line is written; this many before it were not.
        case write(suppressed: Int)
        case suppress
    }

    /// The state of one event: the lines that may be written now, in thousandths; when that was computed; and
    /// how many lines were held back.
    private struct Allowance {
        var thousandths = LogRate.burst * 1_000
        var time: Int64
        var suppressed = 0
    }

    private var allowances: [LogEvent.Name: Allowance] = [:]

    package init() {}

    /// `time` is in milliseconds. A clock that goes backwards changes no allowance.
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

    /// Returns the held back lines that no line has reported yet, and sets their count to zero.
    package mutating func remainders() -> [(name: LogEvent.Name, suppressed: Int)] {
        LogEvent.Name.allCases.compactMap { name in
            guard let count = allowances[name]?.suppressed, count > 0 else { return nil }
            allowances[name]?.suppressed = 0
            return (name, count)
        }
    }
}
