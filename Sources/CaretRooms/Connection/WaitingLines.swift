package import CaretWire

/// Messages that wait for the current request to be answered, in the order sent.
struct WaitingLines: Equatable, Sendable {
    private struct Line: Equatable, Sendable {
        let envelope: Envelope<ClientMessage>
        let bytes: Int
    }

    private var lines: [Line] = []
    private(set) var bytes = 0

    var isEmpty: Bool { lines.isEmpty }

    func isFull(_ limits: Limits) -> Bool {
        lines.count >= limits.waitingLines || bytes > limits.waitingLineBytes
    }

    mutating func append(_ envelope: Envelope<ClientMessage>, bytes: Int) {
        lines.append(Line(envelope: envelope, bytes: bytes))
        self.bytes += bytes
    }

    /// Whether a message must wait because it must not overtake a waiting message.
    func holdsBack(_ message: ClientMessage) -> Bool { holdsBack(message, before: lines.count) }

    private func holdsBack(_ message: ClientMessage, before end: Int) -> Bool {
        lines[..<end].contains { message.mustFollow($0.envelope.message) }
    }

    /// Removes and returns the first message that may run. `mayRun` accepts it, and it overtakes no message
    /// that must run before it.
    mutating func next(where mayRun: (ClientMessage) -> Bool) -> Envelope<ClientMessage>? {
        for index in lines.indices {
            let message = lines[index].envelope.message
            if mayRun(message), !holdsBack(message, before: index) {
                bytes -= lines[index].bytes
                return lines.remove(at: index).envelope
            }
        }
        return nil
    }

    mutating func removeAll() { self = WaitingLines() }
}

extension ClientMessage {
    func isAbout(_ document: WireString) -> Bool {
        documents.0 == document || documents.1 == document
    }

    /// Whether this message must not take effect before `other`, which was sent first.
    func mustFollow(_ other: ClientMessage) -> Bool {
        waits && other.waits || sharesDocument(with: other)
    }

    package func sharesDocument(with other: ClientMessage) -> Bool {
        let (first, second) = documents
        return first.map(other.isAbout) ?? false || second.map(other.isAbout) ?? false
    }
}
