package import CaretLog
package import CaretWire

/// What the hub is told.
package enum HubEvent: Sendable {
    // By connections.
    case join(Joining)
    case ask(HubRequest)
    /// The connection has taken the documents that it was sent as a follower.
    case tookDocuments(ConnectionID)
    /// The connection is gone.
    case left(ConnectionID)

    // By rooms, and by those who run them.
    case ended(SessionID)
    /// A session fell out of what its room keeps in memory; or, if false, it has been brought to the head again.
    case fellBehind(SessionID, Bool)
    case notified(DocumentID, RoomNotice)
    /// A room has committed something. Only while that is watched.
    case changed(DocumentID)
    case dropped(DocumentID)
    /// The room could not be dropped, because it has something to do.
    case kept(DocumentID)

    // By others.
    case answered(CallID, StoreAnswer)
    /// How far a long call has come.
    case progressed(CallID, CareProgress)
    /// A token has other grants now; none if it was revoked.
    case grantsChanged(Grants?, TokenID)
    case shutDown(retryAfterMilliseconds: Int?)
    /// The hub asked to be woken, or it is time to look.
    case timePassed
}
