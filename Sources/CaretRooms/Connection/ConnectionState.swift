import CaretCore
import CaretLog
package import CaretWire

/// One connection: who is at its other end, what he asks and in which order, and when it ends.
///
/// A value that decides and does nothing, confined to the connection's loop: each event answers with what is to be done, in
/// that order. Its time is what `timePassed` said last: whoever runs it says the time in front of every other event, but
/// for bytes that came, which bring it along.
package struct ConnectionState: Sendable {
    package enum Phase: Equatable, Sendable {
        case expectingHello
        /// It is being found out whose token it is.
        case authenticating(Hello, RequestID?)
        /// The hub was asked to let it in.
        case joining(Member, RequestID?)
        case welcomed(Member)
        /// Nothing more is read; what is due is sent yet.
        case finishing(Member, Farewell)
        /// The last line is on its way; input is dropped until the time, which is not known before that line is taken.
        case closing(until: Int64?, droppedBytes: Int)
        case closed
    }

    /// What is said last.
    package enum Farewell: Equatable, Sendable {
        /// Nothing: the peer has sent all that it wants to.
        case none
        case shuttingDown(retryAfterMilliseconds: Int?)
        /// The token is good for nothing any more.
        case revoked
    }

    /// A request that is not answered yet, behind which others wait.
    package enum Underway: Equatable, Sendable {
        /// The hub answers, or a room the guest.
        case asked(ClientMessage)
        case opening(SessionID, WireString)
        /// The session ends; `isAnswered` once `closed` was sent.
        case closing(SessionID, WireString, RequestID?, isAnswered: Bool)
        /// The session ends without an answer.
        case diverged(SessionID, WireString)
    }

    enum Silence: Equatable, Sendable {
        /// Something came last then.
        case heard(Int64)
        case pinged(Int64)
    }

    package let id: ConnectionID
    /// Where it comes from, for administrators; nil where nobody said.
    let peer: WireString?
    let settings: ConnectionSettings
    var now: Int64
    package var phase = Phase.expectingHello
    let helloUntil: Int64
    var input: ConnectionInput
    var output = OutputLedger()
    var documents = OpenDocuments()
    package var underway: Underway?
    /// Requests that take long and have no answer yet, behind which nothing waits: the hub takes one at a time.
    package var longRequests = 0
    /// Sessions whose close was refused here because they had ended. Their room will refuse it too.
    var lateCloses: Set<SessionID> = []
    var waiting = WaitingLines()
    var faults = RecentFaults()
    var rate: PushRate?
    var silence: Silence
    /// When it is to be woken, as far as that was asked for.
    var wakes: Int64?
    /// Why it has ended, or is about to.
    package internal(set) var end: ConnectionEnd?
    /// The errors that were sent since somebody asked, for whoever counts them.
    private var refusals: [ErrorCode: Int] = [:]
    package var actions: [ConnectionAction] = []

    package init(
        _ id: ConnectionID, settings: ConnectionSettings, from peer: WireString? = nil, at now: Int64
    ) {
        self.id = id
        self.peer = peer
        self.settings = settings
        self.now = now
        input = ConnectionInput(settings.limits)
        helloUntil = now + Int64(settings.limits.helloSeconds) * 1_000
        rate = settings.limits.announced.pushesPerSecond.map { PushRate(perSecond: $0, at: now) }
        silence = .heard(now)
    }

    /// What is to be done before anything has happened.
    package mutating func begun() -> [ConnectionAction] { settled() }

    var limits: Limits { settings.limits }

    /// Whoever is at the other end, once that is settled and until it is over.
    var member: Member? {
        switch phase {
        case .welcomed(let member), .finishing(let member, _), .joining(let member, _): member
        case .expectingHello, .authenticating, .closing, .closed: nil
        }
    }

    /// Lines may be sent: those of rooms and of the hub come too late otherwise.
    var isTalking: Bool {
        switch phase {
        case .welcomed, .finishing: true
        case .expectingHello, .authenticating, .joining, .closing, .closed: false
        }
    }

    package var isClosed: Bool { if case .closed = phase { true } else { false } }
    /// Bytes that were sent and not taken.
    package var waitingOutput: Int { output.waiting }
    /// Bytes of a begun line and of lines that wait, and how many lines those are at most.
    package var waitingInput: Int { input.begunBytes + waiting.bytes }

    /// The errors that are to be counted now; nil where there are none, which is asked behind every event.
    package mutating func takeRefusals() -> [ErrorCode: Int]? {
        if refusals.isEmpty { return nil }
        defer { refusals = [:] }
        return refusals
    }

    mutating func note(_ report: ErrorReport) {
        if case .known(let code) = report.code { refusals[code, default: 0] += 1 }
    }

    mutating func order(_ action: ConnectionAction) { actions.append(action) }

    /// Does what the event made possible, and hands over all that is to be done.
    mutating func settled() -> [ConnectionAction] {
        proceed()
        finishIfDone()
        steerReading()
        wakeInTime()
        defer { actions = [] }
        return actions
    }
}

/// Lines that are sent.
extension ConnectionState {
    mutating func send(_ line: [UInt8], of owner: OutputLedger.Owner = .connection) {
        output.add(line.count, of: owner, at: now)
        order(.send(line))
    }

    mutating func send(
        _ message: ServerMessage, _ id: RequestID? = nil, of owner: OutputLedger.Owner = .connection
    ) {
        var writer = JSONWriter()
        message.encode(id: id, into: &writer)
        send(writer.bytes, of: owner)
    }

    /// Refuses a message; a code that closes, or any before the welcome, ends the connection.
    mutating func fail(_ report: ErrorReport, _ id: RequestID?) {
        note(report)
        send(.error(report), id)
        guard case .known(let code) = report.code else { return }
        if code.closes || !isTalking { beginClosing(.refused(code)) }
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
