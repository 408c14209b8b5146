import CaretConcurrency
import CaretLog
import Synchronization

/// Notifies the other servers over the same database of changes, with `NOTIFY`.
///
/// The bus has a connection and a thread of its own. Notifications that come while a message is on its way share the next
/// one.
final class PostgresBus: NodeBus, Sendable {
    private let state: Mutex<State>
    private let signal = WakeSignal()
    private let thread: Mutex<WorkerThread?> = Mutex(nil)
    private let shared: SharedState
    private let start = ContinuousClock.now

    private struct State {
        var endpoint: BusEndpoint
        /// What this server says of itself, and was not written yet.
        var report: NodeReport?
        var receive: (@Sendable (BusEvent) -> Void)?
        /// Called when the thread has ended; nil before `close`.
        var onEnd: (@Sendable () -> Void)?
        var isClosing = false
    }

    init(_ shared: SharedState) {
        self.shared = shared
        state = Mutex(State(endpoint: BusEndpoint(.newRun(of: shared.node))))
    }

    /// Starts the thread. `connection` has the lock on the server's name.
    func start(_ connection: sending BusConnection) {
        let runner = Confined(connection, to: Turn())
        let thread = WorkerThread { [self] in
            runner.home.run { runner.update { run(&$0) } }
            return .end
        }
        self.thread.withLock { $0 = thread }
        thread.wake()
    }

    func publish(_ notifications: [PeerNotification]) {
        if state.withLock({ $0.endpoint.publish(notifications, at: now) }) { signal.wake() }
    }

    func opened(_ document: DocumentID) {
        if state.withLock({ $0.endpoint.opened(document) }) { signal.wake() }
    }

    func closed(_ document: DocumentID) { state.withLock { $0.endpoint.closed(document) } }

    func needAll(_ all: Bool) {
        if state.withLock({ $0.endpoint.needAll(all) }) { signal.wake() }
    }

    var unsentAge: Int64 { state.withLock { $0.endpoint.unsentAge(at: now) } }

    func listen(_ receive: @escaping @Sendable (BusEvent) -> Void) {
        state.withLock { $0.receive = receive }
    }

    func report(_ report: NodeReport) {
        state.withLock { $0.report = report }
        signal.wake()
    }

    /// Sends the last notifications, and closes the connection.
    func close() async {
        await withCheckedContinuation { done in
            state.withLock { ($0.onEnd, $0.isClosing) = ({ done.resume() }, true) }
            signal.wake()
        }
    }

    // MARK: On the thread

    private func run(_ connection: inout BusConnection) {
        while true {
            signal.reset()
            let isClosing = state.withLock { $0.isClosing }
            do throws(PostgresFault) {
                try turn(&connection, isClosing)
            } catch {
                connection.lost(error)
                lostConnection()
            }
            if isClosing { break }
        }
        connection.close()
        state.withLock { $0.onEnd.take() }?()
    }

    /// Sends what waits, and waits until there is something to do: something to send, a message that arrives, or a
    /// deadline.
    private func turn(_ connection: inout BusConnection, _ isClosing: Bool) throws(PostgresFault) {
        // Messages may have been missed before.
        if try connection.connectAgain(unless: signal) { pass([.missed]) }
        if !connection.isConnected { return }
        let (letters, report) = state.withLock {
            ($0.endpoint.takeLetters(at: now), isClosing ? nil : $0.report)
        }
        try connection.send(letters)
        let sent = state.withLock { $0.endpoint.ended(areSent: true) }
        if !letters.isEmpty { shared.onEvent(.bus(.sent(messages: letters.count, notifications: sent))) }
        try connection.write(report, isClosing: isClosing)
        let (nextBeat, isOther) = state.withLock { state in
            if state.report == report { state.report = nil }
            let isOther = state.endpoint.id.node != shared.node
            if isOther { state.endpoint.become(.newRun(of: shared.node)) }
            return (state.endpoint.nextBeat, isOther)
        }
        if isOther { pass([.missed]) }
        if isClosing { return }
        let texts = try connection.receive(until: signal, atMost: max(0, nextBeat - now))
        let received = state.withLock { $0.endpoint.receive(texts, at: now) }
        if received.count > 0 {
            let notifications = received.events.reduce(0) { $0 + $1.notificationCount }
            shared.onEvent(.bus(.received(messages: received.count, notifications: notifications)))
        }
        count(received.events)
        pass(received.events)
    }

    private func lostConnection() {
        let count = state.withLock { state in
            defer { state.endpoint.disconnected() }
            return state.endpoint.peerCount
        }
        if count > 0 { shared.onEvent(.bus(.lost(count))) }
    }

    private func pass(_ events: [BusEvent]) {
        guard let receive = state.withLock({ $0.receive }) else { return }
        for event in events { receive(event) }
    }

    private func count(_ events: [BusEvent]) {
        for event in events {
            switch event {
            case .found: shared.onEvent(.bus(.found(1)))
            case .gone: shared.onEvent(.bus(.lost(1)))
            case .missed: shared.onEvent(.bus(.missed))
            case .received: break
            }
        }
    }

    /// Milliseconds since this bus was made.
    private var now: Int64 { Int64((ContinuousClock.now - start) / .milliseconds(1)) }
}

extension BusEvent {
    fileprivate var notificationCount: Int { if case .received(_, let all) = self { all.count } else { 0 } }
}

extension NodeID {
    fileprivate static func newRun(of node: Int64) -> NodeID {
        NodeID(node: node, run: .random(in: .min ... .max))
    }
}
