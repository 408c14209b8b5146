import CaretCore
import CaretLog
import CaretWire

/// What a room must do while it accepts nothing new: it first waits for the append in flight and for all answers.
enum PauseReason: Equatable, Sendable {
    case rename(to: DocumentName, RoomOrder)
    case delete(RoomOrder)
    /// The store has another history than the room.
    case reload
    /// A client knows this revision, which is beyond the head.
    case renewal(known: Revision)

    /// Who asked for it.
    var order: RoomOrder? {
        switch self {
        case .rename(_, let order), .delete(let order): order
        case .reload, .renewal: nil
        }
    }
}

/// The reasons for which a room accepts nothing new, and the requests that wait for the end of the pause.
package struct RoomPause: Sendable {
    /// How far the first reason is.
    enum Phase: Equatable, Sendable {
        /// It waits for what is under way.
        case waiting
        /// The store was asked.
        case asked
        /// The store could not do it. It is asked again later.
        case resting
    }

    private var reasons: [PauseReason] = []
    private(set) var phase = Phase.waiting
    private var queued: [RoomRequest] = []

    package var isOver: Bool { reasons.isEmpty }
    var hasQueued: Bool { !queued.isEmpty }
    var first: PauseReason? { reasons.first }
    /// The reason that the store was asked for, if it was.
    var asked: PauseReason? { phase == .asked ? reasons.first : nil }

    func awaits(_ reason: PauseReason) -> Bool { reasons.contains(reason) }

    mutating func add(_ reason: PauseReason) { reasons.append(reason) }

    /// Before all other reasons, which may be about what is gone; but after the one that the store was asked for.
    mutating func addReload() {
        if reasons.contains(.reload) { return }
        reasons.insert(.reload, at: phase == .waiting ? 0 : min(1, reasons.count))
    }

    package mutating func beginAsking() { phase = .asked }
    mutating func rest() { phase = .resting }
    mutating func endRest() { if phase == .resting { phase = .waiting } }

    /// The first reason is dealt with.
    mutating func finishFirst() {
        reasons.removeFirst()
        phase = .waiting
    }

    /// The document has another name: those who ordered something by the old one come too late.
    mutating func takeAllButReload() -> [PauseReason] {
        let late = reasons.filter { $0 != .reload }
        reasons.removeAll { $0 != .reload }
        return late
    }

    mutating func takeAll() -> [PauseReason] {
        defer { (reasons, phase) = ([], .waiting) }
        return reasons
    }

    // MARK: Requests that wait

    /// Lets a request wait, or refuses it.
    package mutating func queue(_ request: RoomRequest) -> RequestRefusal? { queued.join(request) }

    mutating func takeQueued() -> [RoomRequest] {
        defer { queued = [] }
        return queued
    }

    /// Replaces the requests that wait; nil takes one away.
    mutating func changeQueued(_ change: (RoomRequest) -> RoomRequest?) {
        if !queued.isEmpty { queued = queued.compactMap(change) }
    }

    func holdsPush(of pusher: Pusher) -> Bool { queued.holdsPush(of: pusher) }

    func checkInvariants() throws(BrokenInvariant) {
        try BrokenInvariant.check("requests wait only during a pause", queued.isEmpty || !reasons.isEmpty)
        try BrokenInvariant.check(
            "the store is asked only if there is a reason", phase == .waiting || !reasons.isEmpty)
    }
}
