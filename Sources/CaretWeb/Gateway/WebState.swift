package import CaretRooms
package import CaretWire

/// One HTTP connection: reads requests, answers them one after the other, and may become a WebSocket.
///
/// It is a state machine without I/O, like `ConnectionState`: each event returns actions for the shell.
package struct WebState: Sendable {
    enum Phase: Sendable {
        /// The head of the next request is read after the last response is delivered.
        // Indirect, so that a WebSocket needs no memory for a head.
        indirect case requests(RequestReader)
        /// `pending` is being answered.
        case answering
        /// `socket` handles all events.
        case webSocket
        /// `stream` handles all events.
        case events
        /// The last bytes were sent. Input is dropped for some time after their delivery, or until the peer
        /// stops sending.
        case closing(droppedBytes: Int)
        case closed
    }

    let id: ConnectionID
    let settings: WebSettings
    let listener: SiteGuard.Listener
    let security: WebSecurity
    let peer: WireString?
    var now: Int64
    var phase = Phase.requests(RequestReader())
    /// The request that is being answered. It is not part of `phase`, so that it is changed in place.
    var pending = Boxed<PendingRequest>()
    /// How many responses were computed away from the loop.
    var computations = 0
    // At most one of these three speaks the protocol for the client.
    /// Speaks for requests. It is kept for further requests of the same client.
    var requester = Boxed<WebMember>()
    /// The last read of a newest text, in case the client sends the same request again.
    var repeatable = Boxed<RepeatableRead>()
    /// Empty until the connection becomes a WebSocket.
    var socket = Boxed<WebSocketState>()
    /// Empty until a response begins that does not end.
    var stream = Boxed<EventStreamState>()
    /// The number of the last session of all earlier requesters. A late message about one of their sessions
    /// must not be mistaken for one about a new session.
    var lastSession = 0
    /// Bytes that were not delivered yet, except those of an open WebSocket.
    var waitingOutput = 0
    /// When bytes were last delivered, or when the first undelivered ones were sent.
    var deliveredAt: Int64
    /// When the head began; before that, when the last response was delivered.
    var since: Int64
    private(set) var isReadingPaused = false
    /// The peer has stopped sending, or has closed the WebSocket.
    private var inputHasEnded = false
    var isStopping = false
    /// The time of the requested `wake`.
    var wakes: Int64?
    /// The numbers of errors of dropped members. `takeRefusals` has not returned these numbers yet.
    var refusals: [ErrorCode: Int] = [:]
    var actions: [WebAction] = []

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

    /// The state that speaks the protocol; nil if no request has needed one.
    package var member: ConnectionState? {
        socket.value?.member ?? stream.value?.member ?? requester.value?.state
    }

    var limits: Limits { settings.connection.limits }

    private var isClosed: Bool { if case .closed = phase { true } else { false } }

    // MARK: Events of the socket

    /// Handles received bytes. Returns how many bytes were read. The caller must pass the remaining bytes
    /// again after reading resumes.
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
        switch phase {
        case .webSocket: withSocket { $0.inputEnded() }
        // The client does not want the events any more.
        case .events: withStream { $0.handle { $0.connectionLost() } }
        case .requests, .answering, .closing, .closed: break
        }
        closeIfDone()
        return finishEvent()
    }

    /// This many bytes of output were delivered.
    package mutating func written(_ bytes: Int) -> [WebAction] {
        switch phase {
        case .webSocket: withSocket { $0.written(bytes) }
        case .events:
            deliveredAt = now
            withStream { $0.written(bytes) }
        case .requests, .answering, .closing, .closed:
            waitingOutput -= bytes
            deliveredAt = now
            if waitingOutput == 0 {
                since = now
                deliveredPart()
            }
        }
        closeIfDone()
        return finishEvent()
    }

    /// The connection broke, or was closed.
    package mutating func connectionLost() -> [WebAction] {
        passToMember { $0.connectionLost() }
        dropRequester()
        pending.take()
        phase = .closed
        actions.removeAll { $0 == .connection(.close) }
        return finishEvent()
    }

    // MARK: Other events

    /// Sets the time, in milliseconds. An earlier time than the current one changes nothing.
    package mutating func timePassed(_ time: Int64) -> [WebAction] {
        now = max(now, time)
        let time = now
        switch phase {
        case .webSocket: withSocket { $0.handle { $0.timePassed(time) } }
        case .events, .requests, .answering, .closing, .closed:
            withStream { $0.timePassed(time) }
            if let wakes, now >= wakes {
                self.wakes = nil
                meetDeadline()
            }
            withRequester { $0.timePassed(time) }
        }
        return finishEvent()
    }

    /// Passes an event of a room or the hub to the member. Without a member, ignores the event.
    package mutating func handle(_ event: (inout ConnectionState) -> [ConnectionAction]) -> [WebAction] {
        passToMember(event)
        return finishEvent()
    }

    private mutating func passToMember(_ event: (inout ConnectionState) -> [ConnectionAction]) {
        switch phase {
        case .webSocket: withSocket { $0.handle(event) }
        case .events: withStream { $0.handle(event) }
        case .requests, .answering, .closing, .closed: withRequester { $0.handle(event) }
        }
    }

    /// The form in which lines of rooms leave on this connection; nil if the gateway reads them itself.
    ///
    /// It changes nothing. It is `mutating` because the caller keeps the state in an object: reading a property of
    /// the state there would copy the whole state, for each line.
    package mutating func lineForm() -> LineForm? {
        switch phase {
        case .webSocket: return .messages
        case .events: return stream.read { .events($0.form) }
        case .requests, .answering, .closing, .closed: return nil
        }
    }

    /// The same as `ConnectionState.forwardLines`. The caller writes the lines in the form `lineForm`, as
    /// `wireBytes` bytes in all. `epoch` is the epoch after these lines, for events.
    package mutating func forwardLines(
        lineBytes: Int, wireBytes: Int, epoch: WireString? = nil, to session: SessionID
    ) -> [WebAction]? {
        noteEmptyStream()
        let following: [WebAction]?? =
            switch phase {
            case .webSocket:
                socket.change { $0.forwardLines(lineBytes: lineBytes, wireBytes: wireBytes, to: session) }
            case .events:
                stream.change {
                    $0.forwardLines(lineBytes: lineBytes, wireBytes: wireBytes, epoch: epoch, to: session)
                }
            case .requests, .answering, .closing, .closed: nil
            }
        guard let following = following ?? nil else { return nil }
        if following.isEmpty { return following }
        actions += following
        endMemberIfOver()
        return finishEvent()
    }

    /// The server stops. If the head of a request has begun to arrive, this request is still answered.
    package mutating func shutDown(retryAfterMilliseconds: Int?) -> [WebAction] {
        isStopping = true
        passToMember { $0.hubSent(.shuttingDown(retryAfterMilliseconds: retryAfterMilliseconds)) }
        closeIfDone()
        return finishEvent()
    }

    /// Returns the errors to be counted, and clears them.
    package mutating func takeRefusals() -> [ErrorCode: Int]? {
        let current =
            socket.change { $0.takeRefusals() } ?? stream.change { $0.takeRefusals() }
            ?? requester.change { $0.takeRefusals() } ?? nil
        if refusals.isEmpty { return current }
        defer { refusals = [:] }
        return refusals.merging(current ?? [:], uniquingKeysWith: +)
    }

    // MARK: Responses

    mutating func respond(_ response: Response, to recipient: Response.Recipient) {
        let body = response.body(to: recipient)
        if body.allSatisfy({ $0.count < WebState.sharedBody }) {
            send(response.bytes(at: now, to: recipient))
        } else {
            send(response.head(at: now, to: recipient))
            for piece in body { send(piece) }
        }
        if recipient.closes { beginClosing() }
    }

    /// Copying a shorter body costs less than sending two pieces.
    private static let sharedBody = 2_048

    mutating func send(_ bytes: [UInt8]) { send(.bytes(bytes)) }

    private mutating func send(_ piece: OutputPiece) {
        if waitingOutput == 0 { deliveredAt = now }
        waitingOutput += piece.count
        switch piece {
        case .bytes(let bytes): order(.send(bytes))
        case .shared(let payload): order(.sendShared(payload))
        }
    }

    // MARK: The end

    mutating func beginClosing(endsOutput: Bool = true) {
        dropRequester()
        phase = .closing(droppedBytes: 0)
        since = now
        wakes = nil
        if endsOutput { order(.endOutput) }
    }

    private mutating func closeIfDone() {
        switch phase {
        case .requests(let reader):
            if waitingOutput == 0, inputHasEnded || isStopping && !reader.hasBegun { close() }
        case .answering: if inputHasEnded, pending.read({ $0.body.isAtEnd }) == false { close() }
        case .closing: if waitingOutput == 0, inputHasEnded { close() }
        case .webSocket, .events, .closed: break
        }
    }

    mutating func close() {
        if isClosed { return }
        dropRequester()
        pending.take()
        phase = .closed
        order(.close)
    }

    // MARK: Deadlines

    var deadline: Int64? {
        let seconds = limits.outputTimeoutSeconds(
            waiting: waitingOutput, isUsedUp: settings.connection.isOutputUsedUp)
        let outputDeadline = deliveredAt + Int64(seconds) * 1_000
        switch phase {
        case .requests, .answering, .closing: if waitingOutput > 0 { return outputDeadline }
        case .events: return stream.read { $0.waitingOutput > 0 } == true ? outputDeadline : nil
        case .webSocket, .closed: return nil
        }
        switch phase {
        case .requests(let reader):
            return since + Int64(reader.hasBegun ? HTTPLimits.headSeconds : HTTPLimits.idleSeconds) * 1_000
        case .closing: return since + Int64(limits.closingSeconds) * 1_000
        // While a request is answered, the other deadlines are those of its member.
        case .answering: return pending.read { $0.until } ?? nil
        case .webSocket, .events, .closed: return nil
        }
    }

    /// When to look whether the server's memory for output is used up meanwhile. A member looks itself.
    private var outputCheck: Int64? {
        switch phase {
        case .requests, .answering, .closing:
            limits.outputCheck(waiting: waitingOutput, since: deliveredAt, at: now)
        case .webSocket, .events, .closed: nil
        }
    }

    private mutating func meetDeadline() {
        guard let deadline, now >= deadline else { return }
        if case .events = phase { withStream { $0.handle { $0.connectionLost() } } }
        if case .answering = phase, waitingOutput == 0 {
            pending.change { $0.until = nil }
            return step { $0.timeIsUp() }
        }
        guard case .requests(let reader) = phase, reader.hasBegun, waitingOutput == 0 else { return close() }
        let refusal = WebRefusal(
            .requestTimeout, .badRequest,
            "the head of the request did not come within \(HTTPLimits.headSeconds) s")
        respond(refusal.response, to: Response.Recipient(isHead: false, closes: true))
    }

    // MARK: Actions

    mutating func order(_ action: ConnectionAction) { actions.append(.connection(action)) }

    mutating func withSocket(_ event: (inout WebSocketState) -> [WebAction]) {
        let result = socket.change { (orders: event(&$0), isOver: $0.isOver || $0.fault != nil) }
        guard let result else { return }
        actions += result.orders
        if result.isOver { endMemberIfOver() }
    }

    mutating func withStream(_ event: (inout EventStreamState) -> [WebAction]) {
        guard case .events = phase else { return }
        noteEmptyStream()
        let result = stream.change { (orders: event(&$0), isOver: $0.isOver) }
        guard let result else { return }
        actions += result.orders
        if result.isOver { endMemberIfOver() }
    }

    /// The time for delivering the next bytes of a stream begins when they are sent.
    private mutating func noteEmptyStream() {
        if stream.read({ $0.waitingOutput == 0 }) == true { deliveredAt = now }
    }

    /// Begins to close the connection if the member has ended it.
    private mutating func endMemberIfOver() {
        let endsOutput: Bool
        switch phase {
        case .webSocket:
            guard let socket = socket.value, socket.isOver || socket.fault != nil else { return }
            (waitingOutput, deliveredAt) = (socket.waitingOutput, now)
            if socket.peerHasClosed { inputHasEnded = true }
            if socket.isOver, waitingOutput == 0 { return close() }
            endsOutput = !socket.hasSentClose
        case .events:
            guard let stream = stream.value, stream.isOver else { return }
            waitingOutput = stream.waitingOutput
            if waitingOutput == 0 { return close() }
            endsOutput = true
        case .requests, .answering, .closing, .closed: return
        }
        beginClosing(endsOutput: endsOutput)
    }

    /// When the requester or the stream must be woken.
    var wakeOfMember: Int64 {
        if case .events = phase { return (stream.read { $0.wakesAt } ?? nil) ?? .max }
        return (requester.read { $0.wakesAt } ?? nil) ?? .max
    }

    mutating func finishEvent() -> [WebAction] {
        steerReading()
        let next = min(deadline ?? .max, wakeOfMember, outputCheck ?? .max)
        if next < wakes ?? .max {
            wakes = next
            order(.wake(at: next))
        }
        defer { actions = [] }
        return actions
    }

    /// Pauses reading while a response waits, so that a client cannot request faster than it reads. Also
    /// pauses while no byte of a body is wanted.
    private mutating func steerReading() {
        if wantsInput { return resumeReading() }
        if isReadingPaused { return }
        isReadingPaused = true
        order(.pauseReading)
    }

    var wantsInput: Bool {
        switch phase {
        case .requests: waitingOutput == 0
        case .answering: wantsBody
        case .webSocket, .events, .closing, .closed: true
        }
    }

    private mutating func resumeReading() {
        if !isReadingPaused { return }
        isReadingPaused = false
        if !isClosed { order(.resumeReading) }
    }
}
