import CaretCore
import CaretLog
import CaretWire

/// Why a room pauses. During a pause, the room queues all requests. Before it calls the store, it waits for
/// the append in flight and for all store answers.
enum PauseReason: Equatable, Sendable {
    case rename(to: DocumentName, RoomOrder)
    case delete(RoomOrder)
    case redact(Redaction, RoomOrder)
    /// Another server has renamed the document. Only these sessions may read the new name.
    case renamedElsewhere(to: DocumentName, readers: Set<SessionID>)
    /// The document must be loaded again, because the store's history may differ from the room's.
    case reload
    /// A client knows this revision, which is beyond the head. The epochs may have to be renewed.
    case renewal(known: Revision)

    /// The order that caused the pause; nil if the room itself needs the pause.
    var order: RoomOrder? {
        switch self {
        case .rename(_, let order), .delete(let order), .redact(_, let order): order
        case .renamedElsewhere, .reload, .renewal: nil
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

    /// The name that another server has given to the document, if the room does not use it yet.
    var newName: WireString? {
        for case .renamedElsewhere(let name, _) in reasons { return WireString(name.description) }
        return nil
    }

    mutating func add(_ reason: PauseReason) { reasons.append(reason) }

    /// Adds a rename by another server before all orders, because they name the document as it was called before. It
    /// replaces an earlier such rename.
    mutating func addRename(to name: DocumentName, readers: Set<SessionID>) {
        forgetRename()
        let index = phase == .waiting ? 0 : 1
        reasons.insert(.renamedElsewhere(to: name, readers: readers), at: index)
    }

    private mutating func forgetRename() {
        reasons.removeAll { if case .renamedElsewhere = $0 { true } else { false } }
    }

    /// Ends a rename by another server. Returns the sessions that may read this name, if the rename was to it.
    mutating func takeReaders(of name: DocumentName) -> Set<SessionID> {
        defer { forgetRename() }
        for case .renamedElsewhere(name, let readers) in reasons { return readers }
        return []
    }

    /// Adds a reload before all other reasons, because they may belong to a history that no longer exists. If
    /// the store was already called for the first reason, the reload comes after that reason. That reason may be a
    /// reload too: its answer may be outdated.
    mutating func addReload() {
        let uncalled = phase == .calling ? reasons.dropFirst() : reasons[...]
        if !uncalled.contains(.reload) { reasons.insert(.reload, at: phase == .waiting ? 0 : 1) }
    }

    package mutating func beginCall() { phase = .calling }
    mutating func backOff() { phase = .backingOff }
    mutating func endBackOff() { if phase == .backingOff { phase = .waiting } }

    /// Removes the first reason, which is resolved.
    mutating func finishFirst() {
        reasons.removeFirst()
        phase = .waiting
    }

    /// Removes all reasons except a reload and the orders that use this name. Returns the removed orders.
    mutating func takeOrders(exceptFor name: WireString) -> [RoomOrder] {
        func stays(_ reason: PauseReason) -> Bool { reason == .reload || reason.order?.document == name }
        defer { reasons.removeAll { !stays($0) } }
        return reasons.filter { !stays($0) }.compactMap(\.order)
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

    /// Removes and returns the requests of those sessions that use this name of the document.
    mutating func takeQueued(of name: WireString) -> [RoomRequest] {
        let sessions = Set(queued.filter { $0.document == name }.map(\.session))
        defer { queued.removeAll { sessions.contains($0.session) } }
        return queued.filter { sessions.contains($0.session) }
    }

    /// Replaces each queued request with the result of `change`; nil removes the request.
    mutating func changeQueued(_ change: (RoomRequest) -> RoomRequest?) {
        queued = queued.compactMap(change)
    }

    func holdsPush(of pusher: Pusher) -> Bool { queued.holdsPush(of: pusher) }

    /// Whether a push waits whose answer goes to this session.
    func owesAnswer(to session: SessionID) -> Bool {
        queued.contains { if case .push(let push, _) = $0 { push.session == session } else { false } }
    }

    func checkInvariants() throws(BrokenInvariant) {
        try BrokenInvariant.check("requests wait only during a pause", queued.isEmpty || !reasons.isEmpty)
        try BrokenInvariant.check(
            "during a pause, the store is called only if the pause has a reason",
            phase == .waiting || !reasons.isEmpty)
    }
}
