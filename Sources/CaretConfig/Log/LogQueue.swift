/// The lines that wait to be written. The queue decides which thread writes these lines.
///
/// A thread that adds a line while no other thread writes becomes the writer. It writes until no line waits.
/// So lines keep their order, no lock is held during a write, and no thread waits for a write of another
/// thread.
package struct LogQueue: Sendable {
    package enum Outcome: Equatable, Sendable {
        case written
        /// Only the beginning of the line was written.
        case partlyWritten
        case refused
    }

    /// The line that the writer must write next.
    package struct WriteTask: Equatable, Sendable {
        package var line: LogLine
        /// True if the previous line was written only in part, so the writer must first write a line break.
        package let endsLineBefore: Bool

        package init(line: LogLine, endsLineBefore: Bool) {
            self.line = line
            self.endsLineBefore = endsLineBefore
        }
    }

    /// How many lines may wait for a stuck writer. Further lines are counted as lost.
    package static let mostWaiting = 256

    private var rate = LogRate()
    private var waiting: [LogLine] = []
    private var beingWritten: LogLine?
    private var lost = 0
    private var endsLineBefore = false
    /// The number of lines since the start that could not be written.
    package private(set) var lostInAll = 0

    package init() {}

    /// Adds a line for the event. Returns nil if the line was suppressed, or if another thread will write it.
    package mutating func add(_ event: LogEvent, at time: Int64) -> WriteTask? {
        switch rate.decide(event.name, at: time) {
        case .suppress: return nil
        case .write(let suppressed): return enqueue(LogLine(event, at: time, suppressed: suppressed))
        }
    }

    /// Called at the end of the log. Adds a line for each event that has suppressed lines.
    package mutating func addSuppressedCounts(at time: Int64) -> WriteTask? {
        var task: WriteTask?
        for (name, count) in rate.remainders() {
            task = enqueue(LogLine(LogEvent(.logSuppressed, .event(name), .count(count)), at: time)) ?? task
        }
        return task
    }

    /// Records the outcome of the write. Returns the next line for the writer, or nil if no line waits.
    package mutating func finishWrite(_ outcome: Outcome) -> WriteTask? {
        guard let line = beingWritten else {
            preconditionFailure("a write was reported as finished, but no line is being written")
        }
        beingWritten = nil
        switch outcome {
        case .written: endsLineBefore = false
        case .partlyWritten, .refused:
            // The line contained counts of suppressed and lost lines, which were not written either. So these
            // counts are added to the counts of the next line.
            lost += line.lost
            countLost(1 + line.suppressed)
            if outcome == .partlyWritten { endsLineBefore = true }
        }
        return waiting.isEmpty ? nil : write(waiting.removeFirst())
    }

    private mutating func enqueue(_ line: LogLine) -> WriteTask? {
        if beingWritten == nil { return write(line) }
        if waiting.count < Self.mostWaiting {
            waiting.append(line)
        } else {
            countLost(1 + line.suppressed)
        }
        return nil
    }

    private mutating func write(_ line: LogLine) -> WriteTask {
        var line = line
        line.lost = lost
        lost = 0
        beingWritten = line
        return WriteTask(line: line, endsLineBefore: endsLineBefore)
    }

    private mutating func countLost(_ count: Int) {
        lost += count
        lostInAll += count
    }
}
