package import CaretWire

/// An order to rename or delete the document: who gave it, and what the room needs for the answer.
package struct RoomOrder: Equatable, Sendable {
    /// The `sessionless` id of the connection that gave the order. The answer, `done` or an error, is sent to
    /// this id after everything that is sent to the connection's own session.
    package let requester: SessionID
    package let id: RequestID?
    /// The name that the requester used for the document.
    package let document: WireString
    /// The sessions that may learn the new name, because they have the right to read it.
    package let readers: [SessionID]

    package init(requester: SessionID, id: RequestID?, document: WireString, readers: [SessionID] = []) {
        self.requester = requester
        self.id = id
        self.document = document
        self.readers = readers
    }
}
