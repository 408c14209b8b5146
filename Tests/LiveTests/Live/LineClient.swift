import CaretTLS
import Glibc
import TestSupport

/// A client that sends and receives lines. Its calls block.
final class LineClient: MessageClient {
    /// How the client writes its lines to the socket.
    enum WriteStyle: String, CaseIterable {
        case whole
        case byteByByte
        /// Collects lines, and sends them in one write when the client waits for an answer.
        case glued
    }

    enum ListenerKind {
        case tcp, adminSocket
        /// An IPv4 address at which the server also listens.
        case address(UInt32)
    }

    /// Keeps the server running as long as a client uses it.
    private let server: LiveServer
    private let reader: LineReader
    private let style: WriteStyle
    private var unsent: [UInt8] = []

    var descriptor: Int32 { reader.descriptor }

    /// With `trust`, the client uses TLS.
    init(
        _ server: LiveServer, at listenerKind: ListenerKind = .tcp, _ style: WriteStyle = .whole,
        trusting trust: TLSTrust? = nil, speaking spoken: ApplicationProtocol? = nil
    ) throws {
        self.server = server
        self.style = style
        let address =
            switch listenerKind {
            case .tcp: Address.loopback(port: server.port)
            case .address(let number): Address.ip4(number, port: server.port)
            case .adminSocket: Address.unix(path: server.socketPath)
            }
        reader = LineReader(try address.connected(trusting: trust, speaking: spoken))
    }

    // MARK: Sending

    func send(_ line: String) throws { try send(bytes: Array(line.utf8) + [UInt8(ascii: "\n")]) }

    func sendBeginning(of message: String) throws { try send(bytes: Array(message.utf8)) }

    func send(bytes: [UInt8]) throws {
        switch style {
        case .whole: try write(bytes[...])
        case .byteByByte: for index in bytes.indices { try write(bytes[index...index]) }
        case .glued: unsent += bytes
        }
    }

    private func write(_ bytes: ArraySlice<UInt8>) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 { throw SystemFailure("send", errno) }
            rest = rest.dropFirst(count)
        }
    }

    func flush() throws {
        let bytes = unsent
        unsent = []
        try write(bytes[...])
    }

    /// Ends the output of the client. The client can still receive.
    func endOutput() throws {
        try flush()
        shutdown(descriptor, Int32(SHUT_WR))
    }

    // MARK: Receiving

    /// The next line; nil at the end of the connection.
    func next() throws -> String? {
        try flush()
        return try reader.next()
    }

    /// A connection for lines ends without a reason, so there is nothing to check.
    func expectOrderlyEnd() {}

    /// The next bytes; nil if the connection ends before them.
    func next(bytes count: Int) throws -> [UInt8]? {
        try flush()
        return try reader.next(bytes: count)
    }
}
