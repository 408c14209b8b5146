/// Whose turn it is to write, and what waits meanwhile.
///
/// Whoever brings a line while nobody writes becomes the writer, until nothing waits. So lines keep their order, no
/// lock is held over a write, and nobody waits for another's.
package struct LogQueue: Sendable {
    package enum Outcome: Equatable, Sendable {
        case written
        /// A part of the line is there, without its end.
        case begun
        case refused
    }

    /// What the writer does next.
    package struct Turn: Equatable, Sendable {
        package var line: LogLine
        /// The line before has no end.
        package let endsLineBefore: Bool

        package init(line: LogLine, endsLineBefore: Bool) {
            self.line = line
            self.endsLineBefore = endsLineBefore
        }
    }

    /// Lines that wait: a writer that is stuck for so many is given no more.
    package static let mostWaiting = 256

    private var rate = LogRate()
    private var waiting: [LogLine] = []
    private var inWriting: LogLine?
    private var lost = 0
    private var endsLineBefore = false
    /// Lines that could not be written, ever since.
    package private(set) var lostInAll = 0

    package init() {}

    /// Nil where there is nothing to write, or somebody else writes it.
    package mutating func happened(_ event: LogEvent, at time: Int64) -> Turn? {
        switch rate.happened(event.name, at: time) {
        case .suppress: return nil
        case .write(let suppressed): return bring(LogLine(event, at: time, suppressed: suppressed))
        }
    }

    /// The end of the log: what was held back is told.
    package mutating func closing(at time: Int64) -> Turn? {
        var turn: Turn?
        for (name, count) in rate.remainders() {
            turn = bring(LogLine(LogEvent(.logSuppressed, .event(name), .count(count)), at: time)) ?? turn
        }
        return turn
    }

    /// The writer's line has met this; the answer is its next one.
    package mutating func wrote(_ outcome: Outcome) -> Turn? {
        guard let line = inWriting else {
            preconditionFailure("a line was written that nobody had a turn for")
        }
        inWriting = nil
        switch outcome {
        case .written: endsLineBefore = false
        case .begun, .refused:
            // What the line would have told is lost with it.
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
