/// A frame of a WebSocket, as the server sends it.
struct ServerFrame {
    static let text: UInt8 = 1
    static let close: UInt8 = 8
    static let pong: UInt8 = 10

    let opcode: UInt8
    let content: [UInt8]
    /// The whole frame.
    let bytes: [UInt8]

    /// Why bytes are not a frame that a server may send.
    struct Fault: Error { let what: String }

    init(_ opcode: UInt8, _ content: [UInt8]) {
        self.opcode = opcode
        self.content = content
        bytes = [0x80 | opcode] + Self.length(of: content) + content
    }

    /// The message with this line, which ends with LF.
    init(line: [UInt8]) { self.init(Self.text, line.dropLast()) }

    /// The line of a message.
    var line: [UInt8] { content + [UInt8(ascii: "\n")] }

    private static func length(of content: [UInt8]) -> [UInt8] {
        switch content.count {
        case ..<126: [UInt8(content.count)]
        case ..<65_536: [126] + bigEndian(content.count, 2)
        default: [127] + bigEndian(content.count, 8)
        }
    }

    private static func bigEndian(_ number: Int, _ bytes: Int) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(number >> (8 * $0) & 0xFF) }
    }

    /// Reads the first frame; nil if it is not complete.
    init?(startOf input: [UInt8]) throws(Fault) {
        guard input.count >= 2 else { return nil }
        guard [Self.text, Self.close, Self.pong].contains(input[0] ^ 0x80) else {
            throw Fault(what: "the server sends a frame that begins with the byte \(input[0])")
        }
        guard input[1] < 128 else { throw Fault(what: "the server sends a masked frame") }
        let start = input[1] == 126 ? 4 : input[1] == 127 ? 10 : 2
        guard input.count >= start else { return nil }
        let count = start == 2 ? Int(input[1]) : input[2..<start].reduce(0) { $0 << 8 | Int($1) }
        guard input.count >= start + count else { return nil }
        self.init(input[0] ^ 0x80, Array(input[start..<start + count]))
        guard input.starts(with: bytes) else {
            throw Fault(what: "the server writes the length \(count) in too many bytes")
        }
    }
}
