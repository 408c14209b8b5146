package import CaretLog

/// An event inside a store over PostgreSQL. The server logs events, and tests use them to inject a fault at a
/// certain moment.
package enum PostgresEvent: Equatable, Sendable {
    /// The epochs of all documents were renewed.
    case renewed(Renewal)
    /// The store is about to apply a migration, inside its transaction.
    case migrating(Int64)
    /// The store is about to send a group of appends.
    case committing(Int)
    /// The group is committed, after this number of nanoseconds. No caller was notified yet.
    case committed(after: UInt64)
    /// Appends of a group met changes of another server.
    case conflicted(Int)
    /// The outcome of a write is unknown, until the store has asked again.
    case outcomeUnknown
    case bus(BusTraffic)
    /// The clock of this machine is this many milliseconds ahead of PostgreSQL's, or behind if negative.
    case clockDiffers(ahead: Int64)
    /// Another running server has the name of this one, which has another name from now on.
    case nameLost(String, now: String)
    /// A connection was lost, or PostgreSQL cannot be reached, for this reason.
    case lost(String)
    /// A connection works again.
    case reconnected
    /// PostgreSQL has no synchronous standby, so the store writes nothing; or it has one again.
    case unreplicated(Bool)
    /// The disk of PostgreSQL is full, or has space again.
    case full(Bool)
    /// PostgreSQL refused a statement that should always succeed.
    case failed(ServerError)
    /// A document is damaged. The store refuses appends to it; other documents stay available.
    case damaged(DocumentID?)
    /// A row cannot be used, for this reason.
    case damagedRow(String)
    case trimmed(DocumentID, start: Int)
    case redacted(DocumentID)
    case purged(DocumentID)
    case pushersForgotten(DocumentID, pushers: Int)

    /// What happened on the bus of the servers.
    package enum BusTraffic: Equatable, Sendable {
        /// Numbers of messages, and of the notifications in them.
        case sent(messages: Int, notifications: Int)
        case received(messages: Int, notifications: Int)
        /// A message was missed.
        case missed
        /// Messages of this many other servers began to arrive, or arrive no more.
        case found(Int)
        case lost(Int)
    }

    /// Why all epochs were renewed.
    package enum Renewal: Equatable, Sendable {
        /// The database has fewer commits of a connection than it has confirmed to the connection.
        case behind(commits: Int64, known: Int64)
        /// The database is in another cluster or on another timeline than when the last server looked, or its tables were
        /// made again.
        case otherCluster
        /// A client knows this revision of a document, but the document's head is lower.
        case clientIsAhead(DocumentID, known: Int)
    }
}
