/// Whether the disk has space, as the events of a store tell it.
package struct DiskSpace: Sendable {
    /// What is new to whoever was told before.
    package enum News: Equatable, Sendable {
        case full
        case freed
    }

    /// Calls were refused, and none was committed since.
    private var isRefusing = false
    /// What was committed did not fit the database, or its counter, and has not come there since.
    private var isHoldingBack = false

    package init() {}

    private var isFull: Bool { isRefusing || isHoldingBack }

    /// Nil where nothing is new: a disk that stays full is told once.
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
