/// What a sync tells of itself, for people and for programs.
package enum SyncStatus: Equatable, Sendable {
    case begins(SyncCounts, store: String)
    case lost(String)
    case regained
}
