import CaretTLS
import Glibc

/// A client's connection over any transport. It sends lines, and returns the bytes that arrive. A load runs
/// all its channels on one thread.
final class ClientChannel {
    let socket: Int32
    private let transport: Transport
    /// Nil without TLS.
    private let session: TLSSession?

    /// The most bytes that one read of a TLS connection takes from the system.
    private static let sealedBytes = 1 << 16
    private static var noBytes: UnsafeMutableRawBufferPointer { .init(start: nil, count: 0) }

    /// Connects to a server. With TLS, this also computes the first message of the handshake.
    init(to port: UInt16, over transport: Transport, hasSmallReceiveBuffer: Bool = false) {
        socket = connected(to: port, hasSmallReceiveBuffer: hasSmallReceiveBuffer)
        self.transport = transport
        session =
            if case .tls(let context) = transport {
                context.makeSession(to: "127.0.0.1", speaking: .lines)
            } else {
                nil
            }
        // A server that needs longer to answer is faulty.
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        _ = session?.read(into: ClientChannel.noBytes)
    }

    deinit { close(socket) }

    /// Whether the client can send lines.
    var isOpen: Bool { session?.isOpen ?? true }

    /// Opens the WebSocket, or completes the handshake of TLS.
    func open() {
        if case .webSocket = transport { WebSocket.begin(on: socket, path: "ws") }
        flush()
        while !isOpen { read(into: ClientChannel.noBytes) }
    }

    /// Sends what TLS has to send.
    func flush() {
        guard let session, !session.output.isEmpty else { return }
        let count = session.output.count
        writeWhole(session.output, to: socket)
        session.removeOutput(count)
    }

    // MARK: Lines

    /// Sends a line with its line break.
    func send(_ line: UnsafeRawBufferPointer) {
        switch transport {
        case .lines: writeWhole(line, to: socket)
        // A message has no line break.
        case .webSocket: WebSocket.send(Array(line.dropLast()), as: .text, to: socket)
        case .tls:
            if let fault = session?.sealing(line) { preconditionFailure("TLS failed: \(fault)") }
            flush()
        }
    }

    /// Sends a line without a line break, and adds the line break.
    func send(_ line: String) { Array((line + "\n").utf8).withUnsafeBytes { send($0) } }

    static func hello(as client: String) -> String {
        #"{"type":"hello","protocol":1,"client":"\#(client)"}"#
    }

    /// Opens the connection, says hello, and waits for the welcome.
    func open(as client: String) {
        open()
        send(ClientChannel.hello(as: client))
        withUnsafeTemporaryAllocation(byteCount: 2 * ClientChannel.sealedBytes, alignment: 16) { buffer in
            var answer = ""
            while !answer.contains("welcome") {
                answer += String(decoding: buffer[..<read(into: buffer)], as: UTF8.self)
            }
        }
    }

    /// Reads from the socket once, and returns the number of bytes in `buffer`. With TLS they are decrypted,
    /// and there may be none. `buffer` must be larger than `sealedBytes`, except before the connection is
    /// open.
    @discardableResult
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let session else { return readSome(into: buffer) }
        withUnsafeTemporaryAllocation(byteCount: ClientChannel.sealedBytes, alignment: 16) { sealed in
            let count = readSome(into: sealed)
            session.receive(UnsafeRawBufferPointer(rebasing: sealed[..<count]))
        }
        let (count, end) = session.read(into: buffer)
        if case .failed(let fault) = end { preconditionFailure("TLS failed: \(fault)") }
        precondition(end != .ended, "the server closed a TLS connection")
        flush()
        return count
    }

    private func readSome(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = Glibc.read(socket, buffer.baseAddress, buffer.count)
        precondition(count > 0, "the server closed a connection, or sent nothing for a minute")
        return count
    }
}
