import CaretRooms
import CaretWire

/// An event stream: each line that the server sends to a member becomes an event. The client sends nothing.
struct EventStreamState: Sendable {
    private(set) var member: ConnectionState
    private(set) var form: EventWriter.Form
    private var ledger = WireLedger()
    private var decoder: MessageDecoder
    /// The member has ended the stream. Output may still wait.
    private(set) var isOver = false
    /// Bytes that the client has sent after its request.
    private var ignoredBytes = 0
    private let mostIgnoredBytes: Int
    /// The time at which the member wants to be woken.
    private(set) var wakesAt: Int64?
    private var actions: [WebAction] = []

    init(_ member: ConnectionState, _ form: EventWriter.Form, limits: Limits, wakesAt: Int64?) {
        self.wakesAt = wakesAt
        self.member = member
        self.form = form
        decoder = MessageDecoder(limits: limits.announced)
        mostIgnoredBytes = limits.closingBytes
    }

    /// Undelivered bytes, including those that belong to no line.
    var waitingOutput: Int { ledger.waiting }

    /// The first actions: the head of the response, and the lines that came before the stream began.
    mutating func start(_ head: [UInt8], _ lines: [ServerLine]) -> [WebAction] {
        ledger.add(wireBytes: head.count, lineBytes: 0)
        actions.append(.connection(.send(head)))
        // `member` has already counted these lines as delivered, so they must not be counted again.
        for line in lines {
            if let text = line.text { send(text, lineBytes: 0) } else { send(line.bytes, lineBytes: 0) }
        }
        return takeActions()
    }

    mutating func takeRefusals() -> [ErrorCode: Int]? { member.takeRefusals() }

    /// Passes an event of a room, the hub or the clock to the member.
    mutating func handle(_ event: (inout ConnectionState) -> [ConnectionAction]) -> [WebAction] {
        perform(event(&member))
        // The document was deleted or renamed, or the client may no longer read it.
        if form.epoch != nil, !member.hasDocuments, !isOver { perform(member.inputEnded()) }
        return takeActions()
    }

    mutating func timePassed(_ time: Int64) -> [WebAction] {
        if let wakesAt, time >= wakesAt { self.wakesAt = nil }
        return handle { $0.timePassed(time) }
    }

    /// The same as `ConnectionState.forwardLines`, for lines that the caller sends as events. `epoch` is the
    /// document's epoch after these lines.
    mutating func forwardLines(
        lineBytes: Int, wireBytes: Int, epoch: WireString?, to session: SessionID
    ) -> [WebAction]? {
        guard let following = member.forwardLines(lineBytes, to: session) else { return nil }
        form.epoch = epoch
        note(wireBytes: wireBytes, lineBytes: lineBytes)
        perform(following)
        return takeActions()
    }

    /// The client has sent bytes, which nobody reads. Many of them end the stream.
    mutating func received(bytes: Int) -> [WebAction] {
        ignoredBytes += bytes
        if ignoredBytes > mostIgnoredBytes { perform(member.connectionLost()) }
        return takeActions()
    }

    mutating func written(_ wireBytes: Int) -> [WebAction] {
        let lineBytes = ledger.wrote(wireBytes)
        if lineBytes > 0 { perform(member.written(lineBytes)) }
        return takeActions()
    }

    // MARK: Actions of the member

    private mutating func perform(_ orders: [ConnectionAction]) {
        for order in orders { perform(order) }
    }

    private mutating func perform(_ order: ConnectionAction) {
        switch order {
        case .send(let lines): send(lines, lineBytes: lines.count)
        case .sendText(let line): send(line, lineBytes: line.count)
        case .endOutput: actions.append(.connection(.endOutput))
        case .close: isOver = true
        // The client sends nothing that the member reads.
        case .pauseReading, .resumeReading: break
        // `time` may replace `wakesAt`, because the state requests a later time only after `wakesAt`.
        case .wake(let time): wakesAt = time
        case .sendShared, .claimLine, .releaseLine, .authenticate, .join, .ask, .deliveredDocuments, .leave,
            .sendToRoom:
            actions.append(.connection(order))
        }
    }

    private mutating func send(_ lines: [UInt8], lineBytes: Int) {
        let (bytes, epoch) = EventWriter.events(of: lines, as: form, &decoder)
        form.epoch = epoch
        if !bytes.isEmpty { actions.append(.connection(.send(bytes))) }
        note(wireBytes: bytes.count, lineBytes: lineBytes)
        // The client cannot answer a ping, so a comment that was sent ends the silence in its place.
        if bytes == EventWriter.comment { perform(member.received([], at: 0)) }
    }

    private mutating func send(_ line: TextLine, lineBytes: Int) {
        let (before, after, epoch) = EventWriter.event(around: line, as: form)
        form.epoch = epoch
        actions.append(.connection(.send(before)))
        actions.append(.connection(.sendShared(line.text.escaped)))
        actions.append(.connection(.send(after)))
        note(wireBytes: before.count + line.text.escaped.count + after.count, lineBytes: lineBytes)
    }

    private mutating func note(wireBytes: Int, lineBytes: Int) {
        if wireBytes == 0, ledger.isEmpty {
            if lineBytes > 0 { perform(member.written(lineBytes)) }
        } else {
            ledger.add(wireBytes: wireBytes, lineBytes: lineBytes)
        }
    }

    private mutating func takeActions() -> [WebAction] {
        defer { actions = [] }
        return actions
    }
}
