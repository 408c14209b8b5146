package import CaretWire

/// Who ordered a rename or delete, and what the room needs for its answers.
package struct RoomOrder: Equatable, Sendable {
    /// Gets the answer, `done` or an error, after everything that the requester's own session gets. It is not
    /// a session of the room.
    package let requester: SessionID
    package let id: RequestID?
    /// The name that the requester used for the document.
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
