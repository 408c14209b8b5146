package import CaretCore
package import CaretLog
package import CaretWire

/// What a room is told.
///
/// Large values are stored elsewhere: most events by far are `written`, and events are moved about in lists.
package enum RoomEvent: Equatable, Sendable {
    // By the hub.
    /// A room that refuses it ends the session after its error.
    indirect case open(RoomOpening)
    case rightsChanged(SessionID, Rights)
    /// Answered by a `renamed` to the hub, once the store has answered; a refused order is not.
    indirect case rename(to: DocumentName, RoomOrder)
    /// Answered by a `deleted` to the hub, once the store has answered; a refused order is not.
    indirect case delete(RoomOrder)
    /// The store has renewed the epochs of all documents.
    case renewed
    /// What was before this revision was trimmed.
    case trimmed(start: Revision)
    /// The session's connection is gone. Answered by `ended`, whether the room knew the session or not.
    case leave(SessionID)
    /// Answered by `pushesSettled`, once every push of this pusher that came before is committed or refused.
    indirect case awaitPushes(of: Pusher, for: ConnectionID)

    // By the session's connection, or by the hub for a guest.
    indirect case push(RoomPush)

    // By the session's connection.
    indirect case select(SessionID, Select, RequestID?)
    case close(SessionID, RequestID?)
    case diverged(SessionID, Revision)
    case written(SessionID, bytes: Int)

    // By the runner.
    indirect case answered(CallID, StoreAnswer)
    indirect case computed(WorkID, WorkResult)
    /// The room asked to be woken, or it is time to look.
    case timePassed
}
