package import CaretLog
package import CaretRooms
import Synchronization

/// Knows which documents are being written, and when the last write of each document ended. So it can say
/// whether a text that was read earlier is still the newest. Any thread may call it.
///
/// Documents share a fixed number of slots, so a write of one document may also outdate another one. That only
/// costs another read.
package final class WriteClock: Sendable {
    /// What a write changes.
    package enum Scope: Equatable, Sendable {
        case document(DocumentID)
        /// Several documents, or which name belongs to which document.
        case everything
    }

    private struct Slot: ~Copyable {
        /// How many writes have begun and not ended.
        let underway = Atomic(0)
        /// When the last write ended.
        let lastEnd = Atomic<UInt64>(0)

        func begin() { underway.add(1, ordering: .sequentiallyConsistent) }

        func end(at time: UInt64) {
            // The time is stored first. A thread that sees no write under way must also see its end.
            lastEnd.max(time, ordering: .sequentiallyConsistent)
            underway.subtract(1, ordering: .sequentiallyConsistent)
        }

        var isIdle: Bool { underway.load(ordering: .sequentiallyConsistent) == 0 }

        func isUnchanged(since time: UInt64) -> Bool {
            lastEnd.load(ordering: .sequentiallyConsistent) <= time
        }
    }

    /// Enough for documents that are pushed to at the same time to rarely share a slot. It must be a power of
    /// two.
    package static let slotCount = 1_024

    private let slots = InlineArray<1_024, Slot> { _ in Slot() }
    private let everything = Slot()
    /// How many writes have ended.
    private let ends = Atomic<UInt64>(0)

    package init() { precondition(slots.count == Self.slotCount, "the number of slots has two values") }

    /// Take this time before a read: the read returns each write that has ended by then.
    package var now: StoreTime { StoreTime(ends.load(ordering: .sequentiallyConsistent)) }

    /// A write begins. Call this before the store gets it.
    package func begin(_ scope: Scope) {
        switch scope {
        case .document(let document): slots[index(of: document)].begin()
        case .everything: everything.begin()
        }
    }

    /// A write has ended, and reads return it. Call this before anybody learns of the write.
    package func end(_ scope: Scope) {
        let time = ends.add(1, ordering: .sequentiallyConsistent).newValue
        switch scope {
        case .document(let document): slots[index(of: document)].end(at: time)
        case .everything: everything.end(at: time)
        }
    }

    /// Whether the result of a read of this document is still valid. The read began after `time`.
    ///
    /// If so, no write is under way at the moment of the first check, and none has ended since the read began.
    package func isCurrent(_ document: DocumentID, since time: StoreTime) -> Bool {
        let index = index(of: document)
        return everything.isIdle && slots[index].isIdle && everything.isUnchanged(since: time.writes)
            && slots[index].isUnchanged(since: time.writes)
    }

    private func index(of document: DocumentID) -> Int {
        Int(truncatingIfNeeded: document.value) & (Self.slotCount - 1)
    }
}
