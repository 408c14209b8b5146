import CaretCore
import CaretLog
package import CaretWire

/// One connection: who the client is, what it has requested in which order, and when the connection ends.
///
/// This type is a state machine without I/O, confined to the connection's loop: each event returns actions
/// for the runner, in order. The current time is that of the last `timePassed`. The runner sends the time
/// before every other event. Only `received` and `messageEnded` bring their own time.
package struct ConnectionState: Sendable {
    package enum Phase: Equatable, Sendable {
        case expectingHello
        /// The token is being looked up.
        case authenticating(Hello, RequestID?)
        /// The connection waits until the hub admits it.
        case joining(Member, RequestID?)
        case welcomed(Member)
        /// No more input is read. Answers and acks that are due are still sent.
        case finishing(Member, FinishReason)
        /// The last line was sent. Input is dropped until this time. The time is nil until the last line is
        /// delivered.
        case closing(until: Int64?, droppedBytes: Int)
        case closed
    }

    /// Why the connection finishes, which decides its last message.
    package enum FinishReason: Equatable, Sendable {
        /// The peer has stopped sending. It gets no last message.
        case inputEnded
        case shuttingDown(retryAfterMilliseconds: Int?)
        /// The token is no longer valid: `revoked` or `tokenEnded`.
        case tokenEnded(ByeReason)
    }

    /// An unanswered request that other requests wait for. Most connections have none, so it has memory of its own.
    package indirect enum Underway: Equatable, Sendable {
        /// The hub answers the request, or a room to which the hub has passed it.
        case waitingForAnswer(ClientMessage)
        /// Another token of the user is being looked up.
        case authenticating(Authenticate, RequestID?)
        case opening(SessionID, WireString)
        /// A request to close a session. `isAnswered` is true once `closed` was sent.
        case closing(SessionID, WireString, RequestID?, isAnswered: Bool)
        /// A `diverged` message, which ends its session and gets no answer.
        case diverged(SessionID, WireString)
    }

    enum Silence: Equatable, Sendable {
        /// The peer was last heard at this time.
        case heard(Int64)
        case pinged(Int64)
    }

    package let id: ConnectionID
    /// The peer's address, for administrators; nil if it is not known.
    let peer: WireString?
    let settings: ConnectionSettings
    /// Whether this server has generated the client ID, and the client has not pushed yet.
    var isNewClient: Bool
    var now: Int64
    package var phase = Phase.expectingHello
    let helloUntil: Int64
    var input: ConnectionInput
    var output = OutputLedger()
    var documents: OpenDocuments
    package var underway: Underway?
    /// The number of unanswered long requests. Other requests do not wait for them. The hub accepts one at a
    /// time.
    package var longRequests = 0
    /// Sessions whose close was refused here because they had ended. Their room will also refuse the close,
    /// and the connection drops that second refusal.
    var refusedCloses: Set<SessionID> = []
    var waiting = WaitingLines()
    var faults = RecentFaults()
    var rate: PushRate?
    /// Whether a push was sent to a document that was open. Such a push may be unanswered while other requests
    /// run.
    var hasPushedToOpenDocument = false
    var settledReads = SettledReads()
    var silence: Silence
    /// The time of the requested `wake`; nil if none is requested.
    package internal(set) var requestedWake: Int64?
    /// Why the connection has ended, or is about to end.
    package internal(set) var end: ConnectionEnd?
    /// The errors that were sent and not counted yet.
    private var refusals: [ErrorCode: Int] = [:]
    package var actions: [ConnectionAction] = []

    /// A connection can have several clients, one after the other, and each has a state of its own. The
    /// caller passes `lastSession` of the earlier state as `sessionsAfter` of the next state.
    package init(
        _ id: ConnectionID, settings: ConnectionSettings, from peer: WireString? = nil,
        framing: InputFraming = .lines, isNewClient: Bool = false, sessionsAfter: Int = 0, at now: Int64
    ) {
        self.id = id
        self.peer = peer
        self.settings = settings
        self.isNewClient = isNewClient
        self.now = now
        input = ConnectionInput(settings.limits, framing)
        documents = OpenDocuments(sessionsAfter: sessionsAfter)
        helloUntil = now + Int64(settings.limits.helloSeconds) * 1_000
        rate = settings.limits.announced.pushesPerSecond.map { PushRate(perSecond: $0, at: now) }
        silence = .heard(now)
    }

    /// Returns the actions to run before the first event.
    package mutating func start() -> [ConnectionAction] { finishEvent() }

    var limits: Limits { settings.limits }

    /// The client, from its request to join until the connection closes.
    var member: Member? {
        switch phase {
        case .welcomed(let member), .finishing(let member, _), .joining(let member, _): member
        case .expectingHello, .authenticating, .closing, .closed: nil
        }
    }

    /// Whether lines from rooms and the hub may be sent to the client. Before `welcome`, and after closing
    /// has begun, such lines are dropped.
    var isWelcomed: Bool {
        switch phase {
        case .welcomed, .finishing: true
        case .expectingHello, .authenticating, .joining, .closing, .closed: false
        }
    }

    package var isClosed: Bool { if case .closed = phase { true } else { false } }
    package var isReadingPaused: Bool { input.isPaused }
    /// Whether a document is open, or is being opened or closed.
    package var hasDocuments: Bool { !documents.isEmpty }
    /// The number of the last session of this connection.
    package var lastSession: Int { documents.lastNumber }
    /// Undelivered bytes.
    package var waitingOutput: Int { output.waiting }
    /// Bytes of the incomplete line and of waiting lines. A line has at least one byte, so this also limits
    /// the number of lines.
    package var waitingInput: Int { input.incompleteBytes + waiting.bytes }

    /// Returns the errors to be counted, and clears them. Returns nil if there are none. The caller calls
    /// this after every event.
    package mutating func takeRefusals() -> [ErrorCode: Int]? {
        if refusals.isEmpty { return nil }
        defer { refusals = [:] }
        return refusals
    }

    mutating func note(_ report: ErrorReport) {
        if case .known(let code) = report.code { refusals[code, default: 0] += 1 }
    }

    mutating func emit(_ action: ConnectionAction) { actions.append(action) }

    /// Ends the handling of an event: does the work that the event made possible, and returns all actions.
    mutating func finishEvent() -> [ConnectionAction] {
        proceed()
        finishIfDone()
        steerReading()
        wakeInTime()
        defer { actions = [] }
        return actions
    }
}

/// Sending lines.
extension ConnectionState {
    mutating func send(_ line: [UInt8], of owner: OutputLedger.Owner = .connection) {
        output.add(line.count, of: owner, at: now)
        emit(.send(line))
    }

    mutating func send(
        _ message: ServerMessage, _ id: RequestID? = nil, of owner: OutputLedger.Owner = .connection
    ) {
        var writer = JSONWriter()
        message.encode(id: id, into: &writer)
        send(writer.bytes, of: owner)
    }

    /// Refuses a message. The connection ends if the error code requires that, or if `welcome` was not sent
    /// yet.
    mutating func fail(_ report: ErrorReport, _ id: RequestID?) {
        note(report)
        send(.error(report), id)
        guard case .known(let code) = report.code else { return }
        if code.closes || !isWelcomed { beginClosing(.refused(code)) }
    }

    mutating func fail(
        _ code: ErrorCode, _ message: String, _ id: RequestID?, document: WireString? = nil, seq: Int? = nil,
        retryAfterMilliseconds: Int? = nil
    ) {
        fail(
            ErrorReport(
                code, message, document: document, seq: seq, retryAfterMilliseconds: retryAfterMilliseconds),
            id)
    }
}
