/// How an editor sends and receives messages over its socket, which does not block.
enum EditorTransport {
    case lines
    /// `isOpen` is false until the response to the upgrade request has arrived.
    case webSocket(isOpen: Bool)

    /// The bytes to send before the first message. The first message may follow at once: the server reads it
    /// after it has answered the upgrade request.
    var greeting: [UInt8] {
        switch self {
        case .lines: []
        case .webSocket: Array(WebSocketClient.upgrade.utf8)
        }
    }

    func bytes(of message: String) -> [UInt8] {
        switch self {
        case .lines: Array(message.utf8) + [UInt8(ascii: "\n")]
        case .webSocket: WebSocketFrame.text(message).masked
        }
    }

    /// Removes the next message from the received bytes; nil if no message is complete.
    mutating func next(of bytes: inout ArraySlice<UInt8>) throws -> [UInt8]? {
        switch self {
        case .lines:
            guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            defer { bytes = bytes[(end + 1)...] }
            return Array(bytes[..<end])
        case .webSocket(let isOpen):
            if !isOpen {
                guard let end = bytes.firstRange(of: "\r\n\r\n".utf8)?.upperBound else { return nil }
                guard bytes.starts(with: "HTTP/1.1 101 ".utf8) else {
                    throw Unexpected(String(decoding: bytes, as: UTF8.self))
                }
                bytes = bytes[end...]
                self = .webSocket(isOpen: true)
            }
            return try Self.nextMessage(of: &bytes)
        }
    }

    private static func nextMessage(of bytes: inout ArraySlice<UInt8>) throws -> [UInt8]? {
        var rest = bytes
        let next = { (count: Int) -> [UInt8]? in
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        guard let frame = try WebSocketFrame.read(next) else { return nil }
        bytes = rest
        switch frame {
        case .text(let message): return Array(message.utf8)
        // The connection ends after this frame.
        case .close: return nil
        case .ping, .pong: throw Unexpected("an editor received \(frame)")
        }
    }
}
