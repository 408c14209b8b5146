import CaretCore
import CaretLog

/// How the room catches up when the store may have revisions that the room lacks.
package struct CatchUp: Sendable {
    enum Phase: Equatable, Sendable {
        case idle
        /// The revisions after the room's head are being read.
        case reading
        /// The store could not answer. The room reads again later.
        case backingOff
    }

    private(set) var phase = Phase.idle
    /// The highest head that the store has reported. The next read must reach this revision.
    private(set) var storeHead: Revision = 0
    /// The revision that the current read must reach: the highest head that was reported before the read
    /// began.
    private(set) var mustReach: Revision = 0
    /// Pushers whose newest push is beyond the room's head. They are looked up again once the head has moved.
    private var waiting: [Pusher] = []

    var isIdle: Bool { phase == .idle }

    /// Begins a read of the revisions after the head. If such a read was already under way, its answer may
    /// come first, and it may end before `storeHead`. So in this case, the read may end at any revision.
    package mutating func begin(isAlreadyReading: Bool) {
        phase = .reading
        mustReach = isAlreadyReading ? 0 : storeHead
    }

    mutating func backOff() { phase = .backingOff }
    mutating func end() { phase = .idle }

    mutating func noteStoreHead(_ head: Revision) { storeHead = max(storeHead, head) }

    mutating func wait(for pusher: Pusher) { waiting.append(pusher) }

    package var hasWaiting: Bool { !waiting.isEmpty }

    mutating func takeWaiting() -> [Pusher] {
        defer { waiting = [] }
        return waiting
    }

    /// Forgets the reported heads, because the document has a new history.
    mutating func forgetHeads() { (storeHead, mustReach) = (0, 0) }

    mutating func close() { (phase, waiting) = (.idle, []) }
}
