import CaretCore
import CaretLog
import CaretWire

/// One participant in a room, and how far he has been handed its log.
struct RoomSession: Sendable {
    let id: SessionID
    let participant: Participant
    /// Its pusher's mark.
    let mark: Int
    let mode: OpenMode
    let squashes: Bool
    var rights: Rights
    /// The revision whose text it was handed first.
    var opened: Revision
    /// The head when it was opened.
    let joined: Revision
    /// The last revision that it was handed.
    var position: Revision
    /// Bytes that it was handed, and that its connection has not said yet that it took.
    var outstanding = 0
    /// Its connection is to be closed.
    var isCut = false
    /// Revisions behind its position were asked of the store for it.
    var isReading = false
    /// It is to be handed the whole text next, and why.
    var resync: ResyncReason?
    /// Its own newest push, until it has been handed the ack.
    var due: AckDue?
    /// What it has selected, in the text at the head.
    var selections: [Selection] = []
    /// When it made itself known, as the room's presence counts; 0 before it has.
    var known = 0
    /// When it last selected.
    var selected = 0
    /// As others are told of it.
    var peerLines = PeerLines()
    /// Up to when it has been told what the others select.
    var told = 0
    /// Up to when it has been told of those who made themselves known.
    var introduced = 0
    /// When it was told of others last.
    var toldAt: Int64 = .min / 2
    /// It has fallen out of what is at hand, and has not been brought to the head since.
    var isSlow = false
    /// It was behind when there was something to tell.
    var isBehind = false
    /// The revision at which it was told last what the text adds up to, or was handed the text.
    var checked: Revision?
    /// It is to be told that as soon as it has been brought to the head.
    var wantsCheck = false
    /// Its participant may not read any more: it is handed the acks that are due, and then ends.
    var isBarred = false
    /// It is to be closed, with an answer to this request, once what is due has been sent.
    var closing: Closing?

    init(_ opening: RoomOpening, at position: Revision, head: Revision) {
        id = opening.session
        participant = opening.participant
        mark = opening.participant.pusher.mark
        mode = opening.mode
        squashes = opening.squashes && opening.mode == .watch
        rights = opening.rights
        opened = position
        joined = head
        self.position = position
    }

    var pusher: Pusher { participant.pusher }
    var unit: CodeUnit { participant.unit }
    /// It ends as soon as it has been handed what is due, and takes nothing more.
    var isEnding: Bool { closing != nil || isBarred }
}

/// That somebody asked for a session to be closed.
struct Closing: Equatable, Sendable {
    let id: RequestID?
}

/// The sessions of a room stand in the order of their ids: nothing that is sent depends on that of a dictionary.
extension [RoomSession] {
    func place(of id: SessionID) -> Int? {
        let place = place(for: id)
        return place < count && self[place].id == id ? place : nil
    }

    mutating func add(_ session: RoomSession) { insert(session, at: place(for: session.id)) }

    private func place(for id: SessionID) -> Int { indices.firstPlace { self[$0].id >= id } }
}
