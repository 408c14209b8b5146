import CaretCore
package import CaretLog

/// What the hub wants done. The runner answers each with the event named here.
package enum HubAction: Equatable, Sendable {
    /// To a connection that has joined, or wants to.
    case tell(ConnectionID, ConnectionNews)
    /// Answered by `answered`.
    case call(CallID, StoreCall)
    /// Make a room of a document and its text. Events for it come after this.
    case makeRoom(DocumentEntry, Snapshot)
    /// To a room that exists. A rename is answered by `renamed`, a deletion by `deleted`, a `leave` by
    /// `ended`, and an `awaitPushes` by `pushesSettled`, once the room has done it.
    case tellRoom(DocumentID, RoomEvent)
    /// Drop the room if it is idle. Answered by `dropped`, or by `kept` if it is not idle.
    case dropRoom(DocumentID)
    /// Whether to report the commits of all rooms by `changed` from now on.
    case watchCommits(Bool)
    /// Answered by `timePassed` at this time.
    case wake(at: Int64)
    /// After `shutDown`: the last connection has left, and all calls of rooms are answered.
    case finish
}
