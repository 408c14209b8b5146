import Glibc

/// The client side of a web socket with just the features that a load needs: whole messages, no extensions.
enum WebSocket {
    enum Kind: UInt8 {
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10
    }

    /// A complete frame.
    struct Frame {
        let kind: Kind
        let payload: UnsafeRawBufferPointer
        /// The bytes of the whole frame.
        let count: Int
    }

    /// Upgrades a connection to a web socket.
    static func begin(on socket: Int32, path: String) {
        let lines = [
            "GET /\(path) HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket", "Connection: Upgrade",
            // The load does not check the server's answer to this key.
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlcmUgaXMgYSBjYXJldA==", "", "",
        ]
        writeWhole(Array(lines.joined(separator: "\r\n").utf8), to: socket)
        let answer = head(from: socket)
        precondition(answer.hasPrefix("HTTP/1.1 101"), "the server refused to open a web socket: \(answer)")
    }

    /// Reads the head of the answer, up to the empty line. Reads byte by byte, so that the frames after it
    /// stay unread.
    private static func head(from socket: Int32) -> String {
        var (said, byte) = ([UInt8](), UInt8())
        while said.suffix(4) != [0x0D, 0x0A, 0x0D, 0x0A] {
            precondition(
                read(socket, &byte, 1) == 1, "the server closed a connection instead of opening a web socket")
            said.append(byte)
        }
        return String(decoding: said, as: UTF8.self)
    }

    static func send(_ payload: [UInt8], as kind: Kind = .binary, to socket: Int32) {
        var bytes = [0x80 | kind.rawValue]
        switch payload.count {
        case ..<126: bytes.append(0x80 | UInt8(payload.count))
        case ..<65_536: bytes += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            preconditionFailure(
                "a message of \(payload.count) bytes is too long: this client sends at most 65,535")
        }
        // A client must mask the frames that it sends. A mask of zeros changes nothing.
        bytes += [0, 0, 0, 0]
        writeWhole(bytes + payload, to: socket)
    }

    /// The frame that begins at this index; nil if it is not complete.
    static func frame(in bytes: UnsafeRawBufferPointer, at start: Int) -> Frame? {
        guard start + 2 <= bytes.count else { return nil }
        guard let kind = Kind(rawValue: bytes[start] & 0x0F), bytes[start] & 0x80 != 0 else {
            preconditionFailure("the server sent a frame with the unsupported first byte \(bytes[start])")
        }
        let short = Int(bytes[start + 1])
        let digits = short < 126 ? 0 : short == 126 ? 2 : 8
        guard start + 2 + digits <= bytes.count else { return nil }
        let length =
            digits == 0 ? short : bytes[(start + 2)..<(start + 2 + digits)].reduce(0) { $0 << 8 | Int($1) }
        let first = start + 2 + digits
        guard first + length <= bytes.count else { return nil }
        let payload = UnsafeRawBufferPointer(rebasing: bytes[first..<(first + length)])
        return Frame(kind: kind, payload: payload, count: 2 + digits + length)
    }
}
