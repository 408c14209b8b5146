import CaretCore
import CaretLog
import CaretWire

/// Why a room accepts nothing new. It waits for the append in flight and for all answers first.
enum PauseReason: Equatable, Sendable {
    case rename(to: DocumentName, RoomOrder)
    case delete(RoomOrder)
    /// The store has another history than the room.
    case reload
    /// A client knows this revision, which is beyond the head.
    case renewal(known: Revision)

    /// Who requested it.
    var order: RoomOrder? {
        switch self {
        case .rename(_, let order), .delete(let order): order
        case .reload, .renewal: nil
        }
    }
}

/// The reasons for which a room accepts nothing new, and the requests that wait for the end of the pause.
package struct RoomPause: Sendable {
    /// The state of the first reason.
    enum Phase: Equatable, Sendable {
        /// It waits for work under way.
        case waiting
        /// The store was called.
        case asked
        /// The store could not do it. It is called again later.
        case resting
    }

    private var reasons: [PauseReason] = []
    private(set) var phase = Phase.waiting
    private var queued: [RoomRequest] = []

    package var isOver: Bool { reasons.isEmpty }
    var hasQueued: Bool { !queued.isEmpty }
    var first: PauseReason? { reasons.first }
    /// The reason for which the store was called, if it was.
    var asked: PauseReason? { phase == .asked ? reasons.first : nil }

    func awaits(_ reason: PauseReason) -> Bool { reasons.contains(reason) }

    mutating func add(_ reason: PauseReason) { reasons.append(reason) }

    /// Comes before all other reasons, which may be about a history that is gone, but after a call to the
    /// store that is under way.
    mutating func addReload() {
        if reasons.contains(.reload) { return }
        reasons.insert(.reload, at: phase == .waiting ? 0 : min(1, reasons.count))
    }

    package mutating func beginAsking() { phase = .asked }
    mutating func rest() { phase = .resting }
    mutating func endRest() { if phase == .resting { phase = .waiting } }

    /// The first reason is resolved.
    mutating func finishFirst() {
        reasons.removeFirst()
        phase = .waiting
    }

    /// The document was renamed. Orders that use the old name are removed and returned.
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

    /// Makes a request wait, or refuses it.
    package mutating func queue(_ request: RoomRequest) -> RequestRefusal? { queued.join(request) }

    mutating func takeQueued() -> [RoomRequest] {
        defer { queued = [] }
        return queued
    }

    /// Replaces the waiting requests; nil removes one.
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
