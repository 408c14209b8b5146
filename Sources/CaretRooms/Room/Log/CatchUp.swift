import CaretCore
import CaretLog

/// How the room catches up with the store's head, if the store may have revisions that the room lacks.
package struct CatchUp: Sendable {
    enum Phase: Equatable, Sendable {
        case idle
        /// The revisions after the head are being read.
        case reading
        /// The store could not answer. The room asks again later.
        case resting
    }

    private(set) var phase = Phase.idle
    /// The highest head that the store has reported. A later read must reach it.
    private(set) var storeHead: Revision = 0
    /// What the current read must reach: the highest head that was reported before the read began.
    private(set) var mustReach: Revision = 0
    /// Pushers whose entry has a revision after the head. They are looked up again once the head has moved.
    private var waiting: [Pusher] = []

    var isIdle: Bool { phase == .idle }

    /// The store was asked for the revisions after the head. The answer to an earlier read may come first,
    /// and may be older than the head that the store has reported since.
    package mutating func begin(wasAskedBefore: Bool) {
        phase = .reading
        mustReach = wasAskedBefore ? 0 : storeHead
    }

    mutating func rest() { phase = .resting }
    mutating func end() { phase = .idle }

    mutating func storeNamed(_ head: Revision) { storeHead = max(storeHead, head) }

    mutating func wait(for pusher: Pusher) { waiting.append(pusher) }

    package var hasWaiting: Bool { !waiting.isEmpty }

    mutating func takeWaiting() -> [Pusher] {
        defer { waiting = [] }
        return waiting
    }

    /// The document's history begins again: heads of the old history mean nothing.
    mutating func forgetHeads() { (storeHead, mustReach) = (0, 0) }

    mutating func close() { (phase, waiting) = (.idle, []) }
}
