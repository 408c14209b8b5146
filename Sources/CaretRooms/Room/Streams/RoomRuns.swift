import CaretCore
import CaretLog
import CaretWire

/// Revisions of the window as lines that lie together, for all who are sent the same: sending them costs about what
/// one line does.
struct LineRun: Sendable {
    let first: Revision
    /// Those of the pushers, in the order of the revisions.
    let marks: [Int]
    let lines: [UInt8]

    var last: Revision { Revision(first.value + marks.count - 1) }
}

/// The streams of sessions that are several revisions behind.
extension RoomState {
    /// Bytes that are put together. They are in memory once more beside the lines that they are made of, and a longer
    /// run gains nothing.
    private static let mostTogether = 16 << 10

    /// Sends a session several revisions after its position at once; false if the next is to be sent alone.
    mutating func sendRun(to index: Int) -> Bool {
        let first = sessions[index].stream.position.next
        if first == head { return false }
        let run = run(from: first, in: sessions[index].unit)
        if run.marks.count < 2 { return false }
        // Mostly nothing of it is its own, and then nobody's name is compared.
        if run.lines.count > limits.creditBytes - sessions[index].stream.outstanding
            || run.marks.contains(sessions[index].mark)
        {
            sendParts(of: run, to: index)
        } else {
            deliver(run.lines, to: index)
            effects.notes.deliveries += run.marks.count
            sessions[index].stream.moved(to: run.last)
        }
        return true
    }

    /// Sends a session what of a run its credit allows, with an ack in the place of each of its own pushes. All of that
    /// at once: a run that is not sent to its end is made again for a session that goes on inside it.
    private mutating func sendParts(of run: LineRun, to index: Int) {
        var lines: [UInt8] = []
        lines.reserveCapacity(run.lines.count)
        while sessions[index].stream.position < run.last,
            sessions[index].stream.outstanding + lines.count < limits.creditBytes
        {
            guard let line = takeNext(index) else { break }
            // An ack may have a text.
            if lines.count + line.count > RoomState.mostTogether {
                if !lines.isEmpty { deliver(lines, to: index) }
                lines = []
            }
            lines += line
        }
        if !lines.isEmpty { deliver(lines, to: index) }
    }

    /// The revisions from this one on, as many as are put together.
    private mutating func run(from first: Revision, in unit: CodeUnit) -> LineRun {
        if let run = log.window.runs[unit], run.first == first { return run }
        var (next, marks, lines) = (first, [Int](), [UInt8]())
        while let mark = log.window.mark(of: next), let line = line(of: next, in: unit),
            marks.isEmpty || lines.count + line.count <= RoomState.mostTogether
        {
            marks.append(mark)
            lines += line
            next = next.next
        }
        let run = LineRun(first: first, marks: marks, lines: lines)
        log.keep(run, in: unit)
        return run
    }
}
