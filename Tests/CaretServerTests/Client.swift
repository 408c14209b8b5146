import CaretServer
import Glibc
import Testing

/// The client side of a connection. Its calls block, and fail after a long time without data.
final class Client: Sendable {
    let descriptor: Int32

    private static let patience = 20

    /// `tunnel` replaces the connected socket by another one, which the client then uses.
    init(
        to address: SocketAddress, receiveBuffer: Int32? = nil, through tunnel: (Int32) -> Int32 = { $0 }
    ) throws {
        let socket = socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try #require(socket >= 0, "socket: \(errno)")
        if var receiveBuffer {
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4)
        }
        let code = try address.withSockaddr { connect(socket, $0, $1) == 0 ? 0 : errno }
        descriptor = code == 0 ? tunnel(socket) : socket
        var time = timeval(tv_sec: Client.patience, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout.size(ofValue: time)))
        }
        if code != 0 { throw SystemFault("connect", code: code) }
    }

    deinit { close(descriptor) }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            try #require(count > 0, "send: \(errno)")
            sent += count
        }
    }

    /// Reads exactly this many bytes.
    func receive(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let piece = try receiveSome(upTo: count - bytes.count)
            try #require(!piece.isEmpty, "the connection ended after \(bytes.count) of \(count) bytes")
            bytes += piece
        }
        return bytes
    }

    func receive(text count: Int) throws -> String { String(decoding: try receive(count), as: UTF8.self) }

    /// Reads the available bytes. The result is empty at the end of the connection.
    func receiveSome(upTo count: Int = 65_536) throws -> [UInt8] {
        let (piece, code) = piece(upTo: count)
        try #require(code == 0, "recv: \(code)")
        return piece
    }

    /// Reads until the connection ends. Returns the bytes, and the error code or 0.
    func receiveAll() -> (bytes: [UInt8], code: Int32) {
        var bytes: [UInt8] = []
        while true {
            let (piece, code) = piece(upTo: 65_536)
            if piece.isEmpty { return (bytes, code) }
            bytes += piece
        }
    }

    private func piece(upTo count: Int) -> ([UInt8], Int32) {
        var code: Int32 = 0
        let piece = [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
            let read = uninterrupted { recv(descriptor, buffer.baseAddress, count, 0) }
            if read < 0 { code = errno }
            size = max(0, read)
        }
        return (piece, code)
    }

    func endOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends the connection so that the server gets a reset.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        // Connecting to an unspecified address ends the connection. The descriptor stays open, because
        // `deinit` closes it, and it must be closed only once.
        var nowhere = sockaddr()
        nowhere.sa_family = sa_family_t(AF_UNSPEC)
        connect(descriptor, &nowhere, socklen_t(MemoryLayout.size(ofValue: nowhere)))
    }
}
