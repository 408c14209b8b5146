package import CaretCore
package import CaretLog

/// An action that the hub returns for its runner. The comments name the event with which the runner answers.
package enum HubAction: Equatable, Sendable {
    /// Send a message to a connection that has joined, or wants to join.
    case sendToConnection(ConnectionID, HubMessage)
    /// Keep the text that a read returned, so that later reads need neither the hub nor the store.
    indirect case keepText(ReadText)
    /// Call the store. The runner answers with `answered`.
    case call(CallID, StoreCall)
    /// Ask the server. The runner answers with `administered`, after any number of `progressed`.
    case administer(CallID, AdminCall)
    /// Encode the text of this version in the background. The runner answers with `encoded`.
    case encode(CallID, TextBuffer, TextVersion)
    /// Make the room of a document. Events for the room come after this action.
    indirect case makeRoom(LoadedDocument)
    /// Send an event to an existing room. Once done, the room answers `rename` with `renamed`, `delete` with
    /// `deleted`, `leave` with `ended`, and `awaitPushes` with `pushesResolved`.
    case sendToRoom(DocumentID, RoomEvent)
    /// Drop the room if it is idle. The runner answers with `dropped`, or with `kept` if the room is not
    /// idle.
    case dropRoom(DocumentID)
    /// This server needs the news of a document that other servers publish, or no longer. Only if others use the store.
    case needNews(of: DocumentID, Bool)
    /// Start or stop reporting the commits of all rooms, here with `changed` and at other servers with `bus`.
    case watchCommits(Bool)
    /// Publish a notification to the other servers over the same store.
    case publish(PeerNotification)
    /// Report how much this server is used, for the list of servers.
    case report(NodeLoad)
    /// Send the hub `timePassed` at this time.
    case wake(at: Int64)
    /// After `shutDown`: the last connection has left, and all its sessions have ended.
    case finish
}
