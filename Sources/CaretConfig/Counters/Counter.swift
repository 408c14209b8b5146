/// What a server counts. A counter only grows; what is there now is the difference of two.
package enum Counter: Int, CaseIterable, Sendable {
    case connectionsOpened, connectionsClosed, connectionsRefused
    case roomsOpened, roomsClosed
    /// Pushes that reached a room, and those of them that were committed after having been moved over what was
    /// committed since their base.
    case pushes, rebases
    /// Transactions that were synced, and the changes in them.
    case commits, changes
    /// Changes that were handed to sessions: each counts for each of them.
    case deliveries
    case bytesIn, bytesOut
    /// Sessions that fell so far behind that their room does not have at hand what they need.
    case slowReaders

    package var name: String {
        switch self {
        case .connectionsOpened: "connections_opened"
        case .connectionsClosed: "connections_closed"
        case .connectionsRefused: "connections_refused"
        case .roomsOpened: "rooms_opened"
        case .roomsClosed: "rooms_closed"
        case .pushes: "pushes"
        case .rebases: "rebases"
        case .commits: "commits"
        case .changes: "changes"
        case .deliveries: "deliveries"
        case .bytesIn: "bytes_in"
        case .bytesOut: "bytes_out"
        case .slowReaders: "slow_readers"
        }
    }
}

/// What a server measures the time of, in nanoseconds.
package enum Latency: Int, CaseIterable, Sendable {
    /// From the beginning of a commit until it is synced.
    case commit
    /// From a push that was read until its ack is handed to its connection.
    case ack
    /// From a commit that was synced until its changes are handed to a receiver's connection, for those who keep up.
    case delivery
    /// From `open` that was read until `opened` is handed to the connection.
    case opening

    package var name: String {
        switch self {
        case .commit: "commit"
        case .ack: "ack"
        case .delivery: "delivery"
        case .opening: "opening"
        }
    }
}
