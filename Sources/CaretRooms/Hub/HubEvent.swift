package import CaretLog
package import CaretWire

/// What happens to the hub.
package enum HubEvent: Sendable {
    // From connections.
    case join(Joining)
    case ask(HubRequest)
    /// The documents that the connection was sent as a follower were delivered.
    case tookDocuments(ConnectionID)
    /// The connection has ended.
    case left(ConnectionID)

    // From rooms and their runners.
    case ended(SessionID)
    /// A session fell behind what its room keeps in memory; or, if false, it has reached the head again.
    case fellBehind(SessionID, Bool)
    case notified(DocumentID, RoomNotice)
    /// A room has committed something. Only sent while commits are watched.
    case changed(DocumentID)
    case dropped(DocumentID)
    /// The room could not be dropped, because it has work to do.
    case kept(DocumentID)

    // From others.
    case answered(CallID, StoreAnswer)
    /// The progress of a long call.
    case progressed(CallID, CareProgress)
    /// A token has other grants now; none if it was revoked.
    case grantsChanged(Grants?, TokenID)
    case shutDown(retryAfterMilliseconds: Int?)
    /// The time has come that the hub asked for, or it is time to check.
    case timePassed
}
