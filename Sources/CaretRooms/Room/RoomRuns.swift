import CaretCore
import CaretLog
import CaretWire

/// Revisions of the window as lines that lie together, for all who are handed the same: to hand them costs about what
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
    /// Bytes that are put together. They lie in memory once more beside the lines that they are made of, and what is
    /// longer gains nothing by it.
    private static let mostTogether = 16 << 10

    /// Hands a session several revisions behind its position at once; false where the next is to be handed alone.
    mutating func handRun(_ place: Int) -> Bool {
        let first = sessions[place].position.next
        if first == head { return false }
        let run = run(from: first, in: sessions[place].unit)
        if run.marks.count < 2 { return false }
        // Mostly nothing of it is its own, and then nobody's name is looked at.
        if run.lines.count > limits.creditBytes - sessions[place].outstanding
            || run.marks.contains(sessions[place].mark)
        {
            handApart(run, to: place)
        } else {
            hand(run.lines, at: place)
            notes.deliveries += run.marks.count
            sessions[place].position = run.last
        }
        return true
    }

    /// Hands a session what of a run its credit allows, with an ack in the place of what it has pushed itself. All of that at
    /// once: a run that is not taken to its end is made anew for whoever goes on inside it.
    private mutating func handApart(_ run: LineRun, to place: Int) {
        var lines: [UInt8] = []
        lines.reserveCapacity(run.lines.count)
        while sessions[place].position < run.last,
            sessions[place].outstanding + lines.count < limits.creditBytes
        {
            guard let line = takeNext(place) else { break }
            // An ack may bear a text.
            if lines.count + line.count > RoomState.mostTogether {
                if !lines.isEmpty { hand(lines, at: place) }
                lines = []
            }
            lines += line
        }
        if !lines.isEmpty { hand(lines, at: place) }
    }

    /// The revisions from this one on, as many as are put together.
    private mutating func run(from first: Revision, in unit: CodeUnit) -> LineRun {
        if let run = window.runs[unit], run.first == first { return run }
        var (next, marks, lines) = (first, [Int](), [UInt8]())
        while let mark = window.mark(of: next), let line = line(of: next, in: unit),
            marks.isEmpty || lines.count + line.count <= RoomState.mostTogether
        {
            marks.append(mark)
            lines += line
            next = next.next
        }
        let run = LineRun(first: first, marks: marks, lines: lines)
        window.runs[unit] = run
        return run
    }
}
