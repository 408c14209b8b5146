import CaretConcurrency
import CaretLog
import Synchronization

/// Tells the other servers over the same database what has changed, with `NOTIFY`.
///
/// The bus has a connection and a thread of its own. News that arrive while a message is on its way share the next one.
final class PostgresBus: NodeBus, Sendable {
    private let state: Mutex<State>
    private let signal = WakeSignal()
    private let thread: Mutex<WorkerThread?> = Mutex(nil)
    private let shared: SharedState
    private let start = ContinuousClock.now

    private struct State {
        var member: BusMember
        /// What this server says of itself, and was not written yet.
        var report: NodeReport?
        var hear: (@Sendable (NodeEvent) -> Void)?
        /// Called when the thread has ended; nil before `close`.
        var onEnd: (@Sendable () -> Void)?
        var isClosing = false
    }

    init(_ shared: SharedState) {
        self.shared = shared
        state = Mutex(State(member: BusMember(.newRun(of: shared.node))))
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

    func publish(_ news: [NodeNews]) {
        if state.withLock({ $0.member.publish(news, at: now) }) { signal.wake() }
    }

    var newsAge: Int64 { state.withLock { $0.member.newsAge(at: now) } }

    func listen(_ hear: @escaping @Sendable (NodeEvent) -> Void) { state.withLock { $0.hear = hear } }

    func report(_ report: NodeReport) {
        state.withLock { $0.report = report }
        signal.wake()
    }

    /// Sends the last news, and closes the connection.
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

    /// Sends what waits, and waits until there is something to do: news to send, a message that arrives, or a deadline.
    private func turn(_ connection: inout BusConnection, _ isClosing: Bool) throws(PostgresFault) {
        // Messages may have been missed before.
        if try connection.connectAgain(unless: signal) { hear([.missed]) }
        if !connection.isConnected { return }
        let (messages, report) = state.withLock {
            ($0.member.takeMessages(at: now), isClosing ? nil : $0.report)
        }
        try connection.send(messages)
        let sent = state.withLock { $0.member.ended(areSent: true, at: now) }
        if !messages.isEmpty { shared.onEvent(.bus(.sent(messages: messages.count, news: sent))) }
        try connection.write(report, isClosing: isClosing)
        let (nextBeat, isOther) = state.withLock { state in
            if state.report == report { state.report = nil }
            let isOther = state.member.id.node != shared.node
            if isOther { state.member.become(.newRun(of: shared.node), at: now) }
            return (state.member.nextBeat, isOther)
        }
        if isOther { hear([.missed]) }
        if isClosing { return }
        let texts = try connection.receive(until: signal, atMost: max(0, nextBeat - now))
        let heard = state.withLock { $0.member.hear(texts, at: now) }
        if heard.count > 0 {
            let news = heard.events.reduce(0) { $0 + $1.newsCount }
            shared.onEvent(.bus(.heard(messages: heard.count, news: news)))
        }
        count(heard.events)
        hear(heard.events)
    }

    private func lostConnection() {
        let count = state.withLock { state in
            defer { state.member.disconnected(at: now) }
            return state.member.neighbourCount
        }
        if count > 0 { shared.onEvent(.bus(.lost(count))) }
    }

    private func hear(_ events: [NodeEvent]) {
        guard let hear = state.withLock({ $0.hear }) else { return }
        for event in events { hear(event) }
    }

    private func count(_ events: [NodeEvent]) {
        for event in events {
            switch event {
            case .found: shared.onEvent(.bus(.found(1)))
            case .gone: shared.onEvent(.bus(.lost(1)))
            case .missed: shared.onEvent(.bus(.missed))
            case .news: break
            }
        }
    }

    /// Milliseconds since this bus was made.
    private var now: Int64 { Int64((ContinuousClock.now - start) / .milliseconds(1)) }
}

extension NodeEvent {
    fileprivate var newsCount: Int { if case .news(_, let news) = self { news.count } else { 0 } }
}

extension NodeID {
    fileprivate static func newRun(of node: Int64) -> NodeID {
        NodeID(node: node, run: .random(in: .min ... .max))
    }
}
