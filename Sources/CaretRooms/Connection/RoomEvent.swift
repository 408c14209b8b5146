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
    /// The store has renewed the epochs of all documents.
    case renewed
    /// What was before this revision was trimmed.
    case trimmed(start: Revision)
    /// The session's connection is gone. Answered by `ended`, whether the room knew the session or not.
    case leave(SessionID)
    /// Answered by `pushesSettled`, once every push of this pusher that came before is committed or refused.
    case awaitPushes(of: Pusher, for: ConnectionID)

    // By the hub for a guest, by the session's connection else.
    case push(RoomPush)

    // By the session's connection.
    case select(SessionID, Select, RequestID?)
    case close(SessionID, RequestID?)
    case diverged(SessionID, Revision)
    case written(SessionID, bytes: Int)
}
