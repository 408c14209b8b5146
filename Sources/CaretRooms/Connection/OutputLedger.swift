/// The lines that wait for a connection to take them: how long they are, and who is to know when they are taken.
struct OutputLedger: Equatable, Sendable {
    enum Owner: Equatable, Sendable {
        case connection
        /// The bytes count against the session's credit.
        case session(SessionID)
        /// The last of what the hub told of followed documents.
        case follow
    }

    private struct Line: Equatable, Sendable {
        let length: Int
        var left: Int
        let owner: Owner
    }

    /// What has been taken, for those who are to know.
    struct Taken: Equatable, Sendable {
        struct Part: Equatable, Sendable {
            let session: SessionID
            var bytes: Int
        }

        // Mostly there is one, and a list costs an allocation a write.
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

        /// In the order in which their bytes were taken.
        func forEachSession(_ body: (SessionID, Int) -> Void) {
            if let first { body(first.session, first.bytes) }
            for part in others { body(part.session, part.bytes) }
        }
    }

    private var lines: [Line] = []
    private var first = 0
    /// Bytes that wait.
    private(set) var waiting = 0
    /// When some bytes were taken last, or the first of them began to wait.
    private(set) var takenAt: Int64 = 0
    /// Since when the first line is being taken.
    private(set) var frontSince: Int64 = 0

    var isEmpty: Bool { first == lines.count }
    /// Whether `waiting` is the sum of what is left of the lines.
    var isSound: Bool { waiting == lines[first...].reduce(0) { $0 + $1.left } }
    var frontLength: Int { isEmpty ? 0 : lines[first].length }

    mutating func add(_ bytes: Int, of owner: Owner, at now: Int64) {
        if isEmpty { (takenAt, frontSince) = (now, now) }
        lines.append(Line(length: bytes, left: bytes, owner: owner))
        waiting += bytes
    }

    /// Takes so many bytes off the front; more than wait are all of them.
    mutating func take(_ bytes: Int, at now: Int64) -> Taken {
        var taken = Taken()
        var rest = min(bytes, waiting)
        if rest > 0 { takenAt = now }
        waiting -= rest
        while rest > 0 {
            let piece = min(rest, lines[first].left)
            rest -= piece
            lines[first].left -= piece
            note(lines[first], piece, in: &taken)
            if lines[first].left == 0 {
                first += 1
                frontSince = now
            }
        }
        forgetTaken()
        return taken
    }

    private func note(_ line: Line, _ piece: Int, in taken: inout Taken) {
        switch line.owner {
        case .connection: break
        case .follow: if line.left == 0 { taken.endsDocuments = true }
        case .session(let session): taken.add(piece, of: session)
        }
    }

    private mutating func forgetTaken() {
        // Half of it at a time, so that a line costs the same however many wait.
        if first == lines.count || first > 64 && first * 2 > lines.count {
            lines.removeFirst(first)
            first = 0
        }
    }
}
