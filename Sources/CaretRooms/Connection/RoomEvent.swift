package import CaretCore
package import CaretLog
package import CaretWire

/// What a room is told by a connection, whose session is in it, or by the hub: each is a method of the room.
package enum RoomEvent: Equatable, Sendable {
    // By the hub.
    /// A room that refuses it ends the session behind its error.
    case open(RoomOpening)
    case rightsChanged(SessionID, Rights)
    case rename(to: DocumentName, RoomOrder)
    case delete(RoomOrder)
    /// The session's connection is gone. Answered by `ended`, whether the room knew the session or not.
    case leave(SessionID)

    // By the hub for a guest, by the session's connection else.
    case push(RoomPush)

    // By the session's connection.
    case select(SessionID, Select, RequestID?)
    case close(SessionID, RequestID?)
    case diverged(SessionID, Revision)
    case written(SessionID, bytes: Int)
}

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
