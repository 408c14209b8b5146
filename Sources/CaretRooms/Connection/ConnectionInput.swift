import CaretWire

/// How the received bytes are divided into messages.
package enum InputFraming: Sendable {
    /// Each line is a message.
    case lines
    /// The caller says where a message ends. Inside a message, a line end counts as a blank.
    case messages
}

/// The received bytes that were not decoded to messages yet.
struct ConnectionInput: Sendable {
    enum Next {
        /// A decoded line or its fault, and the line's length.
        case line(Result<Envelope<ClientMessage>, WireFault>, bytes: Int)
        case incomplete
        case tooLong(WireFault)
    }

    let framing: InputFraming
    private var framer: LineFramer
    private var decoder: MessageDecoder
    /// Bytes that arrived while the connection was not ready for another line.
    private var unread: [UInt8] = []
    private var unreadStart = 0
    /// The peer has stopped sending.
    var hasEnded = false
    /// When the incomplete line began; nil if there is none.
    private(set) var incompleteSince: Int64?
    /// Bytes of the server's budget that the incomplete line has reserved.
    private(set) var claimed = 0
    private var lastClaim = 0
    /// When reading was paused; nil if it is not.
    private(set) var pausedSince: Int64?

    init(_ limits: Limits, _ framing: InputFraming) {
        self.framing = framing
        framer = LineFramer(limit: limits.helloLine)
        decoder = MessageDecoder(limits: limits.announced)
    }

    var isPaused: Bool { pausedSince != nil }
    var hasUnread: Bool { unreadStart < unread.count }
    var incompleteBytes: Int { framer.incompleteBytes }

    /// Ends the handshake. From now on, lines may have this many bytes.
    mutating func allowLines(of bytes: Int) {
        framer.limit = bytes
        // The hello is complete now, even if it arrived in several pieces. So no line is incomplete.
        incompleteSince = nil
    }

    /// Reads the next line from the front of the unread bytes.
    mutating func next() -> Next {
        let held = unread
        return held.withUnsafeBytes { bytes in
            var rest = UnsafeRawBufferPointer(rebasing: bytes[unreadStart...])
            defer { unreadStart = bytes.count - rest.count }
            return next(of: &rest)
        }
    }

    mutating func next(of bytes: inout UnsafeRawBufferPointer) -> Next {
        let frame: LineFramer.Frame<Decoded> =
            switch framing {
            case .lines: ConnectionInput.nextLine(of: &bytes, &framer, &decoder)
            case .messages: framer.keepIncomplete(&bytes)
            }
        return switch frame {
        case .line(let (result, count)): .line(result, bytes: count)
        case .incomplete: .incomplete
        case .tooLong(let bytes, let limit): .tooLong(.lineTooLong(bytes: bytes, limit: limit))
        }
    }

    /// Ends the message whose bytes were read. Returns nil if the message is empty.
    mutating func endMessage() -> Next? {
        incompleteSince = nil
        return ConnectionInput.endMessage(&framer, &decoder).map { .line($0.0, bytes: $0.1) }
    }

    /// Ends a message whose first `head` bytes are a push in JSON with an empty text. The other bytes are its text.
    mutating func endText(after head: Int) -> Next? {
        incompleteSince = nil
        return ConnectionInput.endText(after: head, &framer, &decoder).map { .line($0.0, bytes: $0.1) }
    }

    /// Ends the message whose bytes were read, without decoding it.
    mutating func takeMessage() -> [UInt8] {
        incompleteSince = nil
        return framer.endMessage { Array($0) } ?? []
    }

    private typealias Decoded = (Result<Envelope<ClientMessage>, WireFault>, Int)

    private static func nextLine(
        of bytes: inout UnsafeRawBufferPointer, _ framer: inout LineFramer, _ decoder: inout MessageDecoder
    ) -> LineFramer.Frame<Decoded> {
        framer.next(of: &bytes) { decode($0, &decoder) }
    }

    private static func endMessage(_ framer: inout LineFramer, _ decoder: inout MessageDecoder) -> Decoded? {
        framer.endMessage { decode($0, &decoder) }
    }

    private static func endText(
        after head: Int, _ framer: inout LineFramer, _ decoder: inout MessageDecoder
    ) -> Decoded? {
        framer.endMessage { bytes in
            let (result, _) = decode(UnsafeRawBufferPointer(rebasing: bytes.prefix(head)), &decoder)
            // A text can be as long as a document, so it is not read as JSON.
            let text = WireString(String(decoding: bytes.dropFirst(head), as: UTF8.self))
            return (result.map { $0.with(text) }, bytes.count)
        }
    }

    private static func decode(_ line: UnsafeRawBufferPointer, _ decoder: inout MessageDecoder) -> Decoded {
        do throws(WireFault) {
            return (.success(try decoder.clientMessage(line)), line.count)
        } catch {
            return (.failure(error), line.count)
        }
    }

    /// Keeps bytes for later, after those that are kept already.
    mutating func keep(_ bytes: UnsafeRawBufferPointer) {
        if !hasUnread { (unread, unreadStart) = ([], 0) }
        unread.append(contentsOf: bytes)
    }

    /// Frees the memory of the kept bytes, once all of them were read.
    mutating func forgetRead() {
        if unreadStart > 0, !hasUnread { (unread, unreadStart) = ([], 0) }
    }

    mutating func dropAll() {
        (unread, unreadStart, incompleteSince) = ([], 0, nil)
    }

    /// Records whether there is an incomplete line. `isSameLine` is true if no line has ended since the last
    /// call.
    mutating func noteIncomplete(at now: Int64, isSameLine: Bool) {
        if incompleteBytes == 0 {
            incompleteSince = nil
        } else if incompleteSince == nil || !isSameLine {
            incompleteSince = now
        }
    }

    /// Adapts the reserved budget to the incomplete line. Returns how many bytes to reserve in addition;
    /// negative if bytes are released.
    mutating func claim(_ limits: Limits) -> Int {
        // The reservation grows in steps, so that not every piece of a long line changes it.
        let step = limits.freeLine
        let needed = incompleteSince == nil ? 0 : max(0, (incompleteBytes - 1) / step) * step
        lastClaim = needed - claimed
        claimed = needed
        return lastClaim
    }

    /// Undoes the last reservation, because the server's budget was too small for it.
    mutating func claimRefused() {
        claimed -= max(0, lastClaim)
        lastClaim = 0
    }

    mutating func pause(at now: Int64) { pausedSince = now }

    /// Resumes reading. The time of the pause does not count towards the deadline of the incomplete line.
    mutating func resume(at now: Int64) {
        if let pausedSince { incompleteSince = incompleteSince.map { $0 + now - pausedSince } }
        pausedSince = nil
    }
}

extension Envelope<ClientMessage> {
    /// The push with this text in place of its only one.
    fileprivate func with(_ text: WireString) -> Envelope {
        guard case .push(var push) = message else { return self }
        push.content =
            switch push.content {
            case .text: .text(text)
            case .edits(let edits): .edits(edits.map { WireEdit($0.range, text) })
            }
        return Envelope(.push(push), id: id)
    }
}
