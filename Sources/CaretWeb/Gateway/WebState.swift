package import CaretRooms
package import CaretWire

/// One HTTP connection: reads requests, answers them one after the other, and may become a WebSocket.
///
/// This type is a state machine without I/O, like `ConnectionState`: each event returns actions for the shell.
package struct WebState: Sendable {
    enum Phase: Sendable {
        /// The head of the next request is read once the last response is delivered.
        case requests(RequestReader)
        /// `socket` handles all events.
        case webSocket
        /// The last bytes were sent. Input is dropped until this time, or until the peer stops sending.
        case closing(until: Int64, droppedBytes: Int)
        case closed
    }

    private let id: ConnectionID
    private let settings: WebSettings
    private let listener: SiteGuard.Listener
    private let security: WebSecurity
    private let peer: WireString?
    private var now: Int64
    private var phase = Phase.requests(RequestReader())
    /// Nil until the connection becomes a WebSocket. It is not part of `phase`, so that it is changed in place.
    private var socket: WebSocketState?
    /// Bytes that were not delivered yet, except those of an open WebSocket.
    private var waitingOutput = 0
    /// When bytes were last delivered, or when the first undelivered ones were sent.
    private var deliveredAt: Int64
    /// When the head began; before that, when the last response was delivered.
    private var since: Int64
    private var isReadingPaused = false
    /// The peer has stopped sending, or has closed the WebSocket.
    private var inputHasEnded = false
    private var isStopping = false
    /// The time of the requested `wake`.
    private var wakes: Int64?
    private var actions: [WebAction] = []

    package init(
        _ id: ConnectionID, _ settings: WebSettings, at listener: SiteGuard.Listener,
        security: WebSecurity = .plain, from peer: WireString?, at now: Int64
    ) {
        self.security = security
        self.id = id
        self.settings = settings
        self.listener = listener
        self.peer = peer
        self.now = now
        deliveredAt = now
        since = now
    }

    /// The state that speaks the protocol; nil if the connection never became a WebSocket.
    package var member: ConnectionState? { socket?.member }

    private var limits: Limits { settings.connection.limits }

    private var isClosed: Bool { if case .closed = phase { true } else { false } }

    // MARK: Events of the socket

    /// Handles received bytes. Returns how many were read. The others must be passed again once reading resumes.
    package mutating func received(
        _ bytes: UnsafeRawBufferPointer, at time: Int64
    ) -> (accepted: Int, actions: [WebAction]) {
        now = max(now, time)
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.count
            read(&rest)
            if rest.count == count { break }
        }
        return (bytes.count - rest.count, finishEvent())
    }

    /// The peer has stopped sending. It may still read.
    package mutating func inputEnded() -> [WebAction] {
        inputHasEnded = true
        if case .webSocket = phase { withSocket { $0.inputEnded() } }
        closeIfDone()
        return finishEvent()
    }

    /// This many bytes of output were delivered.
    package mutating func written(_ bytes: Int) -> [WebAction] {
        if case .webSocket = phase {
            withSocket { $0.written(bytes) }
        } else {
            waitingOutput -= bytes
            deliveredAt = now
            if waitingOutput == 0 { since = now }
        }
        closeIfDone()
        return finishEvent()
    }

    /// The connection broke, or was closed.
    package mutating func connectionLost() -> [WebAction] {
        if case .webSocket = phase { withSocket { $0.handle { $0.connectionLost() } } }
        phase = .closed
        actions.removeAll { $0 == .connection(.close) }
        return finishEvent()
    }

    // MARK: Other events

    /// Sets the time, in milliseconds. It never goes back.
    package mutating func timePassed(_ time: Int64) -> [WebAction] {
        now = max(now, time)
        if case .webSocket = phase {
            let time = now
            withSocket { $0.handle { $0.timePassed(time) } }
        } else if let wakes, now >= wakes {
            self.wakes = nil
            meetDeadline()
        }
        return finishEvent()
    }

    /// Passes an event of a room or the hub to the member. Without a member, there is nobody to notify.
    package mutating func handle(_ event: (inout ConnectionState) -> [ConnectionAction]) -> [WebAction] {
        if case .webSocket = phase { withSocket { $0.handle(event) } }
        return finishEvent()
    }

    /// The same as `ConnectionState.forwardLines`. The caller writes the lines as messages, with these bytes in all.
    package mutating func forwardLines(lineBytes: Int, wireBytes: Int, to session: SessionID) -> [WebAction]?
    {
        guard case .webSocket = phase else { return nil }
        guard let following = socket?.forwardLines(lineBytes: lineBytes, wireBytes: wireBytes, to: session)
        else {
            return nil
        }
        if following.isEmpty { return following }
        withSocket { _ in following }
        return finishEvent()
    }

    /// The server stops. A request whose head has begun is answered.
    package mutating func shutDown(retryAfterMilliseconds: Int?) -> [WebAction] {
        isStopping = true
        if case .webSocket = phase {
            withSocket {
                $0.handle { $0.hubSent(.shuttingDown(retryAfterMilliseconds: retryAfterMilliseconds)) }
            }
        }
        closeIfDone()
        return finishEvent()
    }

    /// Returns the errors to be counted, and clears them.
    package mutating func takeRefusals() -> [ErrorCode: Int]? { socket?.takeRefusals() }

    // MARK: Requests

    private mutating func read(_ rest: inout UnsafeRawBufferPointer) {
        switch phase {
        case .requests(let reader) where waitingOutput == 0: readHead(reader, &rest)
        case .requests: break
        case .webSocket:
            let time = now
            withSocket { $0.received(&rest, at: time) }
        case .closing(let until, let dropped):
            phase = .closing(until: until, droppedBytes: dropped + rest.count)
            if dropped + rest.count > limits.closingBytes { close() }
            rest = UnsafeRawBufferPointer(rebasing: rest[rest.endIndex...])
        case .closed: rest = UnsafeRawBufferPointer(rebasing: rest[rest.endIndex...])
        }
    }

    private mutating func readHead(_ reader: RequestReader, _ rest: inout UnsafeRawBufferPointer) {
        var reader = reader
        if !reader.hasBegun { since = now }
        do throws(RequestFault) {
            let head = try reader.next(of: &rest)
            phase = .requests(reader)
            if let head { answer(head) }
        } catch {
            respond(WebRefusal(error).response, to: Response.Recipient(isHead: false, closes: true))
            // What follows cannot be read as requests.
            rest = UnsafeRawBufferPointer(rebasing: rest[rest.endIndex...])
        }
    }

    private mutating func answer(_ head: RequestHead) {
        // A body is not read, so the next request cannot be found after it.
        let closes = !head.keepsAlive || isStopping || head.body != .none && head.body != .bytes(0)
        let recipient = Response.Recipient(isHead: head.method == "HEAD", closes: closes)
        do throws(WebRefusal) {
            let target = try checked(head)
            if target.path == "/ws", head.method == "GET" { return try beginWebSocket(head) }
            respond(try Resource.response(to: head, target, isStopping: isStopping), to: recipient)
        } catch {
            respond(error.response, to: recipient)
        }
    }

    private func checked(_ head: RequestHead) throws(WebRefusal) -> RequestTarget {
        let target: RequestTarget
        do throws(RequestFault) { target = try RequestTarget(head.target) } catch { throw WebRefusal(error) }
        if security == .missing {
            throw WebRefusal(.upgradeRequired, "this server requires TLS; use https:// or wss://")
                .adding("Upgrade", "TLS/1.2, HTTP/1.1")
                .adding("Connection", "upgrade")
        }
        try settings.siteGuard.check(head, target.path, at: listener, isSecure: security == .tls)
        guard head.fields["expect"].allSatisfy({ $0.equals("100-continue") }) else {
            throw WebRefusal(
                .expectationFailed, "the only expectation that this server knows is 100-continue")
        }
        return target
    }

    private mutating func beginWebSocket(_ head: RequestHead) throws(WebRefusal) {
        if isStopping { throw WebRefusal(.serviceUnavailable, "the server is shutting down") }
        let response = try Handshake.response(to: head, sha1: settings.sha1)
        let member = ConnectionState(
            id, settings: settings.connection, from: peer, framing: .messages, at: now)
        socket = WebSocketState(member)
        phase = .webSocket
        wakes = nil
        let bytes = response.bytes(at: now, to: Response.Recipient(isHead: false, closes: false))
        withSocket { $0.start(after: bytes) }
    }

    private mutating func respond(_ response: Response, to recipient: Response.Recipient) {
        let bytes = response.bytes(at: now, to: recipient)
        if waitingOutput == 0 { deliveredAt = now }
        waitingOutput += bytes.count
        order(.send(bytes))
        if recipient.closes { beginClosing() }
    }

    // MARK: The end

    private mutating func beginClosing(endsOutput: Bool = true) {
        phase = .closing(until: now + Int64(limits.closingSeconds) * 1_000, droppedBytes: 0)
        wakes = nil
        if endsOutput { order(.endOutput) }
    }

    private mutating func closeIfDone() {
        switch phase {
        case .requests(let reader):
            if waitingOutput == 0, inputHasEnded || isStopping && !reader.hasBegun { close() }
        case .closing: if waitingOutput == 0, inputHasEnded { close() }
        case .webSocket, .closed: break
        }
    }

    private mutating func close() {
        if isClosed { return }
        phase = .closed
        order(.close)
    }

    // MARK: Deadlines

    private var deadline: Int64? {
        switch phase {
        case .requests(let reader):
            if waitingOutput > 0 { return deliveredAt + Int64(limits.outputTimeoutSeconds) * 1_000 }
            return since + Int64(reader.hasBegun ? HTTPLimits.headSeconds : HTTPLimits.idleSeconds) * 1_000
        case .closing(let until, _): return until
        case .webSocket, .closed: return nil
        }
    }

    private mutating func meetDeadline() {
        guard let deadline, now >= deadline else { return }
        guard case .requests(let reader) = phase, reader.hasBegun, waitingOutput == 0 else { return close() }
        let refusal = WebRefusal(
            .requestTimeout, "the head of the request did not come within \(HTTPLimits.headSeconds) s")
        respond(refusal.response, to: Response.Recipient(isHead: false, closes: true))
    }

    // MARK: Actions

    private mutating func order(_ action: ConnectionAction) { actions.append(.connection(action)) }

    private mutating func withSocket(_ event: (inout WebSocketState) -> [WebAction]) {
        guard socket != nil else { return }
        actions += event(&socket!)
        guard let socket, socket.isOver || socket.fault != nil else { return }
        waitingOutput = socket.waitingOutput
        if socket.peerHasClosed { inputHasEnded = true }
        if socket.isOver, waitingOutput == 0 {
            close()
        } else {
            beginClosing(endsOutput: !socket.hasSentClose)
        }
    }

    private mutating func finishEvent() -> [WebAction] {
        steerReading()
        if let deadline, deadline < wakes ?? .max {
            wakes = deadline
            order(.wake(at: deadline))
        }
        defer { actions = [] }
        return actions
    }

    /// Pauses reading while a response waits, so that a client cannot request faster than it reads.
    private mutating func steerReading() {
        guard case .requests = phase else { return resumeReading() }
        if waitingOutput == 0 { return resumeReading() }
        if isReadingPaused { return }
        isReadingPaused = true
        order(.pauseReading)
    }

    private mutating func resumeReading() {
        if !isReadingPaused { return }
        isReadingPaused = false
        if !isClosed { order(.resumeReading) }
    }
}
