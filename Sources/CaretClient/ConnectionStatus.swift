/// Whether a client has a connection to its server.
public enum ConnectionState: Equatable, Sendable {
    case connecting
    case connected
    /// Not connected. The client tries again after a delay.
    case waiting
    /// Not connected, and the client does not try again.
    case ended
}

/// Whether a client has a connection, and why the last connection ended.
public struct ConnectionStatus: Equatable, Sendable {
    public let state: ConnectionState
    /// Why the last connection or attempt ended. Nil while the client is connected, and before the first
    /// failure.
    public let lastError: ConnectionFault?

    package init(state: ConnectionState, lastError: ConnectionFault?) {
        (self.state, self.lastError) = (state, lastError)
    }

    static let first = ConnectionStatus(state: .connecting, lastError: nil)
}

extension ClientState {
    var status: ConnectionStatus { ConnectionStatus(state: connectionState, lastError: lastFault) }

    private var connectionState: ConnectionState {
        switch link {
        case .idle, .fetchingToken, .connecting, .helloSent: .connecting
        case .welcomed: .connected
        case .waiting: .waiting
        case .ended: .ended
        }
    }
}

/// The latest connection status, until the reader receives it.
struct PendingStatus: CoalescingBuffer {
    var latest: ConnectionStatus?

    mutating func drain() -> [ConnectionStatus] {
        defer { latest = nil }
        return latest.map { [$0] } ?? []
    }
}

/// The connection status of a client: first the current status, then each change. A slow reader receives only
/// the latest status. The sequence ends when the client ends.
public struct ConnectionUpdates: AsyncSequence, Sendable {
    private let subscription: StatusSubscription

    init(_ shell: ClientShell) { subscription = StatusSubscription(shell) }

    public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: StatusSubscription

        /// Returns nil at the end, or if the task was cancelled.
        public mutating func next() async -> ConnectionStatus? {
            // This stream never ends with an error.
            (try? await subscription.statuses.next())?.last
        }
    }
}

/// Ends the updates when the sequence and its iterators are released.
private final class StatusSubscription: Sendable {
    let statuses: CoalescingStream<PendingStatus>
    private let shell: ClientShell

    init(_ shell: ClientShell) {
        self.shell = shell
        statuses = shell.statuses()
    }

    deinit { shell.end(statuses) }
}
