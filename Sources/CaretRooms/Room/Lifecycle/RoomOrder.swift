package import CaretWire

/// On whose behalf a room is renamed or deleted.
package struct RoomOrder: Equatable, Sendable {
    /// Who is answered, `done` or an error, behind all that his own session is told. It has no place in the room.
    package let requester: SessionID
    package let id: RequestID?
    /// What he calls the document.
    package let document: WireString
    /// The sessions that may know the new name.
    package let readers: [SessionID]

    package init(requester: SessionID, id: RequestID?, document: WireString, readers: [SessionID] = []) {
        self.requester = requester
        self.id = id
        self.document = document
        self.readers = readers
    }
}
