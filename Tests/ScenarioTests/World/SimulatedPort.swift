import CaretRooms
import CaretServer
import CaretTLS
import CaretWeb

/// A socket of the server: one end of a link.
// @unchecked: one thread does all of a simulated run.
final class SimulatedPort: ConnectionPort, @unchecked Sendable {
    let link: Link
    private unowned let simulatedLoop: SimulatedLoop
    private unowned let world: World
    private(set) var shell: ConnectionShell?
    private(set) var isClosed = false
    private var hasEndedOutput = false
    private var isReadingPaused = false
    /// Bytes that the shell has not accepted yet, because reading is paused.
    private var unread: [UInt8] = []
    /// Whether the shell has received any bytes.
    private(set) var hasReceived = false
    /// The client has ended its output. The shell learns of it after it has accepted all bytes.
    private var inputHasEnded = false
    private var due: ServerMoment?
    /// The time of this socket's entry on the agenda. The deadline of the socket may have moved to a later
    /// time since.
    private var scheduled: ServerMoment?

    init(_ link: Link, _ loop: SimulatedLoop) {
        self.link = link
        simulatedLoop = loop
        world = loop.world
    }

    var server: ServerRun { simulatedLoop.server }
    var loop: any LoopContext { simulatedLoop }

    private func begin() {
        simulatedLoop.add(self)
        shell = server.switchboard.shell(for: self, at: .adminSocket, web: .tcp)
    }

    // MARK: Calls by the server

    var deadline: ServerMoment? {
        get { due }
        set {
            due = newValue
            guard let due, !isClosed, due < scheduled ?? ServerMoment(nanoseconds: .max) else { return }
            scheduled = due
            world.schedule(self, at: due)
        }
    }

    func send(_ payload: Payload) {
        if isClosed || hasEndedOutput { return }
        world.send(Array(payload.bytes), on: link)
    }

    func pauseReading() {
        isReadingPaused = true
        link.up.isPaused = true
    }

    func resumeReading() {
        isReadingPaused = false
        if !unread.isEmpty || inputHasEnded { return post(.resumed) }
        readOn()
    }

    /// The network may deliver further bytes.
    private func readOn() {
        link.up.isPaused = false
        world.schedule(up: link)
    }

    func endOutput() {
        if isClosed { return }
        hasEndedOutput = true
        link.down.hasEnded = true
        world.schedule(down: link)
    }

    /// The simulated listeners have no certificate.
    func startTLS(_ context: TLSServerContext) {
        preconditionFailure("a simulated connection begins TLS")
    }

    var agreedProtocol: ApplicationProtocol? { nil }

    func close() {
        if isClosed { return }
        end(.closedByHandler)
        world.closedByServer(link)
    }

    // MARK: Events

    func post(_ event: SimulatedLoop.SocketEvent) { simulatedLoop.post(event, to: self) }

    func deadlineCame() {
        scheduled = nil
        post(.deadline)
    }

    func happened(_ event: SimulatedLoop.SocketEvent) {
        if case .accepted = event { return begin() }
        guard !isClosed, let shell else { return }
        switch event {
        case .accepted: break
        case .received(let bytes):
            unread += bytes
            deliverInput(to: shell)
        case .resumed:
            deliverInput(to: shell)
            if !isReadingPaused { readOn() }
        case .inputEnded:
            inputHasEnded = true
            deliverInput(to: shell)
        case .wrote(let count): shell.wrote(count, on: self)
        case .lost: end(.lost(SystemFault("recv", code: 104)))
        case .deadline: meetDeadline(shell)
        }
    }

    /// Passes the shell what it has not accepted yet, unless reading is paused.
    private func deliverInput(to shell: ConnectionShell) {
        if isReadingPaused || isClosed { return }
        if !unread.isEmpty {
            let bytes = unread
            unread = []
            hasReceived = true
            let accepted = bytes.withUnsafeBytes { shell.received($0, on: self) }
            if isClosed { return }
            if accepted < bytes.count {
                if !isReadingPaused {
                    world.fail(.wire, "a connection accepted \(accepted) of \(bytes.count) bytes")
                }
                world.referee.counts.unreadInputs += 1
                unread = world.fault.dropsUnreadInput ? [] : Array(bytes[accepted...])
                return
            }
        }
        if !isReadingPaused, inputHasEnded {
            inputHasEnded = false
            shell.inputEnded(on: self)
        }
    }

    private func meetDeadline(_ shell: ConnectionShell) {
        guard let due else { return }
        if due <= simulatedLoop.now {
            self.due = nil
            shell.deadlinePassed(on: self)
        } else {
            deadline = due
        }
    }

    func end(_ reason: CloseReason) {
        if isClosed { return }
        isClosed = true
        due = nil
        simulatedLoop.ended(self, reason)
    }

    func notifyClosed(_ reason: CloseReason) {
        shell?.closed(reason, on: self)
        shell = nil
    }
}
