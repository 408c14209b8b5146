import CaretCore
import CaretLog
import CaretRooms
import CaretWire

/// The state that speaks the protocol for the requests of an HTTP connection.
///
/// `ConnectionState` decides rights, limits, the order of requests and repeats, as it does without HTTP.
struct WebMember: Sendable {
    /// Requests with the same identity share a member.
    struct Identity: Equatable, Sendable {
        let token: WireString?
        /// The user that a proxy names. Nil if the token decides.
        let proxied: CaretRooms.Identity?
        /// The client that the request names.
        let client: WireString?
        let unit: CodeUnit
    }

    let identity: Identity
    private(set) var state: ConnectionState
    /// Whether the server has welcomed the member.
    private(set) var isWelcomed = false
    /// The server has ended the member, or refused it.
    private(set) var isOver = false
    private var decoder: MessageDecoder
    private var lines: [ServerLine] = []
    private var actions: [WebAction] = []
    /// The time of the requested `wake`.
    private(set) var wakesAt: Int64?

    init(_ identity: Identity, _ state: ConnectionState, limits: Limits.Announced) {
        self.identity = identity
        self.state = state
        decoder = MessageDecoder(limits: limits)
    }

    /// Whether all actions and messages of the state were handled.
    var isSettled: Bool { actions.isEmpty && lines.isEmpty }

    mutating func takeActions() -> [WebAction] {
        defer { actions = [] }
        return actions
    }

    mutating func takeRefusals() -> [ErrorCode: Int]? { state.takeRefusals() }

    /// The next message of the server.
    mutating func nextLine() -> ServerLine? { lines.isEmpty ? nil : lines.removeFirst() }

    /// Whether the newest text of this document may be the answer to a read at once. A client that the request names
    /// may have unanswered pushes, which were sent over another connection.
    func mayReadAtOnce(_ name: DocumentName, at time: Int64) -> Bool {
        identity.client == nil && state.mayReadAtOnce(name, at: time)
    }

    // MARK: Events

    /// Sends `hello`.
    mutating func start(as client: WireString, at time: Int64) {
        perform(state.start())
        send(.hello(Hello(client: client, units: [identity.unit], token: identity.token)), at: time)
    }

    /// Passes an event of a room, the hub or the clock to the state.
    mutating func handle(_ event: (inout ConnectionState) -> [ConnectionAction]) { perform(event(&state)) }

    mutating func timePassed(_ time: Int64) {
        if let wakesAt, time >= wakesAt { self.wakesAt = nil }
        perform(state.timePassed(time))
    }

    mutating func send(_ message: ClientMessage, at time: Int64) {
        var writer = JSONWriter()
        message.encode(into: &writer)
        sendPart(Array(writer.bytes.dropLast()), at: time)
        endMessage(at: time)
    }

    /// Sends a part of a message.
    mutating func sendPart(_ bytes: [UInt8], at time: Int64) {
        perform(state.received(bytes, at: time))
    }

    /// Ends a message. If `head` is given, its first `head` bytes are a push in JSON, and the others are the text of
    /// the push.
    mutating func endMessage(withTextAfter head: Int? = nil, at time: Int64) {
        perform(state.messageEnded(withTextAfter: head, at: time))
    }

    /// Ends a message that is not one of the server's protocol. Returns nil if the server ends the member.
    mutating func takeMessage(at time: Int64) -> [UInt8]? {
        let (message, orders) = state.messageTaken(at: time)
        perform(orders)
        return message
    }

    /// Claims memory for an incomplete message, or releases it. Call this last
    /// after received bytes, because the claim must be answered before more input arrives.
    mutating func claimMemory() { perform(state.claimForMessage()) }

    // MARK: Actions of the state

    private mutating func perform(_ orders: [ConnectionAction]) {
        for order in orders { perform(order) }
        if !isWelcomed, let proxied = identity.proxied, orders.contains(.authenticate(token: nil)) {
            perform(state.authenticated(.known(proxied)))
        }
    }

    private mutating func perform(_ order: ConnectionAction) {
        switch order {
        case .send(let bytes):
            for line in bytes.split(separator: UInt8(ascii: "\n")) { note(Array(line)) }
            // The gateway reads each line at once, so the bytes count as delivered.
            perform(state.written(bytes.count))
        case .sendText(let line):
            lines.append(ServerLine(line))
            perform(state.written(line.count))
        case .endOutput, .close: isOver = true
        // `time` may replace `wakesAt`, because the state requests a later time only after `wakesAt`.
        case .wake(let time): wakesAt = time
        // Not needed: the gateway asks the state before it sends the next part of a message.
        case .pauseReading, .resumeReading: break
        case .authenticate(token: nil) where identity.proxied != nil: break
        case .sendShared, .claimLine, .releaseLine, .authenticate, .join, .ask, .deliveredDocuments, .leave,
            .sendToRoom:
            actions.append(.connection(order))
        }
    }

    private mutating func note(_ line: [UInt8]) {
        // The server made this line itself. A message that is not known here needs no answer.
        guard let decoded = try? decoder.serverMessage(line) else { return }
        if case .welcome = decoded.message { isWelcomed = true }
        lines.append(ServerLine(decoded.message, line + [UInt8(ascii: "\n")]))
    }
}
