import CaretConcurrency
import CaretLog
import Synchronization

/// Tells the other servers over the same database what has changed, with `NOTIFY`.
///
/// The bus has a connection and a thread of its own. News that arrive while a message is on its way share the next one.
/// The connection also holds the lock on this server's name.
final class PostgresBus: NodeBus, Sendable {
    private let state = Mutex(State())
    private let signal = WakeSignal()
    private let thread: Mutex<WorkerThread?> = Mutex(nil)

    private struct State {
        var outbox = BusOutbox()
        /// What this server says of itself, and was not written yet.
        var report: NodeReport?
        var hear: (@Sendable (NodeEvent) -> Void)?
        /// Whether any other server is heard. If not, nobody is told of sessions: a server that comes asks for them.
        var hasNeighbours = false
        /// Called when the thread has ended; nil before `close`.
        var onEnd: (@Sendable () -> Void)?
        var isClosing = false
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
        let isFirst = state.withLock { state in
            let wasEmpty = state.outbox.isEmpty
            for one in news where state.hasNeighbours || !one.isAboutSession { state.outbox.add(one) }
            return wasEmpty && !state.outbox.isEmpty
        }
        if isFirst { signal.wake() }
    }

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
            let (news, report, isClosing) = state.withLock {
                ($0.outbox.take(), $0.report.take(), $0.isClosing)
            }
            if let report { connection.report = report }
            let heard = connection.turn(
                sending: news.news, hasDropped: news.hasDropped, until: signal, isClosing)
            let hear = state.withLock { state in
                state.hasNeighbours = connection.isHeard
                return state.hear
            }
            if let hear { for event in heard { hear(event) } }
            if isClosing { break }
        }
        connection.close()
        state.withLock { $0.onEnd.take() }?()
    }
}

extension NodeNews {
    fileprivate var isAboutSession: Bool {
        switch self {
        case .selected, .left: true
        case .head, .changed, .revoked, .joined, .roster: false
        }
    }
}
