/// Makes the frames that a server sends. They are not masked, so all clients get equal bytes.
package enum FrameWriter {
    private static let final: UInt8 = 0x80
    private static let lineFeed = UInt8(ascii: "\n")

    /// One text message for each line of `lines`, which ends with LF. The messages have no line ends.
    package static func messages(of lines: [UInt8]) -> [UInt8] {
        var frames: [UInt8] = []
        frames.reserveCapacity(lines.count + 9)
        var start = lines.startIndex
        while start < lines.endIndex {
            let end = lines[start...].firstIndex(of: lineFeed) ?? lines.endIndex
            append(.text, lines[start..<end], to: &frames)
            start = end + 1
        }
        return frames
    }

    /// One message with any content, even with LF.
    package static func message(_ content: [UInt8], isBinary: Bool) -> [UInt8] {
        var frame: [UInt8] = []
        append(isBinary ? .binary : .text, content[...], to: &frame)
        return frame
    }

    /// The number of bytes that `messages` returns for these lines.
    package static func byteCount(ofMessages lines: [UInt8]) -> Int {
        var (count, start) = (0, lines.startIndex)
        while start < lines.endIndex {
            let end = lines[start...].firstIndex(of: lineFeed) ?? lines.endIndex
            count += headerBytes(end - start) + end - start
            start = end + 1
        }
        return count
    }

    private static func headerBytes(_ content: Int) -> Int { content < 126 ? 2 : content < 1 << 16 ? 4 : 10 }

    package static func pong(_ content: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = []
        append(.pong, content[...], to: &frame)
        return frame
    }

    /// A close frame. The reason is cut if it is too long.
    package static func close(_ code: CloseCode?, reason: String) -> [UInt8] {
        var content: [UInt8] = []
        if let code {
            content = [UInt8(code.value >> 8), UInt8(code.value & 0xFF)]
            for character in reason {
                guard content.count + character.utf8.count <= WebSocketLimits.controlContent else { break }
                content += character.utf8
            }
        }
        var frame: [UInt8] = []
        append(.close, content[...], to: &frame)
        return frame
    }

    private static func append(_ opcode: Opcode, _ content: ArraySlice<UInt8>, to frames: inout [UInt8]) {
        appendHeader(opcode, content.count, to: &frames)
        frames += content
    }

    /// The header of a text message with so many bytes of content.
    package static func headerOfMessage(_ count: Int) -> [UInt8] {
        var header: [UInt8] = []
        appendHeader(.text, count, to: &header)
        return header
    }

    private static func appendHeader(_ opcode: Opcode, _ count: Int, to frames: inout [UInt8]) {
        frames.append(final | opcode.rawValue)
        switch count {
        case 0..<126: frames.append(UInt8(count))
        case 126..<(1 << 16): frames += [126, UInt8(count >> 8), UInt8(count & 0xFF)]
        default:
            frames.append(127)
            withUnsafeBytes(of: UInt64(count).bigEndian) { frames += $0 }
        }
    }
}
