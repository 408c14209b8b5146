package import CaretCore
package import CaretLog
import CaretWire

/// One participant in a room: who they are, how far they have been sent the log, and what they have selected.
package struct RoomSession: Sendable {
    package let id: SessionID
    package let participant: Participant
    let pusherHash: Int
    let mode: OpenMode
    /// It watches, and wants several revisions as one change.
    let squashes: Bool
    var rights: Rights
    package var stream: SessionStream
    package var presence: SessionPresence

    init(_ opening: RoomOpening, _ stream: SessionStream, _ presence: SessionPresence) {
        id = opening.session
        participant = opening.participant
        pusherHash = opening.participant.pusher.stableHash
        mode = opening.mode
        squashes = opening.squashes && opening.mode == .watch
        rights = opening.rights
        self.stream = stream
        self.presence = presence
    }

    package var pusher: Pusher { participant.pusher }
    package var unit: CodeUnit { participant.unit }
    /// It ends as soon as it has been sent what is due, and asks for nothing more.
    var isEnding: Bool { stream.ending != .none }
}

/// The sessions of a room, in the order of their ids: nothing that is sent depends on the order of a dictionary.
package struct SessionList: Sendable {
    private var sessions: [RoomSession]
    /// There may be something to send to every session.
    private var isDeliveryNeeded = false

    package init(_ sessions: [RoomSession] = []) { self.sessions = sessions }

    var isEmpty: Bool { sessions.isEmpty }
    package var indices: Range<Int> { sessions.indices }
    package var all: [RoomSession] { sessions }

    package subscript(index: Int) -> RoomSession {
        _read { yield sessions[index] }
        _modify { yield &sessions[index] }
    }

    package func index(of id: SessionID) -> Int? {
        let index = insertionIndex(of: id)
        return index < sessions.count && sessions[index].id == id ? index : nil
    }

    /// The newest session of a pusher.
    func lastIndex(of pusher: Pusher) -> Int? { sessions.lastIndex { $0.pusher == pusher } }

    mutating func add(_ session: RoomSession) { sessions.insert(session, at: insertionIndex(of: session.id)) }

    package mutating func remove(at index: Int) -> RoomSession { sessions.remove(at: index) }

    package mutating func removeAll() { sessions = [] }

    private func insertionIndex(of id: SessionID) -> Int {
        sessions.indices.firstPlace { sessions[$0].id >= id }
    }

    // MARK: Delivery

    mutating func needDelivery() { isDeliveryNeeded = true }

    /// A session is to be sent the whole text next.
    mutating func needText(_ index: Int, _ reason: ResyncReason) {
        sessions[index].stream.needText(reason)
        isDeliveryNeeded = true
    }

    /// Whether there may be something to send; it is sent by the caller.
    mutating func takeDeliveryNeed() -> Bool {
        defer { isDeliveryNeeded = false }
        return isDeliveryNeeded
    }

    // MARK: Invariants

    func checkInvariants(at head: Revision) throws(BrokenInvariant) {
        let ids = sessions.map(\.id)
        try BrokenInvariant.check(
            "sessions are sorted by id, without duplicates",
            zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
        for session in sessions { try session.stream.checkInvariants(at: head) }
    }
}
