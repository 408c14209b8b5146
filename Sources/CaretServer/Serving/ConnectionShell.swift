import CaretConfig
import CaretLog
package import CaretRooms
import CaretTLS
import CaretWeb
import CaretWire
import Synchronization

/// Passes events to a connection's state, and runs the resulting actions: on the socket, the rooms and the
/// hub. Confined to the connection's loop.
///
/// The first byte decides what the client speaks: lines begin with `{`, HTTP with a capital letter, and TLS with 0x16.
/// After a TLS handshake, the first decrypted byte decides between lines and HTTP.
package final class ConnectionShell: ConnectionHandler {
    package let id: ConnectionID
    private var client: Client
    /// How HTTP is served at this listener; nil if the listener serves no HTTP.
    private let webListener: SiteGuard.Listener?
    private let settings: WebSettings
    /// Whether the client has sent anything but line ends.
    private var hasRead = false
    /// Nil if the listener has no certificate.
    private let tls: ListenerTLS?
    private var isSecure = false
    private var refusal: TLSRefusal?
    /// The connection owns this shell, and releases it after the connection has ended. So this reference back
    /// to the connection causes no memory leak.
    private let connection: any ConnectionPort
    private let listenerKind: ListenerKind
    private let host: LoopHost
    private let switchboard: Switchboard
    private let since: Moment
    private let readTimes: ReadTimes
    /// When bytes arrived last.
    private var readAt: Moment

    init(
        _ id: ConnectionID, _ connection: any ConnectionPort, at listenerKind: ListenerKind,
        web webListener: SiteGuard.Listener?, tls: ListenerTLS?, _ host: LoopHost, _ switchboard: Switchboard
    ) {
        self.tls = tls
        self.host = host
        self.id = id
        self.connection = connection
        self.listenerKind = listenerKind
        self.webListener = webListener
        self.switchboard = switchboard
        since = connection.loop.now
        readAt = since
        readTimes = switchboard.readTimes(of: id)
        settings = switchboard.settingsOfNewConnection
        client = .lines(
            Box(
                ConnectionState(
                    id, settings: settings.connection, from: listenerKind.name, at: switchboard.clock.now)))
    }

    func begin() {
        host.counters.add(to: .connectionsOpened)
        switchboard.log.write(LogEvent(.connectionOpened, .connection(Int(id.value)), listenerKind.field))
        if case .lines(let lines) = client { run(lines.state.start()) }
    }

    // MARK: Events of the socket

    package func received(_ bytes: UnsafeRawBufferPointer, on connection: any ConnectionPort) -> Int {
        readAt = connection.loop.now
        if !hasRead, !isSecure, bytes.first == Self.firstByteOfTLS { return startTLS(bytes.count) }
        let time = switchboard.clock.time(at: readAt)
        let skipped = hasRead ? 0 : greet(bytes, at: time)
        if refusal != nil { return bytes.count }
        var accepted = bytes.count
        switch client {
        case .lines(let lines): run(lines.state.received(bytes, at: time))
        case .web(let web):
            let result = web.state.received(UnsafeRawBufferPointer(rebasing: bytes[skipped...]), at: time)
            accepted = skipped + result.accepted
            run(result.actions)
        }
        host.counters.add(accepted, to: .bytesIn)
        return accepted
    }

    /// The type of the record that a handshake begins with.
    private static let firstByteOfTLS: UInt8 = 0x16

    /// Begins TLS, or refuses the client if the listener has no certificate. Returns how many bytes are
    /// accepted: none if TLS begins, because the connection then passes them to TLS.
    private func startTLS(_ count: Int) -> Int {
        guard let tls else {
            refuse(.noCertificate)
            return count
        }
        isSecure = true
        connection.startTLS(tls.context)
        return 0
    }

    private func refuse(_ refusal: TLSRefusal) {
        self.refusal = refusal
        connection.close()
    }

    /// Decides what the client speaks. Line ends before the first message decide nothing. Returns how many bytes
    /// of line ends must be skipped before a request.
    private func greet(_ bytes: UnsafeRawBufferPointer, at time: Int64) -> Int {
        guard let first = bytes.firstIndex(where: { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") })
        else {
            return 0
        }
        hasRead = true
        let isHTTP = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= bytes[first]
        if isSecure { host.counters.add(to: .tlsConnections) }
        if let refusal = refusal(ofHTTP: isHTTP) {
            refuse(refusal)
            return 0
        }
        // In any other phase the client is being disconnected, because it sent nothing for too long.
        guard isHTTP, let webListener, case .lines(let lines) = client,
            case .expectingHello = lines.state.phase
        else {
            return 0
        }
        client = .web(
            Box(
                WebState(
                    id, settings, at: webListener, security: webSecurity, from: listenerKind.name, at: time)))
        return first
    }

    /// Why the listener refuses a client that speaks HTTP, or lines.
    private func refusal(ofHTTP isHTTP: Bool) -> TLSRefusal? {
        if let agreed = connection.agreedProtocol {
            return agreed == (isHTTP ? .http : .lines) ? nil : .otherProtocol
        }
        // A client that speaks HTTP is not refused here: it gets a response that says that TLS is required.
        let isRefused = webSecurity == .missing && !(isHTTP && webListener != nil)
        return isRefused ? .required : nil
    }

    private var webSecurity: WebSecurity {
        if isSecure { return .tls }
        return tls?.isRequired == true ? .missing : .plain
    }

    package func inputEnded(on connection: any ConnectionPort) {
        advanceTime()
        switch client {
        case .lines(let lines): run(lines.state.inputEnded())
        case .web(let web): run(web.state.inputEnded())
        }
    }

    package func wrote(_ bytes: Int, on connection: any ConnectionPort) {
        advanceTime()
        host.counters.add(bytes, to: .bytesOut)
        switch client {
        case .lines(let lines): run(lines.state.written(bytes))
        case .web(let web): run(web.state.written(bytes))
        }
    }

    package func deadlinePassed(on connection: any ConnectionPort) { advanceTime() }

    package func closed(_ reason: CloseReason, on connection: any ConnectionPort) {
        advanceTime()
        switch client {
        case .lines(let lines): run(lines.state.connectionLost())
        case .web(let web): run(web.state.connectionLost())
        }
        if case .tlsFailed = reason { host.counters.add(to: .tlsFailures) }
        if refusal != nil { host.counters.add(to: .tlsFailures) }
        noteEnd(reason)
        readTimes.forget(id)
        switchboard.remove(id, from: connection.loop)
    }

    // MARK: Jobs from rooms and the hub

    func handle(_ job: ConnectionJob, _ lines: [[UInt8]], at time: Int64) {
        advanceTime(to: time)
        switch job {
        case .sent(let session, let kind, let line): send(RoomOutput(kind, lines[line]), to: session)
        case .sentText(let session, let line): apply { $0.sent(line, to: session) }
        case .ended(let session):
            readTimes.forget(session)
            apply { $0.ended(session) }
        case .disconnect(let session): apply { $0.disconnect(session) }
        case .hubSent(.shuttingDown(let retry)):
            switch client {
            case .lines(let lines): run(lines.state.hubSent(.shuttingDown(retryAfterMilliseconds: retry)))
            case .web(let web): run(web.state.shutDown(retryAfterMilliseconds: retry))
            }
        case .hubSent(let news): apply { $0.hubSent(news) }
        case .undelivered(let event): apply { $0.undelivered(event) }
        case .authenticated(let result): apply { $0.authenticated(result) }
        case .computed(let response, let number):
            if case .web(let web) = client { run(web.state.computed(response, number: number)) }
        }
    }

    private func send(_ output: RoomOutput, to session: SessionID) {
        switch client {
        case .lines(let lines): send(output, to: session, over: lines)
        case .web(let web): send(output, to: session, over: web)
        }
    }

    private func send(_ output: RoomOutput, to session: SessionID, over lines: Box<ConnectionState>) {
        guard let actions = lines.state.forwardLines(output.bytes.count, to: session) else {
            return run(lines.state.sent(output, to: session))
        }
        connection.send(host.payloads.payload(of: output.bytes))
        run(actions)
    }

    private func send(_ output: RoomOutput, to session: SessionID, over web: Box<WebState>) {
        guard let form = web.state.lineForm() else { return apply { $0.sent(output, to: session) } }
        let (payload, epoch) = host.payloads.payloadAndEpoch(of: output.bytes, as: form)
        let (lineBytes, wireBytes) = (output.bytes.count, payload.bytes.count)
        guard
            let actions = web.state.forwardLines(
                lineBytes: lineBytes, wireBytes: wireBytes, epoch: epoch, to: session)
        else {
            return apply { $0.sent(output, to: session) }
        }
        connection.send(payload)
        run(actions)
    }

    /// Passes an event to the state that speaks the protocol.
    private func apply(_ event: (inout ConnectionState) -> [ConnectionAction]) {
        switch client {
        case .lines(let lines): run(event(&lines.state))
        case .web(let web): run(web.state.handle(event))
        }
    }

    // MARK: Actions

    private func advanceTime() { advanceTime(to: switchboard.clock.time(at: connection.loop.now)) }

    private func advanceTime(to time: Int64) {
        switch client {
        case .lines(let lines): run(lines.state.timePassed(time))
        case .web(let web): run(web.state.timePassed(time))
        }
    }

    /// How many reads in a row a loop answers itself. Other connections wait meanwhile.
    private static let mostReadsAtOnce = 15

    private func run(_ actions: [ConnectionAction]) {
        guard case .lines(let lines) = client else { return }
        var actions = actions
        for reads in 0...ConnectionShell.mostReadsAtOnce {
            if let refusals = lines.state.takeRefusals() { count(refusals) }
            var answer: Envelope<ServerMessage>?
            for action in actions {
                if reads < ConnectionShell.mostReadsAtOnce, case .ask(let request) = action,
                    let text = textInMemory(for: request, lines)
                {
                    answer = Envelope(.text(text), id: request.id)
                } else {
                    run(action)
                }
            }
            switchboard.observer?.saw(lines.state)
            // The state waits for the answer, so the actions so far run before its next ones.
            guard let answer else { return }
            actions = lines.state.hubSent(.answered(answer))
        }
    }

    /// The answer to a read of the newest text, if it is in memory. A long text is encoded beside the loops.
    private func textInMemory(for request: HubRequest, _ lines: Box<ConnectionState>) -> WireText? {
        guard request.isOfNewestText, case .read(let name, let read) = request.question,
            let text = switchboard.texts.text(of: name),
            text.utf8.count <= switchboard.connectionSettings.limits.textEncodedAtOnce,
            lines.state.isAnswered(by: text)
        else { return nil }
        host.counters.add(to: .readsFromMemory)
        var message = text.message
        message.document = read.document
        return message
    }

    private func ask(_ request: HubRequest) {
        var request = request
        if let measured = MeasuredRequest(request.question) { readTimes.add(measured, at: readAt) }
        if request.isOfNewestText {
            request.asOf = switchboard.texts.writes.now
            host.counters.add(to: .readsFromStore)
        }
        host.notifyHub(.ask(request))
    }

    private func run(_ actions: [WebAction]) {
        guard case .web(let web) = client else { return }
        if let refusals = web.state.takeRefusals() { count(refusals) }
        var lookup: (name: DocumentName, read: Read)?
        for action in actions {
            switch action {
            case .connection(let action): run(action)
            case .findText(let name, let read): lookup = (name, read)
            case .sendMessages(let lines): connection.send(host.payloads.payload(of: lines, as: .messages))
            case .compute(let computation, let number):
                switchboard.runInBackground { [id, switchboard] in
                    switchboard.send(.computed(computation.response(), number: number), to: id)
                }
            case .noteRefusal(let code, let origin): note(code, origin)
            case .noteSignIn(let fault):
                switchboard.log.write(LogEvent(.loginFailed, listenerKind.field, .reason(fault.kind.logWord)))
            case .noteDroppedSignIn:
                switchboard.log.write(LogEvent(.signInHeaderDropped, listenerKind.field))
            }
        }
        switchboard.observer?.saw(web.state)
        // The state returned all these actions before it waits for the text, so they run before its next ones.
        if let lookup { find(lookup.name, lookup.read, web) }
    }

    private func note(_ refusal: WebCode, _ origin: Origin?) {
        host.counters.add(to: refusal == .badHost ? .refusedHosts : .refusedOrigins)
        guard refusal == .badOrigin, let origin else { return }
        switchboard.log.write(LogEvent(.originRefused, .connection(Int(id.value)), .origin(origin)))
    }

    private func find(_ name: DocumentName, _ read: Read, _ web: Box<WebState>) {
        let text = switchboard.texts.text(of: name)
        if text != nil { host.counters.add(to: .readsFromMemory) }
        run(web.state.found(text, for: read))
    }

    private func count(_ refusals: [ErrorCode: Int]) {
        for (code, count) in refusals {
            host.counters.countRefusal(code, times: count)
            if code == .internal {
                switchboard.log.write(LogEvent(.internalFault, .connection(Int(id.value))))
            }
        }
    }

    private var end: ConnectionEnd? {
        switch client {
        case .lines(let lines): lines.state.end
        case .web(let web): web.state.member?.end
        }
    }

    private func noteEnd(_ reason: CloseReason) {
        host.counters.add(to: .connectionsClosed)
        let lasted = (connection.loop.now.nanoseconds - since.nanoseconds) / 1_000_000
        switchboard.log.write(
            LogEvent(
                .connectionClosed, .connection(Int(id.value)), end?.field ?? refusal?.field ?? reason.field,
                .milliseconds(Int(lasted))))
    }

    private func send(_ piece: OutputPiece) {
        switch piece {
        case .bytes(let bytes): connection.send(host.payloads.payload(of: bytes))
        case .shared(let payload): connection.send(payload)
        }
    }

    private func run(_ action: ConnectionAction) {
        switch action {
        case .send(let line): connection.send(host.payloads.payload(of: line))
        case .sendText(let line): for piece in line.pieces { send(piece) }
        case .sendShared(let payload): connection.send(payload)
        case .pauseReading: connection.pauseReading()
        case .resumeReading: connection.resumeReading()
        case .claimLine(let bytes):
            if !switchboard.lineBudget.withLock({ $0.claim(bytes) }) { apply { $0.lineRefused() } }
        case .releaseLine(let bytes): switchboard.lineBudget.withLock { $0.release(bytes) }
        case .authenticate(let token):
            let (id, switchboard) = (id, switchboard)
            switchboard.authenticator.identify(token, at: listenerKind) {
                switchboard.send(.authenticated($0), to: id)
            }
        case .join(let joining): host.notifyHub(.join(joining))
        case .ask(let request): ask(request)
        case .deliveredDocuments: host.notifyHub(.deliveredDocuments(id))
        case .leave: host.notifyHub(.left(id))
        case .sendToRoom(let document, let event):
            if let measured = MeasuredRequest(event) { readTimes.add(measured, at: readAt) }
            host.send(event, to: document, from: id)
        case .wake(let time): connection.deadline = switchboard.clock.moment(of: time)
        case .endOutput: connection.endOutput()
        case .close: connection.close()
        }
    }
}

/// What the client speaks.
private enum Client {
    /// Before the first byte it is assumed that the client speaks lines.
    case lines(Box<ConnectionState>)
    case web(Box<WebState>)
}

/// Holds a state outside of the shell, so that a connection only has memory for what its client speaks.
private final class Box<State> {
    var state: State

    init(_ state: State) { self.state = state }
}
