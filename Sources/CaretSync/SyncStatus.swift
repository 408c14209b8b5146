/// The state of a sync, for people and programs.
package enum SyncStatus: Equatable, Sendable {
    case begins(SyncCounts, store: String)
    case lost(String)
    case regained
}
