/// Reads the frames that a client sends over a WebSocket (RFC 6455). The result is the same for any split of
/// the input into pieces. Only the pieces in which the content of a message is returned depend on it.
package struct FrameReader: Sendable {
    package enum Event: Equatable, Sendable {
        /// The next bytes of a message, unmasked. The bytes may end anywhere, even inside a character.
        case content([UInt8])
        /// The message is complete. It had at least one frame, but perhaps no content.
        case messageEnd
        case ping([UInt8])
        case pong
        /// The peer closes the WebSocket. `code` is nil if the peer sent none.
        case close(CloseCode?)
    }

    private enum Phase {
        case header
        /// Inside a frame of a message.
        case content(Frame)
        /// Inside a ping, a pong or a close frame.
        case control(Frame)
        case closed
    }

    private struct Frame {
        let opcode: Opcode
        let isFinal: Bool
        var left: Int
        /// The mask, rotated so that its first byte belongs to the next byte of content.
        var mask: Mask

        /// Removes the next bytes of the frame from `input`, and unmasks them.
        mutating func removeContent(from input: inout UnsafeRawBufferPointer) -> [UInt8] {
            let piece = UnsafeRawBufferPointer(rebasing: input.prefix(left))
            input = UnsafeRawBufferPointer(rebasing: input[piece.count...])
            left -= piece.count
            return mask.remove(from: piece)
        }
    }

    private var phase = Phase.header
    /// The bytes of the current header so far, or of the current control frame.
    private var partial: [UInt8] = []
    /// The number of frames of the message so far. Zero between two messages.
    private var messageFrames: UInt32 = 0
    private var text = TextValidator()
    /// A server of documents refuses binary messages. A program that tests frames accepts them.
    private let acceptsBinary: Bool
    /// Whether the message that is being read is binary, so that it need not be valid UTF-8.
    package private(set) var isBinary = false

    package init(acceptsBinary: Bool = false) { self.acceptsBinary = acceptsBinary }

    /// Reads from the start of `input` up to the end of the next event. Returns nil if all bytes were read,
    /// and after a close frame. Throws the first fault, and must not be called after that.
    package mutating func next(of input: inout UnsafeRawBufferPointer) throws(FrameFault) -> Event? {
        while true {
            switch phase {
            case .closed: return nil
            case .header: guard try readHeader(of: &input) else { return nil }
            case .content(var frame):
                if frame.left == 0 {
                    phase = .header
                    if frame.isFinal { return try endOfMessage() }
                    continue
                }
                if input.isEmpty { return nil }
                let piece = frame.removeContent(from: &input)
                phase = .content(frame)
                guard isBinary || text.accepts(piece) else { throw Self.notUTF8 }
                return .content(piece)
            case .control(var frame):
                partial += frame.removeContent(from: &input)
                phase = .control(frame)
                return frame.left == 0 ? try endOfControl(frame) : nil
            }
        }
    }

    private static let notUTF8 = FrameFault(.invalidText, "a text message must be valid UTF-8")

    private mutating func readHeader(of input: inout UnsafeRawBufferPointer) throws(FrameFault) -> Bool {
        while partial.count < FrameHeader.length(of: partial) {
            guard let byte = input.first else { return false }
            input = UnsafeRawBufferPointer(rebasing: input[1...])
            partial.append(byte)
            // A fault of the first two bytes is reported before the other bytes arrive.
            if partial.count == 2 {
                try FrameHeader.check(partial, isInMessage: messageFrames > 0, acceptsBinary: acceptsBinary)
            }
        }
        let parsed = try FrameHeader(partial)
        // Frees the memory, because there may be very many idle connections.
        partial = []
        let frame = Frame(
            opcode: parsed.opcode, isFinal: parsed.isFinal, left: parsed.count, mask: parsed.mask)
        if parsed.opcode.isControl {
            phase = .control(frame)
        } else {
            if messageFrames == 0 { isBinary = parsed.opcode == .binary }
            messageFrames += 1
            guard messageFrames <= WebSocketLimits.framesOfMessage else {
                throw FrameFault(
                    .messageTooBig, "a message has more than \(WebSocketLimits.framesOfMessage) frames")
            }
            phase = .content(frame)
        }
        return true
    }

    private mutating func endOfMessage() throws(FrameFault) -> Event {
        messageFrames = 0
        guard text.isComplete else { throw Self.notUTF8 }
        return .messageEnd
    }

    private mutating func endOfControl(_ frame: Frame) throws(FrameFault) -> Event {
        phase = .header
        defer { partial = [] }
        switch frame.opcode {
        case .ping: return .ping(partial)
        case .close:
            phase = .closed
            return .close(try Self.closeCode(in: partial))
        case .pong, .text, .binary, .continuation: return .pong
        }
    }

    private static func closeCode(in content: [UInt8]) throws(FrameFault) -> CloseCode? {
        if content.isEmpty { return nil }
        guard content.count >= 2 else {
            throw .violation("the content of a close frame must be empty or have at least two bytes")
        }
        let code = CloseCode(UInt16(content[0]) << 8 | UInt16(content[1]))
        guard code.isValid else { throw .violation("close code \(code.value) must not be sent") }
        var reason = TextValidator()
        guard reason.accepts(content[2...]), reason.isComplete else {
            throw FrameFault(.invalidText, "the reason of a close frame must be valid UTF-8")
        }
        return code
    }
}
