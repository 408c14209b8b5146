package import CaretClient

/// The state of a sync, for people and programs.
package enum SyncStatus: Equatable, Sendable {
    case begins(SyncCounts, store: String)
    case lost(String)
    /// The server at this address can be reached.
    case regained(ServerAddress)
}
