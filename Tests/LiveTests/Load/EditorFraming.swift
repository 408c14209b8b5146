/// The messages in the bytes that an editor sends and receives over its socket, which does not block.
struct EditorFraming {
    private let usesWebSocket: Bool
    /// Whether the response to the upgrade request has arrived.
    private var isOpen = false
    private var lastMessage: String?

    init(_ transport: Transport) { usesWebSocket = transport.usesWebSocket }

    /// The bytes to send before the first message. The first message may follow at once: the server reads it
    /// after it has answered the upgrade request.
    var greeting: [UInt8] { usesWebSocket ? Array(WebSocketClient.upgrade.utf8) : [] }

    func bytes(of message: String) -> [UInt8] {
        usesWebSocket ? WebSocketFrame.text(message).masked : Array(message.utf8) + [UInt8(ascii: "\n")]
    }

    /// Removes the next message from the received bytes; nil if no message is complete.
    mutating func next(of bytes: inout ArraySlice<UInt8>) throws -> [UInt8]? {
        if usesWebSocket { return try nextMessage(of: &bytes) }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { bytes = bytes[(end + 1)...] }
        return Array(bytes[..<end])
    }

    private mutating func nextMessage(of bytes: inout ArraySlice<UInt8>) throws -> [UInt8]? {
        if !isOpen {
            guard let end = bytes.firstRange(of: "\r\n\r\n".utf8)?.upperBound else { return nil }
            guard bytes.starts(with: "HTTP/1.1 101 ".utf8) else {
                throw Unexpected(String(decoding: bytes, as: UTF8.self))
            }
            bytes = bytes[end...]
            isOpen = true
        }
        var rest = bytes
        let next = { (count: Int) -> [UInt8]? in
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        guard let frame = try WebSocketFrame.read(next) else { return nil }
        bytes = rest
        if case .text(let message, isLast: true) = frame {
            lastMessage = message
            return Array(message.utf8)
        }
        // The connection ends after the close frame.
        if frame == CloseContract.frame(after: lastMessage) { return nil }
        throw Unexpected("an editor received \(frame) after \(lastMessage ?? "no message")")
    }
}
