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
    /// The highest revision that a hint of another server has named. A hint may be late or wrong, so it only
    /// causes a read.
    private var hintedHead: Revision = 0
    /// The store's answers about pushers at a head that the room has not reached yet.
    private var waiting: [LateAnswer] = []

    /// The store's answer about a pusher. It is used once the room has reached the head of the answer.
    struct LateAnswer: Equatable, Sendable {
        let pusher: Pusher
        let answer: PusherAnswer
    }

    var isIdle: Bool { phase == .idle }

    /// Begins a read of the revisions after the head. If such a read was already under way, its answer may
    /// come first, and it may end before `storeHead`. So in this case, the read may end at any revision.
    package mutating func begin(isAlreadyReading: Bool) {
        phase = .reading
        hintedHead = 0
        mustReach = isAlreadyReading ? 0 : storeHead
    }

    mutating func backOff() { phase = .backingOff }
    mutating func end() { phase = .idle }

    mutating func noteStoreHead(_ head: Revision) { storeHead = max(storeHead, head) }

    mutating func noteHint(_ head: Revision) { hintedHead = max(hintedHead, head) }

    /// Whether a hint names a revision beyond this head. Beginning a read forgets the hint.
    func isHinted(beyond head: Revision) -> Bool { hintedHead > head }

    mutating func wait(for answer: LateAnswer) { waiting.append(answer) }

    package var hasWaiting: Bool { !waiting.isEmpty }

    mutating func takeWaiting() -> [LateAnswer] {
        defer { waiting = [] }
        return waiting
    }

    /// Forgets the reported heads, because the document has a new history.
    mutating func forgetHeads() { (storeHead, mustReach, hintedHead) = (0, 0, 0) }

    mutating func close() { (phase, waiting) = (.idle, []) }
}
