/// Decides which thread writes next, and holds the lines that wait.
///
/// A thread that adds a line while no other writes becomes the writer, until no line waits. So lines keep
/// their order, no lock is held during a write, and no thread waits for another one's write.
package struct LogQueue: Sendable {
    package enum Outcome: Equatable, Sendable {
        case written
        /// Only the beginning of the line was written, without its end.
        case begun
        case refused
    }

    /// What the writer writes next.
    package struct Turn: Equatable, Sendable {
        package var line: LogLine
        /// Whether to end the previous line first, which was cut short.
        package let endsLineBefore: Bool

        package init(line: LogLine, endsLineBefore: Bool) {
            self.line = line
            self.endsLineBefore = endsLineBefore
        }
    }

    /// The most lines that wait for a writer that is stuck. Further ones are counted as lost.
    package static let mostWaiting = 256

    private var rate = LogRate()
    private var waiting: [LogLine] = []
    private var inWriting: LogLine?
    private var lost = 0
    private var endsLineBefore = false
    /// All lines that could not be written since the start.
    package private(set) var lostInAll = 0

    package init() {}

    /// Returns nil if there is nothing to write, or another thread writes it.
    package mutating func happened(_ event: LogEvent, at time: Int64) -> Turn? {
        switch rate.happened(event.name, at: time) {
        case .suppress: return nil
        case .write(let suppressed): return bring(LogLine(event, at: time, suppressed: suppressed))
        }
    }

    /// At the end of the log: adds a line for each event with held back lines.
    package mutating func closing(at time: Int64) -> Turn? {
        var turn: Turn?
        for (name, count) in rate.remainders() {
            turn = bring(LogLine(LogEvent(.logSuppressed, .event(name), .count(count)), at: time)) ?? turn
        }
        return turn
    }

    /// The writer reports the outcome of its line, and gets its next one.
    package mutating func wrote(_ outcome: Outcome) -> Turn? {
        guard let line = inWriting else {
            preconditionFailure("a line was written that nobody had a turn for")
        }
        inWriting = nil
        switch outcome {
        case .written: endsLineBefore = false
        case .begun, .refused:
            // The counts that the line would have reported are lost with it, so they count again.
            lost += line.lost
            lose(1 + line.suppressed)
            if outcome == .begun { endsLineBefore = true }
        }
        return waiting.isEmpty ? nil : write(waiting.removeFirst())
    }

    private mutating func bring(_ line: LogLine) -> Turn? {
        if inWriting == nil { return write(line) }
        if waiting.count < Self.mostWaiting {
            waiting.append(line)
        } else {
            lose(1 + line.suppressed)
        }
        return nil
    }

    private mutating func write(_ line: LogLine) -> Turn {
        var line = line
        line.lost = lost
        lost = 0
        inWriting = line
        return Turn(line: line, endsLineBefore: endsLineBefore)
    }

    private mutating func lose(_ count: Int) {
        lost += count
        lostInAll += count
    }
}
