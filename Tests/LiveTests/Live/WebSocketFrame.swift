/// A frame of a WebSocket (RFC 6455).
enum WebSocketFrame: Equatable {
    case text(String, isLast: Bool = true)
    /// Another frame of the message that a text frame began.
    case continuation(String, isLast: Bool = true)
    case ping([UInt8])
    case pong([UInt8])
    /// `code` is nil if the frame has none.
    case close(code: Int?, reason: String)

    private static let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

    /// The bytes that a client sends.
    var masked: [UInt8] {
        var content = self.content
        content.withUnsafeMutableBytes(Self.applyMask)
        return [firstByte] + Self.length(content.count) + Self.mask + content
    }

    /// Works on eight bytes at a time, because this code is not optimized and some messages have megabytes.
    private static func applyMask(_ bytes: UnsafeMutableRawBufferPointer) {
        let eight = (mask + mask).withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        let end = bytes.count & ~7
        for offset in stride(from: 0, to: end, by: 8) {
            let plain = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            bytes.storeBytes(of: plain ^ eight, toByteOffset: offset, as: UInt64.self)
        }
        for offset in end..<bytes.count { bytes[offset] ^= mask[offset % 4] }
    }

    private var firstByte: UInt8 {
        switch self {
        case .text(_, let isLast): isLast ? 0x81 : 0x01
        case .continuation(_, let isLast): isLast ? 0x80 : 0x00
        case .close: 0x88
        case .ping: 0x89
        case .pong: 0x8A
        }
    }

    private var content: [UInt8] {
        switch self {
        case .text(let text, _), .continuation(let text, _): Array(text.utf8)
        case .ping(let content), .pong(let content): content
        case .close(nil, _): []
        case .close(let code?, let reason): [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8)
        }
    }

    private static func length(_ count: Int) -> [UInt8] {
        switch count {
        case ..<126: [0x80 | UInt8(count)]
        case ..<65_536: [0x80 | 126, UInt8(count >> 8), UInt8(count & 0xFF)]
        default: [0x80 | 127] + (0..<8).map { UInt8(count >> (56 - 8 * $0) & 0xFF) }
        }
    }

    /// Reads a frame of a server. `next` returns the given number of bytes, or nil if fewer bytes are left.
    /// If `next` returns nil, no frame is returned.
    static func read(_ next: (Int) throws -> [UInt8]?) throws -> WebSocketFrame? {
        guard let start = try next(2) else { return nil }
        let lengthBytes = start[1] == 126 ? 2 : start[1] == 127 ? 8 : 0
        guard start[1] < 128 else { throw Unexpected("a frame of the server is masked") }
        guard let length = try next(lengthBytes) else { return nil }
        let count = lengthBytes == 0 ? Int(start[1]) : length.reduce(0) { $0 << 8 | Int($1) }
        guard let content = try next(count) else { return nil }
        switch start[0] {
        case 0x81: return .text(String(decoding: content, as: UTF8.self))
        case 0x88: return closeFrame(content)
        case 0x89: return .ping(content)
        case 0x8A: return .pong(content)
        default: throw Unexpected("a frame of the server begins with the byte \(start[0])")
        }
    }

    private static func closeFrame(_ content: [UInt8]) -> WebSocketFrame {
        let code = content.count < 2 ? nil : Int(content[0]) << 8 | Int(content[1])
        return .close(code: code, reason: String(decoding: content.dropFirst(2), as: UTF8.self))
    }
}
