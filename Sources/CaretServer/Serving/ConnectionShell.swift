import CaretConfig
package import CaretRooms
import CaretWire
import Synchronization

/// Passes events to a connection's state, and runs the resulting actions: on the socket, the rooms and the
/// hub. Confined to the connection's loop.
package final class ConnectionShell: ConnectionHandler {
    package let id: ConnectionID
    private var state: ConnectionState
    /// The connection owns this shell, and releases it after the end. So the two do not leak.
    private let connection: any ConnectionPort
    private let listenerKind: ListenerKind
    private let host: LoopHost
    private let switchboard: Switchboard
    private let since: Moment
    private let readTimes: ReadTimes
    /// When bytes arrived last.
    private var readAt: Moment

    init(
        _ id: ConnectionID, _ connection: any ConnectionPort, at listenerKind: ListenerKind, _ host: LoopHost,
        _ switchboard: Switchboard
    ) {
        self.host = host
        self.id = id
        self.connection = connection
        self.listenerKind = listenerKind
        self.switchboard = switchboard
        since = connection.loop.now
        readAt = since
        readTimes = switchboard.readTimes(of: id)
        state = ConnectionState(
            id, settings: switchboard.connectionSettings, from: listenerKind.name, at: switchboard.clock.now)
    }

    func begin() {
        host.counters.add(to: .connectionsOpened)
        switchboard.log.write(LogEvent(.connectionOpened, .connection(Int(id.value)), listenerKind.field))
        run(state.start())
    }

    // MARK: Events of the socket

    package func received(_ bytes: UnsafeRawBufferPointer, on connection: any ConnectionPort) -> Int {
        host.counters.add(bytes.count, to: .bytesIn)
        readAt = connection.loop.now
        run(state.received(bytes, at: switchboard.clock.time(at: connection.loop.now)))
        return bytes.count
    }

    package func inputEnded(on connection: any ConnectionPort) {
        advanceTime()
        run(state.inputEnded())
    }

    package func wrote(_ bytes: Int, on connection: any ConnectionPort) {
        advanceTime()
        host.counters.add(bytes, to: .bytesOut)
        run(state.written(bytes))
    }

    package func deadlinePassed(on connection: any ConnectionPort) { advanceTime() }

    package func closed(_ reason: CloseReason, on connection: any ConnectionPort) {
        advanceTime()
        run(state.connectionLost())
        noteEnd(reason)
        readTimes.forget(id)
        switchboard.remove(id, from: connection.loop)
    }

    // MARK: Jobs from rooms and the hub

    func handle(_ job: ConnectionJob, _ lines: [[UInt8]], at time: Int64) {
        run(state.timePassed(time))
        switch job {
        case .sent(let session, let kind, let line): send(RoomOutput(kind, lines[line]), to: session)
        case .ended(let session):
            readTimes.forget(session)
            run(state.ended(session))
        case .disconnect(let session): run(state.disconnect(session))
        case .hubSent(let news): run(state.hubSent(news))
        case .undelivered(let event): run(state.undelivered(event))
        case .authenticated(let result): run(state.authenticated(result))
        }
    }

    private func send(_ output: RoomOutput, to session: SessionID) {
        guard let actions = state.forwardLines(output.bytes.count, to: session) else {
            return run(state.sent(output, to: session))
        }
        connection.send(host.payloads.payload(of: output.bytes))
        run(actions)
    }

    // MARK: Actions

    private func advanceTime() { run(state.timePassed(switchboard.clock.time(at: connection.loop.now))) }

    private func run(_ actions: [ConnectionAction]) {
        if let refusals = state.takeRefusals() { count(refusals) }
        for action in actions { run(action) }
        switchboard.observer?.saw(state)
    }

    private func count(_ refusals: [ErrorCode: Int]) {
        for (code, count) in refusals {
            host.counters.countRefusal(code, times: count)
            if code == .internal {
                switchboard.log.write(LogEvent(.internalFault, .connection(Int(id.value))))
            }
        }
    }

    private func noteEnd(_ reason: CloseReason) {
        host.counters.add(to: .connectionsClosed)
        let lasted = (connection.loop.now.nanoseconds - since.nanoseconds) / 1_000_000
        switchboard.log.write(
            LogEvent(
                .connectionClosed, .connection(Int(id.value)), state.end?.field ?? reason.field,
                .milliseconds(Int(lasted))))
    }

    private func run(_ action: ConnectionAction) {
        switch action {
        case .send(let line): connection.send(host.payloads.payload(of: line))
        case .pauseReading: connection.pauseReading()
        case .resumeReading: connection.resumeReading()
        case .claimLine(let bytes):
            if !switchboard.lineBudget.withLock({ $0.claim(bytes) }) { run(state.lineRefused()) }
        case .releaseLine(let bytes): switchboard.lineBudget.withLock { $0.release(bytes) }
        case .authenticate(let token):
            let (id, switchboard) = (id, switchboard)
            switchboard.authenticator.identify(token, at: listenerKind) {
                switchboard.send(.authenticated($0), to: id)
            }
        case .join(let joining): host.notifyHub(.join(joining))
        case .ask(let request):
            if let measured = MeasuredRequest(request.question) { readTimes.add(measured, at: readAt) }
            host.notifyHub(.ask(request))
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
