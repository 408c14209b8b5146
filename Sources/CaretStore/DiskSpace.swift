/// Derives from the events of a store whether the disk is full.
package struct DiskSpace: Sendable {
    /// A change since the last news.
    package enum News: Equatable, Sendable {
        case full
        case freed
    }

    /// Calls were refused, and nothing has been committed since.
    private var isRefusing = false
    /// Committed data did not fit into the database or the counter, and has not been written there since.
    private var isHoldingBack = false

    package init() {}

    private var isFull: Bool { isRefusing || isHoldingBack }

    /// Nil if nothing changed: a disk that stays full is reported once.
    package mutating func news(of event: StoreEvent) -> News? {
        let wasFull = isFull
        switch event {
        case .full: isRefusing = true
        case .committed: isRefusing = false
        case .checkpointFull: isHoldingBack = true
        case .checkpointed: isHoldingBack = false
        case .renewed, .migrating, .writing, .committing, .checkpointing, .snapshotting, .merging, .merged,
            .trimmed, .purged, .forgot, .damaged, .failed, .lost:
            break
        }
        return isFull == wasFull ? nil : isFull ? .full : .freed
    }
}
