import CaretCore
package import CaretLog

/// What the hub wants done. Whoever runs it answers with the event that each names.
package enum HubAction: Equatable, Sendable {
    /// To a connection that has joined, or wants to.
    case tell(ConnectionID, ConnectionNews)
    /// Answered by `answered`.
    case call(CallID, StoreCall)
    /// A room is to be made of a document and its text; what it is told comes behind this.
    case makeRoom(DocumentEntry, Snapshot)
    /// To a room that was made and not dropped. A rename is answered by `renamed`, a deletion by `deleted`, a `leave` by
    /// `ended`, an `awaitPushes` by `pushesSettled`, once the room has done them.
    case tellRoom(DocumentID, RoomEvent)
    /// The room is to be dropped if it is idle. Answered by `dropped` or, where it is not, by `kept`.
    case dropRoom(DocumentID)
    /// From now on the commits of all rooms are to be told by `changed`, or are not.
    case watchCommits(Bool)
    /// Answered by `timePassed`, once it is that late.
    case wake(at: Int64)
    /// After `shutDown`: the last connection has left, and all that rooms were asked is answered.
    case finish
}
