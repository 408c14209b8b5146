import CaretTLS
import Testing

/// A client that sends and receives messages over a WebSocket. Its calls block.
final class WebSocketClient: MessageClient {
    private let connection: LineClient
    private var hasSentClose = false
    /// The number of pong frames received.
    private(set) var pongs = 0
    /// The close frame of the server, once it has arrived.
    private(set) var serverClose: WebSocketFrame?

    /// The request that begins a WebSocket. Its key, and the server's answer to the key, are those of the
    /// example in RFC 6455.
    static let upgrade = """
        GET /ws HTTP/1.1
        Host: localhost
        Upgrade: websocket
        Connection: Upgrade
        Sec-WebSocket-Version: 13
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==


        """.replacing("\n", with: "\r\n")
    private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    init(
        _ server: LiveServer, _ style: LineClient.WriteStyle = .whole, trusting trust: TLSTrust? = nil
    ) throws {
        connection = try LineClient(server, style, trusting: trust)
        try connection.send(bytes: Array(Self.upgrade.utf8))
        let response = try connection.response()
        try #require(response.status == 101, "\(response)")
        try #require(response.fields["sec-websocket-accept"] == Self.accept, "\(response)")
    }

    // MARK: Sending

    func send(_ message: String) throws { try send(.text(message)) }

    func send(_ frame: WebSocketFrame) throws {
        if case .close = frame { hasSentClose = true }
        try send(bytes: frame.masked)
    }

    func send(bytes: [UInt8]) throws { try connection.send(bytes: bytes) }

    /// Sends a close frame. The client can still receive.
    func endOutput() throws { try send(.close(code: 1000, reason: "")) }

    // MARK: Receiving

    func next() throws -> String? {
        while let frame = try WebSocketFrame.read({ try connection.next(bytes: $0) }) {
            try #require(serverClose == nil, "received \(frame) after the close frame")
            switch frame {
            case .text(let message): return message
            case .ping(let content): try send(.pong(content))
            case .pong: pongs += 1
            case .close:
                serverClose = frame
                if !hasSentClose { try send(frame) }
            }
        }
        return nil
    }

    /// Expects the close frame of the server as the next message, and the end of the connection after it.
    func expectClose(
        _ code: Int?, _ reason: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expectEnd(sourceLocation: sourceLocation)
        let expected = WebSocketFrame.close(code: code, reason: reason)
        try #require(serverClose == expected, sourceLocation: sourceLocation)
    }
}
