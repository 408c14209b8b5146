// Faults in the gateway for WebSockets and in its shell.

/// For each piece of input, the gateway begins with the first byte of the mask, even in the middle of a frame.
final class MaskRestarted: PlantedFault {
    private var scanners: [Int: FrameScanner] = [:]

    override func received(_ bytes: [UInt8], on link: Link) -> [UInt8] {
        scanners[link.number, default: FrameScanner()].maskedWrongly(bytes)
    }
}

/// Follows the frames of a client, to find the mask of each byte.
private struct FrameScanner {
    /// The request before the frames, and then the header of the current frame.
    private var head: [UInt8] = []
    private var isUpgraded = false
    private var mask: [UInt8] = []
    /// How many bytes of the frame's content are missing, and how many were read.
    private var (left, read) = (0, 0)

    /// Changes the contents of frames. A correct gateway then reads what the faulty one would read.
    mutating func maskedWrongly(_ bytes: [UInt8]) -> [UInt8] {
        var start = read
        return bytes.map { byte in
            if left == 0 {
                readHead(byte)
                start = 0
                return byte
            }
            defer { (left, read) = (left - 1, read + 1) }
            return byte ^ mask[read % 4] ^ mask[(read - start) % 4]
        }
    }

    private mutating func readHead(_ byte: UInt8) {
        head.append(byte)
        if !isUpgraded {
            isUpgraded = head.suffix(4) == [13, 10, 13, 10]
            if isUpgraded { head = [] }
            return
        }
        guard head.count >= 2 else { return }
        let lengthBytes = head[1] & 0x7F == 126 ? 2 : head[1] & 0x7F == 127 ? 8 : 0
        guard head.count == 2 + lengthBytes + 4 else { return }
        let length = head[2..<2 + lengthBytes].reduce(0) { $0 << 8 | Int($1) }
        (left, read) = (lengthBytes == 0 ? Int(head[1] & 0x7F) : length, 0)
        mask = Array(head.suffix(4))
        head = []
    }
}

/// A pong has the content of the ping before.
final class PongForEarlierPing: PlantedFault {
    private var earlier: [UInt8] = []

    override func bytes(of frame: ServerFrame) -> [UInt8] {
        if frame.opcode != ServerFrame.pong { return frame.bytes }
        defer { earlier = frame.content }
        return ServerFrame(frame.opcode, earlier).bytes
    }
}

/// Sometimes a line is sent in the form for connections without HTTP.
final class LineWithoutFrame: PlantedFault {
    private var changes = 0

    override func bytes(of frame: ServerFrame) -> [UInt8] {
        guard frame.content.starts(with: Array("{\"type\":\"change\"".utf8)) else { return frame.bytes }
        changes += 1
        return changes % 10 == 0 ? frame.line : frame.bytes
    }
}

/// When reading is paused in the middle of the input, the shell drops the rest.
final class RestOfInputDropped: PlantedFault {
    override var dropsUnreadInput: Bool { true }
}
