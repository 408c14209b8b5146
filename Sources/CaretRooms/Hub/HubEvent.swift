package import CaretLog
package import CaretWire

/// An event that the hub handles.
package enum HubEvent: Sendable {
    // Events from connections:
    case join(JoinRequest)
    case ask(HubRequest)
    /// The connection has delivered its last batch about followed documents.
    case deliveredDocuments(ConnectionID)
    /// The connection has ended.
    case left(ConnectionID)

    // Events from rooms and their runners:
    case ended(SessionID)
    /// Reports whether a session needs revisions that its room no longer has in memory. False once the
    /// session has reached the head again.
    case fellBehind(SessionID, Bool)
    case notified(DocumentID, RoomNotice)
    /// A room has committed something. Rooms send this event only while the hub watches commits.
    case changed(DocumentID)
    case dropped(DocumentID)
    /// The room could not be dropped, because it has work to do.
    case kept(DocumentID)

    // Events from the store and the runner:
    case answered(CallID, StoreAnswer)
    case administered(CallID, AdminCallAnswer)
    /// The text of an `encode` action. Nil if the server has no memory for it.
    case encoded(CallID, EncodedText?)
    /// The progress of a long call.
    case progressed(CallID, MaintenanceProgress)
    /// A token has other grants now. They are nil if the token was revoked.
    case grantsChanged(Grants?, TokenID)
    /// The keys of signed tokens and the rights of guests after a reload.
    case signInChanged(keys: Set<ByteString>, guests: Grants)
    /// An event of the bus between the servers over the same store.
    case bus(BusEvent)
    case shutDown(retryAfterMilliseconds: Int?)
    /// The time that the hub requested with `wake` has come. The runner may also send this event at any other
    /// time.
    case timePassed
}
