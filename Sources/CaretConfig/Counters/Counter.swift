/// The counters of a server. A counter never decreases. A current number, such as open rooms, is the
/// difference of two counters.
package enum Counter: Int, CaseIterable, Sendable {
    case connectionsOpened, connectionsClosed, connectionsRefused
    /// Connections with TLS that have sent their first byte inside it, and those that were closed because TLS failed
    /// or was missing.
    case tlsConnections, tlsFailures
    case roomsOpened, roomsClosed
    /// Pushes that reached a room, and pushes that were rebased before their commit.
    case pushes, rebases
    /// Transactions that were synced to disk, and committed changes.
    case commits, changes
    /// Changes sent to sessions, counted once per session.
    case deliveries
    case bytesIn, bytesOut
    /// How often a session fell so far behind that its changes had to be read from the store.
    case slowReaders
    /// HTTP requests that were refused because of their `Host` header, and those that were refused because a page
    /// of another site sent them.
    case refusedHosts, refusedOrigins
    /// Reads of documents over HTTP, by who answered: the loop from its memory, or the hub from the store.
    case readsFromMemory, readsFromStore
    /// How often long texts had to wait until clients had accepted other output.
    case waitsForOutput
    /// Conflicts: appends to PostgreSQL after another server had appended to the same document. Writes whose outcome was
    /// unknown at first. Connections that were made again after they were lost.
    case storeConflicts, storeUnknownOutcomes, storeReconnections
    /// Messages to and from other servers, and how often one was lost.
    case busSent, busHeard, busMissed
    /// The notifications in these messages.
    case newsSent, newsHeard
    /// How often another server started to send messages, and how often one went silent.
    case nodesFound, nodesLost

    package var name: String {
        switch self {
        case .connectionsOpened: "connections_opened"
        case .connectionsClosed: "connections_closed"
        case .connectionsRefused: "connections_refused"
        case .tlsConnections: "tls_connections"
        case .tlsFailures: "tls_failures"
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
        case .refusedHosts: "refused_bad_host"
        case .refusedOrigins: "refused_bad_origin"
        case .readsFromMemory: "reads_from_memory"
        case .readsFromStore: "reads_from_store"
        case .waitsForOutput: "waits_for_output"
        case .storeConflicts: "store_conflicts"
        case .storeUnknownOutcomes: "store_unknown_outcomes"
        case .storeReconnections: "store_reconnections"
        case .busSent: "bus_sent"
        case .busHeard: "bus_heard"
        case .busMissed: "bus_missed"
        case .newsSent: "news_sent"
        case .newsHeard: "news_heard"
        case .nodesFound: "nodes_found"
        case .nodesLost: "nodes_lost"
        }
    }
}

/// The latencies that a server measures, in nanoseconds.
package enum Latency: Int, CaseIterable, Sendable {
    /// From the start of a commit until it is synced to disk.
    case commit
    /// From reading a push until its ack is passed to the connection.
    case ack
    /// From the sync of a commit until its changes are passed to the connections that are not slow.
    case delivery
    /// From reading `open` until `opened` is passed to the connection.
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
