import Glibc

/// A connection that writes a line and then waits for the lines that answer it. Lines can have any length.
final class LineSocket {
    private let socket: Int32
    private var input: [UInt8] = []

    init(port: UInt16) {
        socket = connected(to: port)
        // A server that needs longer to answer is faulty.
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    /// Writes a text, which need not be a whole line.
    func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            precondition(count > 0, "cannot send a line to the server: errno \(errno)")
            rest = rest.dropFirst(count)
        }
    }

    /// The next line, without its line break.
    func nextLine() -> [UInt8] {
        var seen = 0
        while true {
            if let end = input[seen...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { input.removeFirst(end + 1) }
                return Array(input[..<end])
            }
            seen = input.count
            let piece = [UInt8](unsafeUninitializedCapacity: 1 << 18) { buffer, count in
                count = max(0, read(socket, buffer.baseAddress, buffer.count))
            }
            precondition(!piece.isEmpty, "the server closed the connection, or sent nothing for a minute")
            input += piece
        }
    }

    /// Ends the output. The server still receives everything that was written before.
    func endOutput() { shutdown(socket, Int32(SHUT_WR)) }

    /// Makes `close` reset the connection. Data on its way is lost.
    func resetWhenClosed() {
        var reset = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
    }
}
