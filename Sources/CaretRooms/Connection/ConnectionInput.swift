import CaretWire

/// The bytes that came on a connection and are not messages yet.
struct ConnectionInput: Sendable {
    enum Next {
        /// A line, decoded or at fault, and how long it was.
        case line(Result<Envelope<ClientMessage>, WireFault>, bytes: Int)
        case incomplete
        case tooLong(WireFault)
    }

    private var framer: LineFramer
    private var decoder: MessageDecoder
    /// Bytes that came while no line was wanted.
    private var unread: [UInt8] = []
    private var unreadStart = 0
    /// The peer sends no more.
    var hasEnded = false
    /// Since when the begun line has been begun; nil while there is none.
    private(set) var begunSince: Int64?
    /// Bytes of the server's budget that the begun line has.
    private(set) var claimed = 0
    private var lastClaim = 0
    /// Since when nothing is read; nil while something is.
    private(set) var pausedSince: Int64?

    init(_ limits: Limits) {
        framer = LineFramer(limit: limits.helloLine)
        decoder = MessageDecoder(limits: limits.announced)
    }

    var isPaused: Bool { pausedSince != nil }
    var hasUnread: Bool { unreadStart < unread.count }
    var begunBytes: Int { framer.begunBytes }

    mutating func allowLines(of bytes: Int) { framer.limit = bytes }

    /// Takes the next line off the front of what is unread.
    mutating func next() -> Next {
        let held = unread
        unread = []
        defer { unread = held }
        return held.withUnsafeBytes { bytes in
            var rest = UnsafeRawBufferPointer(rebasing: bytes[unreadStart...])
            defer { unreadStart = bytes.count - rest.count }
            return next(of: &rest)
        }
    }

    mutating func next(of bytes: inout UnsafeRawBufferPointer) -> Next {
        switch ConnectionInput.next(of: &bytes, &framer, &decoder) {
        case .line(let (result, count)): .line(result, bytes: count)
        case .incomplete: .incomplete
        case .tooLong(let bytes, let limit): .tooLong(.lineTooLong(bytes: bytes, limit: limit))
        }
    }

    private static func next(
        of bytes: inout UnsafeRawBufferPointer, _ framer: inout LineFramer, _ decoder: inout MessageDecoder
    ) -> LineFramer.Frame<(Result<Envelope<ClientMessage>, WireFault>, Int)> {
        framer.next(of: &bytes) { line in
            do throws(WireFault) {
                return (.success(try decoder.clientMessage(line)), line.count)
            } catch {
                return (.failure(error), line.count)
            }
        }
    }

    /// Keeps bytes for later, behind those that are kept.
    mutating func keep(_ bytes: UnsafeRawBufferPointer) {
        if !hasUnread { (unread, unreadStart) = ([], 0) }
        unread.append(contentsOf: bytes)
    }

    /// Gives back the room of what was read meanwhile.
    mutating func forgetRead() {
        if unreadStart > 0, !hasUnread { (unread, unreadStart) = ([], 0) }
    }

    mutating func dropAll() {
        (unread, unreadStart, begunSince) = ([], 0, nil)
    }

    /// Notes whether a line is begun. It is the same one as before only where none has ended in between.
    mutating func noteBegun(at now: Int64, isSameLine: Bool) {
        if begunBytes == 0 {
            begunSince = nil
        } else if begunSince == nil || !isSameLine {
            begunSince = now
        }
    }

    /// Changes what the begun line has of the budget to what it needs: by so many bytes, which are negative where
    /// some are left over.
    mutating func claim(_ limits: Limits) -> Int {
        // By steps, so that a long line does not ask for every piece of it.
        let step = limits.freeLine
        let needed = begunSince == nil ? 0 : max(0, (begunBytes - 1) / step) * step
        lastClaim = needed - claimed
        claimed = needed
        return lastClaim
    }

    /// The budget did not have what was claimed last.
    mutating func claimRefused() {
        claimed -= max(0, lastClaim)
        lastClaim = 0
    }

    mutating func pause(at now: Int64) { pausedSince = now }

    /// Goes on; the time that nothing was read is not held against the begun line.
    mutating func resume(at now: Int64) {
        if let pausedSince { begunSince = begunSince.map { $0 + now - pausedSince } }
        pausedSince = nil
    }
}
