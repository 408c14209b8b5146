/// The lines that wait to be written. It decides which thread writes them.
///
/// A thread that adds a line while no other thread writes becomes the writer. It writes until no line waits.
/// So lines keep their order, no lock is held during a write, and no thread waits for another one's write.
package struct LogQueue: Sendable {
    package enum Outcome: Equatable, Sendable {
        case written
        /// Only the beginning of the line was written.
        case begun
        case refused
    }

    /// The line that the writer must write next.
    package struct Turn: Equatable, Sendable {
        package var line: LogLine
        /// True if the previous line was written only in part, so the writer must first write a line break.
        package let endsLineBefore: Bool

        package init(line: LogLine, endsLineBefore: Bool) {
            self.line = line
            self.endsLineBefore = endsLineBefore
        }
    }

    /// The most lines that wait for a stuck writer. Further lines are counted as lost.
    package static let mostWaiting = 256

    private var rate = LogRate()
    private var waiting: [LogLine] = []
    private var inWriting: LogLine?
    private var lost = 0
    private var endsLineBefore = false
    /// The number of lines since the start that could not be written.
    package private(set) var lostInAll = 0

    package init() {}

    /// Adds a line for the event. Returns nil if the line was suppressed, or if another thread will write it.
    package mutating func happened(_ event: LogEvent, at time: Int64) -> Turn? {
        switch rate.happened(event.name, at: time) {
        case .suppress: return nil
        case .write(let suppressed): return bring(LogLine(event, at: time, suppressed: suppressed))
        }
    }

    /// Called at the end of the log. Adds a line for each event that has suppressed lines.
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
            preconditionFailure("a line was written without a turn")
        }
        inWriting = nil
        switch outcome {
        case .written: endsLineBefore = false
        case .begun, .refused:
            // The line's counts were not written either. So they are added to the counts of the next line.
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
