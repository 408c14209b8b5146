package import CaretCore
package import CaretLog
import CaretWire

/// A session in a room: its participant, its position in the log, and its selections.
package struct RoomSession: Sendable {
    package let id: SessionID
    package let participant: Participant
    let pusherHash: Int
    let mode: OpenMode
    /// Whether the session only watches and accepts several revisions as one change.
    let squashes: Bool
    /// Whether the session is sent `noted` when notes change.
    private let wantsNotes: Bool
    /// Whether the session must still be sent `noted`.
    private(set) var owesNoted = false
    var rights: Rights
    package var stream: SessionStream
    package var presence: SessionPresence

    init(_ opening: RoomOpening, _ stream: SessionStream, _ presence: SessionPresence) {
        id = opening.session
        participant = opening.participant
        pusherHash = opening.participant.pusher.stableHash
        mode = opening.mode
        squashes = opening.squashes && opening.mode == .watch
        wantsNotes = opening.wantsNotes
        rights = opening.rights
        self.stream = stream
        self.presence = presence
    }

    mutating func notesChanged() { owesNoted = wantsNotes }
    mutating func sentNoted() { owesNoted = false }

    package var pusher: Pusher { participant.pusher }
    package var unit: CodeUnit { participant.unit }
    /// Whether the session ends once its due acks are sent. Such a session sends no more requests.
    var isEnding: Bool { stream.ending != .none }
}

/// The sessions of a room, in the order of their ids, so that what is sent never depends on the order of a
/// dictionary.
package struct SessionList: Sendable {
    private var sessions: [RoomSession]
    /// Whether there may be something to send to any session.
    private var isDeliveryNeeded = false

    package init(_ sessions: [RoomSession] = []) { self.sessions = sessions }

    var isEmpty: Bool { sessions.isEmpty }
    package var indices: Range<Int> { sessions.indices }
    package var all: [RoomSession] { sessions }

    package subscript(index: Int) -> RoomSession {
        // `_read` would avoid a copy, but without optimization Swift 6.3 reads the yielded session after its
        // memory was freed. With optimization, `get` makes no copy.
        get { sessions[index] }
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
        sessions.indices.partitionPoint { sessions[$0].id >= id }
    }

    // MARK: Delivery

    mutating func needDelivery() { isDeliveryNeeded = true }

    /// Marks a session to be sent the whole text next.
    mutating func needText(_ index: Int, _ reason: ResyncReason) {
        sessions[index].stream.needText(reason)
        isDeliveryNeeded = true
    }

    /// Returns whether there may be something to send, and clears that flag. If there is, the caller must
    /// send it.
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
