import CaretCore

/// The lines that a connection has not delivered yet: their lengths, and who must be informed after delivery.
struct OutputLedger: Equatable, Sendable {
    enum Owner: Equatable, Sendable {
        case connection
        /// The bytes count against the session's credit.
        case session(SessionID)
        /// The last `document` or `gone` message of a batch for a follower.
        case follow
    }

    private struct Line: Equatable, Sendable {
        let length: Int
        var left: Int
        let owner: Owner
    }

    /// How many bytes of each session were delivered, so that the rooms can be informed.
    struct Delivered: Equatable, Sendable {
        struct Part: Equatable, Sendable {
            let session: SessionID
            var bytes: Int
        }

        // Most writes deliver bytes of one session only, and then `others` stays empty. With an array for all
        // parts, each write would allocate memory.
        private var first: Part?
        private var others: [Part] = []
        var endsDocuments = false

        mutating func add(_ bytes: Int, of session: SessionID) {
            if first == nil {
                first = Part(session: session, bytes: bytes)
            } else if others.isEmpty, first?.session == session {
                first?.bytes += bytes
            } else if others.last?.session == session {
                others[others.count - 1].bytes += bytes
            } else {
                others.append(Part(session: session, bytes: bytes))
            }
        }

        /// Calls `body` with each session and its delivered bytes, in the order of delivery.
        func forEachSession(_ body: (SessionID, Int) -> Void) {
            if let first { body(first.session, first.bytes) }
            for part in others { body(part.session, part.bytes) }
        }
    }

    private var lines: [Line] = []
    private var first = 0
    /// Undelivered bytes.
    private(set) var waiting = 0
    /// When bytes were last delivered, or when the first undelivered ones were added.
    private(set) var deliveredAt: Int64 = 0
    /// When the delivery of the first line began.
    private(set) var frontSince: Int64 = 0

    var isEmpty: Bool { first == lines.count }
    var frontLength: Int { isEmpty ? 0 : lines[first].length }

    mutating func add(_ bytes: Int, of owner: Owner, at now: Int64) {
        if isEmpty { (deliveredAt, frontSince) = (now, now) }
        lines.append(Line(length: bytes, left: bytes, owner: owner))
        waiting += bytes
    }

    /// Removes delivered bytes from the front. A count above the total removes everything.
    mutating func delivered(_ bytes: Int, at now: Int64) -> Delivered {
        var result = Delivered()
        var rest = min(bytes, waiting)
        if rest > 0 { deliveredAt = now }
        waiting -= rest
        while rest > 0 {
            let piece = min(rest, lines[first].left)
            rest -= piece
            lines[first].left -= piece
            note(lines[first], piece, in: &result)
            if lines[first].left == 0 {
                first += 1
                frontSince = now
            }
        }
        dropDelivered()
        return result
    }

    private func note(_ line: Line, _ piece: Int, in result: inout Delivered) {
        switch line.owner {
        case .connection: break
        case .follow: if line.left == 0 { result.endsDocuments = true }
        case .session(let session): result.add(piece, of: session)
        }
    }

    private mutating func dropDelivered() {
        // Removes at least half of the array at a time, so that the cost of a line does not depend on how
        // many lines wait.
        if first * 2 > lines.count {
            lines.removeFirst(first)
            first = 0
        }
    }

    func checkInvariants() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "the count of unsent bytes equals the unsent bytes of all lines",
            waiting == lines[first...].reduce(0) { $0 + $1.left })
        try BrokenInvariant.check(
            "at most half of the kept lines are delivered", first * 2 <= lines.count)
    }
}
