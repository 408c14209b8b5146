import TestSupport

/// A client's end of a WebSocket. It splits its messages into frames, sends pings and pongs between the frames, and
/// reads the frames of the server.
struct ClientWebSocket {
    enum Event {
        /// The server has accepted the request to begin a WebSocket.
        case upgraded
        case message([UInt8])
        case pong
        /// The server closes the WebSocket.
        case close
    }

    private enum Phase {
        case upgrading
        case open
        case closedByServer
    }

    private var random: Seeded
    private var phase = Phase.upgrading
    private var input: [UInt8] = []
    /// Messages to send once the server has accepted the WebSocket.
    private var waiting: [[UInt8]] = []
    /// The contents of all pings that were not answered, the oldest first.
    private var pings: [[UInt8]] = []
    private var madePings = 0
    /// The code of the client's own close frame. The outer value is nil until the client ends its output.
    private var ownClose: Int??

    /// The key of the request, and the server's answer to the key, are those of the example in RFC 6455.
    static let upgrade = Array(
        """
        GET /ws HTTP/1.1\r
        Host: localhost\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Version: 13\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
        \r\n
        """.utf8)
    private static let accept = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"

    init(_ random: Seeded) { self.random = random }

    /// Whether the client has ended its output, with a close frame or without one.
    var hasEnded: Bool { ownClose != nil }

    // MARK: Sending

    /// The bytes to send for a message. Before the server has accepted the WebSocket, there are none, and the message
    /// waits.
    mutating func send(_ message: [UInt8]) -> [UInt8] {
        if case .upgrading = phase {
            waiting.append(message)
            return []
        }
        return frames(of: message)
    }

    /// The bytes of all messages that waited.
    mutating func sendWaiting() -> [UInt8] {
        defer { waiting = [] }
        return waiting.flatMap { frames(of: $0) }
    }

    /// The client's close frame, or no bytes if it may not send one.
    mutating func close() -> [UInt8] {
        if hasEnded { return [] }
        if case .upgrading = phase {
            // The client just ends its output. If the server then closes the WebSocket, it has no code to repeat.
            ownClose = .some(nil)
            return []
        }
        let code = random.pick([nil, 1000, 1001, 3000, 4999])
        ownClose = .some(code)
        let reason = code == nil ? "" : random.pick(["", "bye", "caf\u{E9}"])
        return frame(0x88, (code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? []) + Array(reason.utf8))
    }

    private mutating func frames(of message: [UInt8]) -> [UInt8] {
        // The content may be cut anywhere, even inside a character, and a frame may be empty.
        let cuts = (0..<random.pick([0, 0, 0, 1, 2, 6])).map { _ in random.number(0...message.count) }
            .sorted()
        var (bytes, start): ([UInt8], Int) = ([], 0)
        for (index, end) in (cuts + [message.count]).enumerated() {
            let isLast = index == cuts.count
            bytes += frame((index == 0 ? 1 : 0) | (isLast ? 0x80 : 0), Array(message[start..<end]))
            start = end
            if random.chance(8) { bytes += ping() }
            if random.chance(2) { bytes += frame(0x8A, Array("unasked".utf8)) }
        }
        return bytes
    }

    private mutating func ping() -> [UInt8] {
        madePings += 1
        let content = Array(String(madePings).utf8)
        let padding = [UInt8](repeating: 0xFF, count: random.pick([0, 1, 60, 125 - content.count]))
        pings.append(content + padding)
        return frame(0x89, content + padding)
    }

    private mutating func frame(_ first: UInt8, _ content: [UInt8]) -> [UInt8] {
        let mask = (0..<4).map { _ in UInt8(random.number(0...255)) }
        let count = content.count
        let length: [UInt8] =
            switch count {
            case ..<126: [0x80 | UInt8(count)]
            case ..<65_536: [0x80 | 126, UInt8(count >> 8), UInt8(count & 0xFF)]
            default: [0x80 | 127] + (0..<8).map { UInt8(count >> (56 - 8 * $0) & 0xFF) }
            }
        return [first] + length + mask + content.indices.map { content[$0] ^ mask[$0 % 4] }
    }

    // MARK: Receiving

    mutating func receive(_ bytes: [UInt8]) { input += bytes }

    /// What the next bytes of the server mean; nil if more bytes are needed. Throws if the server breaks a rule.
    mutating func next() throws(ServerFrame.Fault) -> Event? {
        if case .upgrading = phase { return try readResponse() }
        guard let frame = try ServerFrame(startOf: input) else { return nil }
        guard case .open = phase else { throw ServerFrame.Fault(what: "a frame follows the close frame") }
        input.removeFirst(frame.bytes.count)
        switch frame.opcode {
        case ServerFrame.pong:
            // Only the last of several pings must be answered.
            guard let index = pings.firstIndex(of: frame.content) else {
                throw ServerFrame.Fault(what: "a pong answers no ping")
            }
            pings.removeFirst(index + 1)
            return .pong
        case ServerFrame.close:
            phase = .closedByServer
            try check(closeContent: frame.content)
            return .close
        default: return .message(frame.content)
        }
    }

    private mutating func readResponse() throws(ServerFrame.Fault) -> Event? {
        // A server that stops before it has received a byte sends a line, and closes the connection.
        if input.first == UInt8(ascii: "{") { return nil }
        let text = String(decoding: input, as: UTF8.self)
        guard let end = text.utf8.firstRange(of: "\r\n\r\n".utf8)?.upperBound else { return nil }
        // A server that stops in the middle of the request answers that it stops, and closes the connection.
        if text.hasPrefix("HTTP/1.1 503 "), !text.hasSuffix("}") || text.contains(#""shutting_down""#) {
            return nil
        }
        guard text.hasPrefix("HTTP/1.1 101 "), text.contains(Self.accept) else {
            throw ServerFrame.Fault(what: "the server refuses a WebSocket: \(text)")
        }
        input.removeFirst(text.utf8.distance(from: text.utf8.startIndex, to: end))
        phase = .open
        return .upgraded
    }

    /// The server repeats the code of the client's close frame. If the server closes first, its code must not say that
    /// the client broke a rule of frames.
    private func check(closeContent content: [UInt8]) throws(ServerFrame.Fault) {
        let code = content.count < 2 ? nil : Int(content[0]) << 8 | Int(content[1])
        if let ownClose, code == ownClose { return }
        let ownCodes = [1000, 1001, 1008, 1011, 1013, 4000, 4001, 4002, 4003, 4004, 4401, 4408]
        guard let code, ownCodes.contains(code) else {
            let reason = String(decoding: content.dropFirst(2), as: UTF8.self)
            throw ServerFrame.Fault(what: "the server closes with \(code ?? 0) \(reason)")
        }
    }
}
