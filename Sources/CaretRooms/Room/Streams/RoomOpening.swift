package import CaretLog
package import CaretWire

/// A request to open the document of a room.
package struct RoomOpening: Equatable, Sendable {
    package let session: SessionID
    package let id: RequestID?
    /// The document's name, as the client wrote it.
    package let document: WireString
    package let participant: Participant
    package var rights: Rights
    package let resume: WirePosition?
    package let mode: OpenMode
    package let squashes: Bool
    /// Whether the session is sent `noted` when notes change.
    package let wantsNotes: Bool
    /// What the store has just said of the pusher, if the room was made for this request.
    package var opener: PusherAnswer?

    package init(
        session: SessionID, id: RequestID?, document: WireString, participant: Participant, rights: Rights,
        resume: WirePosition? = nil, mode: OpenMode = .edit, squashes: Bool = false, wantsNotes: Bool = false
    ) {
        self.session = session
        self.id = id
        self.document = document
        self.participant = participant
        self.rights = rights
        self.resume = resume
        self.mode = mode
        self.squashes = squashes
        self.wantsNotes = wantsNotes
    }
}
