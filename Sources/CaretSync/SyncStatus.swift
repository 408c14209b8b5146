package import CaretClient

/// The state of a sync, for people and programs.
package enum SyncStatus: Equatable, Sendable {
    case begins(SyncCounts, store: String)
    /// The server has an older state of its store.
    case putBack
    case lost(String)
    /// The server at this address can be reached.
    case regained(ServerAddress)
}
