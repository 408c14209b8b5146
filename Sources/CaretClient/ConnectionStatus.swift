/// Whether a client has a connection to its server.
public enum ConnectionState: Equatable, Sendable {
    case connecting
    case connected
    /// Not connected. The client tries again after a pause.
    case waiting
    /// Not connected, and the client does not try again.
    case ended
}

/// The connection of a client, and what went wrong with it last.
public struct ConnectionStatus: Equatable, Sendable {
    public let state: ConnectionState
    /// Why the last connection or attempt ended; nil while the client is connected, and before the first failure.
    public let lastError: ConnectionFault?

    static let first = ConnectionStatus(state: .connecting, lastError: nil)
}

extension ClientState {
    var status: ConnectionStatus { ConnectionStatus(state: connectionState, lastError: lastFault) }

    private var connectionState: ConnectionState {
        switch link {
        case .idle, .connecting, .greeting: .connecting
        case .welcomed: .connected
        case .waiting: .waiting
        case .ended: .ended
        }
    }
}

/// The latest status that nobody has taken.
struct PendingStatus: Pending {
    var latest: ConnectionStatus?

    var isEmpty: Bool { latest == nil }

    mutating func take() -> [ConnectionStatus] {
        defer { latest = nil }
        return latest.map { [$0] } ?? []
    }
}

/// The connection status of a client: the present one first, then one for each change. A slow reader gets the latest
/// only. The sequence ends with the client.
public struct ConnectionUpdates: AsyncSequence, Sendable {
    private let subscription: StatusSubscription

    init(_ shell: ClientShell) { subscription = StatusSubscription(shell) }

    public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: StatusSubscription

        /// Nil at the end, and for a task that was cancelled.
        public mutating func next() async -> ConnectionStatus? {
            // These updates end without an error, so there is none to tell.
            (try? await subscription.statuses.next())?.last
        }
    }
}

/// Takes no more updates once nobody reads them.
private final class StatusSubscription: Sendable {
    let statuses: Pipe<PendingStatus>
    private let shell: ClientShell

    init(_ shell: ClientShell) {
        self.shell = shell
        statuses = shell.statuses()
    }

    deinit { shell.end(statuses) }
}
