import CaretRooms
import CaretWire

/// A WebSocket: passes each message to a connection's state as a line, and sends each line as a message.
///
/// `ConnectionState` decides rights, limits, the order of requests and the end, as it does without HTTP.
struct WebSocketState: Sendable {
    private(set) var member: ConnectionState
    private var reader = FrameReader()
    private var ledger = WireLedger()
    /// How many bytes must be written until the last pong is delivered; nil if no pong waits.
    private var bytesUntilPong: Int?
    /// The last ping that arrived while a pong waited. The ping is answered after that pong is delivered.
    /// Earlier pings that arrived while the pong waited are not answered.
    private var unansweredPing: [UInt8]?
    /// Set if the peer has sent its close frame or has stopped sending. The inner value is the code for the
    /// server's own close frame.
    private var peerClose: CloseCode??
    private(set) var hasSentClose = false
    /// Set if the peer broke a rule of frames. No more bytes are read.
    private(set) var fault: FrameFault?
    /// `member` has closed the connection. Some output may not be written yet.
    private(set) var isOver = false
    /// What a proxy has said of the user, until `hello`. Empty if a token decides.
    private var signIn = Boxed<Result<Identity, ProxySignInFault>>()
    private var actions: [WebAction] = []

    /// `proxied` is the user that a proxy has named. It is nil if a token decides.
    init(_ member: ConnectionState, signedIn proxied: Result<Identity?, ProxySignInFault>) {
        self.member = member
        switch proxied {
        case .success(nil): break
        case .success(let identity?): signIn.set(.success(identity))
        case .failure(let fault): signIn.set(.failure(fault))
        }
    }

    var peerHasClosed: Bool { peerClose != nil }

    /// Undelivered bytes, including those that belong to no line.
    var waitingOutput: Int { ledger.waiting }

    /// The first actions. `response` ends the handshake.
    mutating func start(after response: [UInt8]) -> [WebAction] {
        send(response)
        perform(member.start())
        return takeActions()
    }

    mutating func takeRefusals() -> [ErrorCode: Int]? { member.takeRefusals() }

    /// Passes an event of a room, the hub or the clock to `member`.
    mutating func handle(_ event: (inout ConnectionState) -> [ConnectionAction]) -> [WebAction] {
        perform(event(&member))
        return takeActions()
    }

    /// The same as `ConnectionState.forwardLines`, for lines that the caller sends as messages.
    mutating func forwardLines(lineBytes: Int, wireBytes: Int, to session: SessionID) -> [WebAction]? {
        guard let following = member.forwardLines(lineBytes, to: session) else { return nil }
        ledger.add(wireBytes: wireBytes, lineBytes: lineBytes)
        perform(following)
        return takeActions()
    }

    /// Handles received bytes until `member` pauses reading. The caller must pass the remaining bytes again
    /// after reading resumes.
    mutating func received(_ bytes: inout UnsafeRawBufferPointer, at time: Int64) -> [WebAction] {
        while fault == nil, !isOver, !member.isReadingPaused {
            do throws(FrameFault) {
                guard let event = try reader.next(of: &bytes) else { break }
                handle(event, at: time)
            } catch {
                fail(error)
            }
        }
        if fault == nil, !isOver { perform(member.claimForMessage()) }
        // Drops the bytes that follow the peer's last frame, a fault, or the end of the connection.
        if peerClose != nil || fault != nil || isOver {
            bytes = UnsafeRawBufferPointer(rebasing: bytes[bytes.endIndex...])
        }
        return takeActions()
    }

    mutating func inputEnded() -> [WebAction] {
        if peerClose == nil { peerClose = .some(nil) }
        perform(member.inputEnded())
        return takeActions()
    }

    mutating func written(_ wireBytes: Int) -> [WebAction] {
        let lineBytes = ledger.wrote(wireBytes)
        if lineBytes > 0 { perform(member.written(lineBytes)) }
        if let bytesUntilPong {
            self.bytesUntilPong = bytesUntilPong > wireBytes ? bytesUntilPong - wireBytes : nil
        }
        if bytesUntilPong == nil, let content = unansweredPing {
            unansweredPing = nil
            pong(content)
        }
        return takeActions()
    }

    private mutating func handle(_ event: FrameReader.Event, at time: Int64) {
        switch event {
        case .content(let bytes): perform(member.received(bytes, at: time))
        case .messageEnd: perform(member.messageEnded(at: time))
        case .ping(let content):
            perform(member.received([], at: time))
            if bytesUntilPong == nil { pong(content) } else { unansweredPing = content }
        case .pong: perform(member.received([], at: time))
        case .close(let code):
            peerClose = .some(code)
            perform(member.inputEnded())
        }
    }

    private mutating func pong(_ content: [UInt8]) {
        if hasSentClose { return }
        send(FrameWriter.pong(content))
        bytesUntilPong = ledger.waiting
    }

    private mutating func fail(_ fault: FrameFault) {
        self.fault = fault
        perform(member.connectionLost())
        close(fault.code, fault.message)
    }

    // MARK: Actions of the member

    private mutating func perform(_ orders: [ConnectionAction]) {
        for order in orders { perform(order) }
        if !signIn.isEmpty, orders.contains(.authenticate(token: nil)) { signInByProxy() }
    }

    private mutating func perform(_ order: ConnectionAction) {
        switch order {
        case .send(let lines):
            ledger.add(wireBytes: FrameWriter.byteCount(ofMessages: lines), lineBytes: lines.count)
            actions.append(.sendMessages(lines))
        case .sendText(let line):
            let header = FrameWriter.headerOfMessage(line.count - 1)
            ledger.add(wireBytes: header.count + line.count - 1, lineBytes: line.count)
            actions.append(.connection(.send(header + line.before)))
            actions.append(.connection(.sendShared(line.text.escaped)))
            // A message has no line end.
            actions.append(.connection(.send(Array(line.after.dropLast()))))
        case .endOutput:
            let (code, reason) = CloseCode.reason(for: member.end)
            if let peerClose { close(peerClose, "") } else { close(code, reason) }
        case .close: isOver = true
        case .authenticate(token: nil) where !signIn.isEmpty: break
        case .sendShared, .pauseReading, .resumeReading, .claimLine, .releaseLine, .authenticate, .join, .ask,
            .deliveredDocuments, .leave, .sendToRoom, .wake:
            actions.append(.connection(order))
        }
    }

    /// Answers a `hello` without a token.
    private mutating func signInByProxy() {
        switch signIn.take() {
        case .success(let identity): perform(member.authenticated(.known(identity)))
        case .failure(let fault):
            actions.append(.noteSignIn(fault))
            perform(member.authenticated(.refused(fault.description)))
        case nil: break
        }
    }

    private mutating func close(_ code: CloseCode?, _ reason: String) {
        if hasSentClose { return }
        hasSentClose = true
        send(FrameWriter.close(code, reason: reason))
        actions.append(.connection(.endOutput))
    }

    private mutating func send(_ frame: [UInt8]) {
        ledger.add(wireBytes: frame.count, lineBytes: 0)
        actions.append(.connection(.send(frame)))
    }

    private mutating func takeActions() -> [WebAction] {
        defer { actions = [] }
        return actions
    }
}

extension CloseCode {
    /// The code and the reason of the close frame for a connection that has ended in this way.
    static func reason(for end: ConnectionEnd?) -> (CloseCode, String) {
        switch end {
        case .sentBye(let reason): (CloseCode(reason), reason.word)
        case .refused(let code): (CloseCode(code), code.word)
        case .left, nil: (.normal, "")
        }
    }

    private init(_ reason: ByeReason) {
        switch reason {
        case .shuttingDown: self = .goingAway
        case .idle: self = CloseCode(4000)
        case .tooSlow: self = CloseCode(4001)
        case .replaced: self = CloseCode(4002)
        case .revoked: self = CloseCode(4003)
        case .tokenEnded: self = CloseCode(4004)
        }
    }

    private init(_ code: ErrorCode) {
        switch code {
        case .unauthorized: self = CloseCode(4401)
        case .tokenEnded: self = CloseCode(4004)
        case .helloTimeout: self = CloseCode(4408)
        case .shuttingDown: self = .goingAway
        case .overloaded: self = .tryAgainLater
        case .internal: self = .internalError
        case .lineTooLong: self = .messageTooBig
        default: self = .policyViolation
        }
    }
}
