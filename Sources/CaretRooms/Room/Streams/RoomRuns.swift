import CaretCore
import CaretLog
import CaretWire

/// The lines of several revisions in one buffer, for all sessions that need the same revisions. Sending the
/// buffer costs about as much as sending one line.
struct LineRun: Sendable {
    let first: Revision
    /// The hash of each revision's pusher, in the order of the revisions.
    let pusherHashes: [Int]
    let lines: [UInt8]

    var last: Revision { Revision(first.value + pusherHashes.count - 1) }
}

/// Sending to sessions that are several revisions behind.
extension RoomState {
    /// The largest size of a run in bytes. A run is a second copy of its lines in memory, and a longer one
    /// gains nothing.
    private static let mostTogether = 16 << 10

    /// Sends a session several revisions at once. Returns false if the next revision must be sent alone.
    mutating func sendRun(to index: Int) -> Bool {
        let first = sessions[index].stream.position.next
        if first == head { return false }
        let run = run(from: first, in: sessions[index].unit)
        if run.pusherHashes.count < 2 { return false }
        // A run rarely contains the session's own pushes. So the hashes of the pushers are compared first,
        // and their names rarely.
        if run.lines.count > limits.creditBytes - sessions[index].stream.outstanding
            || run.pusherHashes.contains(sessions[index].pusherHash)
        {
            sendParts(of: run, to: index)
        } else {
            deliver(run.lines, to: index)
            effects.notes.deliveries += run.pusherHashes.count
            sessions[index].stream.moved(to: run.last)
        }
        return true
    }

    /// Sends a session as much of a run as its credit allows, with an ack in place of each of its own pushes.
    /// It continues to the end of the run if the credit allows, because a session that stops inside a run
    /// needs another run.
    private mutating func sendParts(of run: LineRun, to index: Int) {
        var lines: [UInt8] = []
        lines.reserveCapacity(run.lines.count)
        while sessions[index].stream.position < run.last,
            sessions[index].stream.outstanding + lines.count < limits.creditBytes
        {
            guard let line = takeNext(index) else { break }
            // An ack may contain the whole text, so a line may be long.
            if lines.count + line.count > RoomState.mostTogether {
                if !lines.isEmpty { deliver(lines, to: index) }
                lines = []
            }
            lines += line
        }
        if !lines.isEmpty { deliver(lines, to: index) }
    }

    /// A run of as many revisions as fit, from this one on. The last run is cached.
    private mutating func run(from first: Revision, in unit: CodeUnit) -> LineRun {
        if let run = log.window.runs[unit], run.first == first { return run }
        var (next, pusherHashes, lines) = (first, [Int](), [UInt8]())
        while let hash = log.window.pusherHash(of: next), let line = line(of: next, in: unit),
            pusherHashes.isEmpty || lines.count + line.count <= RoomState.mostTogether
        {
            pusherHashes.append(hash)
            lines += line
            next = next.next
        }
        let run = LineRun(first: first, pusherHashes: pusherHashes, lines: lines)
        log.keep(run, in: unit)
        return run
    }
}
