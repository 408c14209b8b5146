package import CaretCore
package import CaretLog
package import CaretWire

/// What happens to a room.
///
/// Large values are stored by reference: nearly all events are `written`, and events are moved around in
/// lists.
package enum RoomEvent: Equatable, Sendable {
    // From the hub.
    /// If the room refuses it, the session ends after its error.
    indirect case open(RoomOpening)
    case rightsChanged(SessionID, Rights)
    /// Answered by `renamed` to the hub, once the store has answered. A refused order is not.
    indirect case rename(to: DocumentName, RoomOrder)
    /// Answered by `deleted` to the hub, once the store has answered. A refused order is not.
    indirect case delete(RoomOrder)
    /// The store has renewed the epochs of all documents.
    case renewed
    /// The history before this revision was trimmed.
    case trimmed(start: Revision)
    /// The session's connection has ended. Answered by `ended`, whether the room knew the session or not.
    case leave(SessionID)
    /// Answered by `pushesSettled`, once every earlier push of this pusher is committed or refused.
    indirect case awaitPushes(of: Pusher, for: ConnectionID)

    // From the session's connection, or from the hub for a guest.
    indirect case push(RoomPush)

    // From the session's connection.
    indirect case select(SessionID, Select, RequestID?)
    case close(SessionID, RequestID?)
    case diverged(SessionID, Revision)
    case written(SessionID, bytes: Int)

    // From the runner.
    indirect case answered(CallID, StoreAnswer)
    indirect case computed(WorkID, WorkResult)
    /// The time has come that the room asked for, or it is time to check.
    case timePassed
}
