/// Makes the frames of a client.
enum ClientFrames {
    static let text: UInt8 = 1
    static let close: UInt8 = 8
    static let ping: UInt8 = 9
    static let pong: UInt8 = 10

    /// A masked frame. `first` is its whole first byte; the default is a final frame with this opcode.
    static func frame(
        _ opcode: UInt8, _ content: [UInt8], first: UInt8? = nil, mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    ) -> [UInt8] {
        var frame = [first ?? (0x80 | opcode)]
        switch content.count {
        case ..<126: frame.append(0x80 | UInt8(content.count))
        case ..<65_536: frame += [0x80 | 126, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
        default: frame += [0x80 | 127] + (0..<8).map { UInt8(content.count >> (56 - 8 * $0) & 0xFF) }
        }
        return frame + mask + content.indices.map { content[$0] ^ mask[$0 % 4] }
    }

    static func message(_ text: String) -> [UInt8] { frame(Self.text, Array(text.utf8)) }

    static func closing(_ code: Int, _ reason: String = "") -> [UInt8] {
        frame(close, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
    }
}
