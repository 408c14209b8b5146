import CaretCore
import CaretLog
import CaretRooms
import CaretWire

/// What a connection is told by others than its socket.
enum ConnectionJob: Sendable {
    /// By a room. Most are this one, so that it is kept small.
    case sent([UInt8], SessionID)
    case ended(SessionID)
    case cut(SessionID)
    indirect case told(ConnectionNews)
    indirect case undelivered(RoomEvent)
    indirect case authenticated(Authentication)
}

/// What the hub is told.
enum HubJob: Sendable {
    case join(Joining)
    case ask(HubRequest)
    case tookDocuments(ConnectionID)
    case left(ConnectionID)
    case ended(SessionID)
    case answered(CallID, StoreAnswer)
    case unloadOffered(DocumentID)
    case dropped(DocumentID)
    case kept(DocumentID)
    case renamed(DocumentID, DocumentName, Renaming)
    case deleted(DocumentID, StoreRefusal?)
    case changed(DocumentID)
    case pushesSettled(ConnectionID)
    case grantsChanged(Grants?, of: TokenID)
    case shutDown(then: @Sendable () -> Void)
    case timePassed
}

/// What a queue of rooms is told.
enum RoomJob: Sendable {
    /// By a connection; it gets it back where there is no such room.
    case event(DocumentID, RoomEvent, from: ConnectionID)
    /// By the hub.
    case order(DocumentID, RoomEvent)
    indirect case answer(RoomPlace, RoomAnswer)
    indirect case make(DocumentEntry, Snapshot)
    case drop(DocumentID)
    case timePassed
}

/// A room on its queue; a later one of the same document has another number.
struct RoomPlace: Hashable, Sendable {
    let document: DocumentID
    let number: Int
}

/// What comes of an action of a room.
enum RoomAnswer: Sendable {
    case appended(AppendOutcome)
    case appendedLocked(missed: [LoggedChange], AppendOutcome)
    case pusherFound(Pusher, Result<PusherAnswer, StoreRefusal>)
    case historyRead(after: Revision, Result<Reading, HistoryRefusal>)
    case textRead(Revision, Result<Snapshot, HistoryRefusal>)
    case reloaded(DocumentEntry, Snapshot)
    case reloadFailed(StoreRefusal)
    case computed(WorkID, Change)
    case summed(UInt32, at: Revision)
    case renamed(DocumentName, Renaming)
    case deleted(Result<Void, StoreRefusal>)
}
