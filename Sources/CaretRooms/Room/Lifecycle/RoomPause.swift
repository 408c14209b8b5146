import CaretCore
import CaretLog
import CaretWire

/// Why a room pauses. During a pause, the room queues all requests. Before it calls the store, it waits for
/// the append in flight and for all store answers.
enum PauseReason: Equatable, Sendable {
    case rename(to: DocumentName, RoomOrder)
    case delete(RoomOrder)
    case redact(Redaction, RoomOrder)
    /// The document must be loaded again, because the store's history may differ from the room's.
    case reload
    /// A client knows this revision, which is beyond the head. The epochs may have to be renewed.
    case renewal(known: Revision)

    /// The order that caused the pause; nil if the room itself needs the pause.
    var order: RoomOrder? {
        switch self {
        case .rename(_, let order), .delete(let order), .redact(_, let order): order
        case .reload, .renewal: nil
        }
    }
}

/// Why a room is paused, and the requests that wait for the end of the pause.
package struct RoomPause: Sendable {
    /// The progress of the pause for its first reason.
    enum Phase: Equatable, Sendable {
        /// The room waits until its current work has ended.
        case waiting
        /// The store was called and has not answered.
        case calling
        /// The store failed. The room calls it again later.
        case backingOff
    }

    private var reasons: [PauseReason] = []
    private(set) var phase = Phase.waiting
    private var queued: [RoomRequest] = []

    package var isOver: Bool { reasons.isEmpty }
    var hasQueued: Bool { !queued.isEmpty }
    var first: PauseReason? { reasons.first }
    /// The reason whose store call is unanswered; nil if there is none.
    var calling: PauseReason? { phase == .calling ? reasons.first : nil }

    func awaits(_ reason: PauseReason) -> Bool { reasons.contains(reason) }

    mutating func add(_ reason: PauseReason) { reasons.append(reason) }

    /// Adds a reload before all other reasons, because they may belong to a history that no longer exists. If
    /// the store was already called for the first reason, the reload comes after that reason.
    mutating func addReload() {
        if reasons.contains(.reload) { return }
        reasons.insert(.reload, at: phase == .waiting ? 0 : 1)
    }

    /// Adds a reload after the first reason, for which the store was called. That reason may be a reload too:
    /// its answer may be outdated.
    mutating func addReloadAfterCall() {
        if !reasons.dropFirst().contains(.reload) { reasons.insert(.reload, at: 1) }
    }

    package mutating func beginCall() { phase = .calling }
    mutating func backOff() { phase = .backingOff }
    mutating func endBackOff() { if phase == .backingOff { phase = .waiting } }

    /// Removes the first reason, which is resolved.
    mutating func finishFirst() {
        reasons.removeFirst()
        phase = .waiting
    }

    /// Removes and returns all reasons except a reload. After a rename, the room refuses the orders among
    /// them, because these orders contain the document's old name.
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

    /// Queues a request, or refuses it.
    package mutating func queue(_ request: RoomRequest) -> RequestRefusal? { queued.join(request) }

    mutating func takeQueued() -> [RoomRequest] {
        defer { queued = [] }
        return queued
    }

    /// Replaces each queued request with the result of `change`; nil removes the request.
    mutating func changeQueued(_ change: (RoomRequest) -> RoomRequest?) {
        queued = queued.compactMap(change)
    }

    func holdsPush(of pusher: Pusher) -> Bool { queued.holdsPush(of: pusher) }

    func checkInvariants() throws(BrokenInvariant) {
        try BrokenInvariant.check("requests wait only during a pause", queued.isEmpty || !reasons.isEmpty)
        try BrokenInvariant.check(
            "during a pause, the store is called only if the pause has a reason",
            phase == .waiting || !reasons.isEmpty)
    }
}
