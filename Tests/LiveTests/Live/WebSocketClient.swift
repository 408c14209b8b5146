import Glibc
import Testing

/// A client that sends and receives messages over a WebSocket. Its calls block.
final class WebSocketClient: MessageClient {
    private let connection: LineClient
    /// Whether the next message continues the one that `sendBeginning` began.
    private var isInMessage = false
    /// The first close frame that the client has sent.
    private var ownClose: WebSocketFrame?
    private var lastMessage: String?
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

    /// A WebSocket over a new connection that nobody else uses.
    init(over connection: LineClient) throws {
        self.connection = connection
        try connection.send(bytes: Array(Self.upgrade.utf8))
        let response = try connection.response()
        try #require(response.status == 101, "\(response)")
        try #require(response.fields["sec-websocket-accept"] == Self.accept, "\(response)")
    }

    var descriptor: Int32 { connection.descriptor }

    // MARK: Sending

    func send(_ message: String) throws {
        try send(isInMessage ? .continuation(message) : .text(message))
        isInMessage = false
    }

    func sendBeginning(of message: String) throws {
        try send(isInMessage ? .continuation(message, isLast: false) : .text(message, isLast: false))
        isInMessage = true
    }

    func send(_ frame: WebSocketFrame) throws {
        if case .close = frame, ownClose == nil { ownClose = frame }
        try send(bytes: frame.masked)
    }

    func send(bytes: [UInt8]) throws { try connection.send(bytes: bytes) }

    func flush() throws { try connection.flush() }

    /// Sends a close frame unless the client has sent one. The client can still receive.
    func endOutput() throws { if ownClose == nil { try send(.close(code: 1000, reason: "")) } }

    // MARK: Receiving

    func next() throws -> String? {
        while let frame = try WebSocketFrame.read({ try connection.next(bytes: $0) }) {
            try #require(serverClose == nil, "received \(frame) after the close frame")
            switch frame {
            case .text(let message, isLast: true):
                lastMessage = message
                return message
            case .text, .continuation: throw Unexpected("the server split a message: \(frame)")
            case .ping(let content): try send(.pong(content))
            case .pong: pongs += 1
            case .close: try close(frame)
            }
        }
        return nil
    }

    /// Handles the close frame of the server. If the client has sent one first, the server repeats its code.
    private func close(_ frame: WebSocketFrame) throws {
        serverClose = frame
        let expected = ownClose ?? CloseContract.frame(after: lastMessage)
        let last = lastMessage?.shortened ?? "no message"
        try #require(frame == expected, "after \(last) a client expects \(expected as Any)")
        guard ownClose == nil else { return }
        do {
            try send(frame)
        } catch let failure as SystemFailure where failure.code == EPIPE || failure.code == ECONNRESET {
            // The server waits only a few seconds for this answer.
        }
    }

    func expectOrderlyEnd() throws {
        try #require(serverClose != nil, "the connection ended without a close frame")
    }
}
