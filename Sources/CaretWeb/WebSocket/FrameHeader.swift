enum Opcode: UInt8, Sendable {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue >= 8 }
}

/// The header of a client's frame: two bytes, a longer length if the frame has one, and the mask.
struct FrameHeader {
    let opcode: Opcode
    let isFinal: Bool
    /// Bytes of content.
    let count: Int
    let mask: Mask

    private static let finalBit: UInt8 = 0x80
    private static let reservedBits: UInt8 = 0x70
    private static let maskBit: UInt8 = 0x80

    /// The number of bytes of the header that begins with `start`. If `start` has fewer than two bytes,
    /// returns 2, because every header has at least two bytes.
    static func length(of start: [UInt8]) -> Int {
        start.count < 2 ? 2 : 2 + lengthBytes(start[1] & 0x7F) + 4
    }

    private static func lengthBytes(_ code: UInt8) -> Int { code < 126 ? 0 : code == 126 ? 2 : 8 }

    /// Checks the first two bytes. `isInMessage` is true if the last frame was not the end of its message.
    static func check(
        _ start: [UInt8], isInMessage: Bool, acceptsBinary: Bool
    ) throws(FrameFault) {
        guard start[0] & reservedBits == 0 else {
            throw .violation("a reserved bit is set, but no extension was agreed on")
        }
        let number = start[0] & 0x0F
        guard let opcode = Opcode(rawValue: number) else {
            throw .violation("opcode \(number) is not defined")
        }
        if opcode == .binary, !acceptsBinary {
            throw FrameFault(.unsupportedData, "messages must be text, not binary")
        }
        guard start[1] & maskBit != 0 else { throw .violation("frames of a client must be masked") }
        if opcode.isControl {
            guard start[0] & finalBit != 0 else {
                throw .violation("a control frame must not be fragmented")
            }
            guard start[1] & 0x7F < 126 else {
                throw .violation("a control frame may have at most \(WebSocketLimits.controlContent) bytes")
            }
        } else if isInMessage != (opcode == .continuation) {
            throw .violation(
                isInMessage
                    ? "a new message began before the previous message ended"
                    : "a message must not begin with a continuation frame")
        }
    }

    /// Reads a whole header whose first two bytes were checked.
    init(_ bytes: [UInt8]) throws(FrameFault) {
        guard let opcode = Opcode(rawValue: bytes[0] & 0x0F) else {
            preconditionFailure("the opcode of a header was not checked")
        }
        self.opcode = opcode
        isFinal = bytes[0] & Self.finalBit != 0
        let code = bytes[1] & 0x7F
        let lengthEnd = 2 + Self.lengthBytes(code)
        if code < 126 {
            count = Int(code)
        } else {
            let length = bytes[2..<lengthEnd].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            guard length <= UInt64(Int.max) else {
                throw .violation("the length of a frame must not begin with a 1 bit")
            }
            guard length >= (code == 126 ? 126 : 1 << 16) else {
                throw .violation("the length of a frame must be written in its shortest form")
            }
            count = Int(length)
        }
        mask = Mask(bytes[lengthEnd...])
    }
}

/// The four bytes with which a client has masked the content of a frame.
struct Mask: Equatable, Sendable {
    /// The first byte of the mask is in the lowest eight bits.
    private var bytes: UInt32

    init(_ bytes: some Collection<UInt8>) {
        self.bytes = bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Unmasks the next bytes of the content.
    mutating func remove(from piece: UnsafeRawBufferPointer) -> [UInt8] {
        let word = UInt64(bytes) << 32 | UInt64(bytes)
        let result = [UInt8](unsafeUninitializedCapacity: piece.count) { target, count in
            let target = UnsafeMutableRawBufferPointer(target)
            let words = piece.count / 8 * 8
            for offset in stride(from: 0, to: words, by: 8) {
                let masked = UInt64(
                    littleEndian: piece.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                target.storeBytes(of: (masked ^ word).littleEndian, toByteOffset: offset, as: UInt64.self)
            }
            for offset in words..<piece.count {
                target[offset] = piece[offset] ^ UInt8(truncatingIfNeeded: word >> (offset % 8 * 8))
            }
            count = piece.count
        }
        let turn = UInt32(piece.count % 4 * 8)
        bytes = bytes >> turn | bytes << ((32 - turn) % 32)
        return result
    }
}
