/// Derives from the events of a store whether the disk is full.
package struct DiskSpace: Sendable {
    /// What changed: the disk became full, or has space again.
    package enum Change: Equatable, Sendable {
        case becameFull
        case freed
    }

    /// True if the store refused a call for lack of space, and has committed nothing since.
    private var isRefusing = false
    /// True if committed data did not fit into the database or the counter, and is still not written there.
    private var isHoldingBack = false

    package init() {}

    private var isFull: Bool { isRefusing || isHoldingBack }

    /// Returns nil if nothing changed. So a disk that stays full is reported only once.
    package mutating func change(after event: StoreEvent) -> Change? {
        let wasFull = isFull
        switch event {
        case .diskFull: isRefusing = true
        case .committed: isRefusing = false
        case .checkpointDiskFull: isHoldingBack = true
        case .checkpointed: isHoldingBack = false
        case .renewed, .namesRebuilt, .clockIsBehind, .migrating, .writing, .committing, .checkpointing,
            .snapshotting,
            .merging,
            .merged, .trimmed, .redacted, .erasing, .emptyingLog, .erased, .purged, .pushersForgotten,
            .damaged, .damagedRow,
            .diskFailed, .filesLost:
            break
        }
        return isFull == wasFull ? nil : isFull ? .becameFull : .freed
    }
}
