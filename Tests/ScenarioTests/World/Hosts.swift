import CaretCore
import CaretLog
import CaretRooms

/// What a connection is told.
enum ConnectionJob {
    case received([UInt8])
    case inputEnded
    case lost
    case written(Int)
    case told(ConnectionNews)
    case sent([UInt8], SessionID)
    case ended(SessionID)
    case cut(SessionID)
    case undelivered(RoomEvent)
    case authenticated(Authentication)
    case timePassed
}

/// What the hub is told.
enum HubJob {
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
    case grantsChanged(Grants?, TokenID)
    case shutDown
    case timePassed
}

/// What a room is told.
enum RoomJob {
    /// By a connection, or by the hub where there is none.
    case event(RoomEvent, ConnectionID?)
    case news((inout RoomState) -> [RoomAction])
    case renamed(DocumentName, Renaming)
    case deleted(Result<Void, StoreRefusal>)
    case drop
    case timePassed
}

/// A value of the server, and what waits for it.
final class ConnectionHost {
    let id: ConnectionID
    var state: ConnectionState
    var queue = SerialQueue<ConnectionJob>()
    let link: Link

    init(_ id: ConnectionID, _ state: ConnectionState, _ link: Link) {
        self.id = id
        self.state = state
        self.link = link
    }
}

final class HubHost {
    var state: HubState
    var queue = SerialQueue<HubJob>()

    init(_ state: HubState) { self.state = state }
}

final class RoomHost {
    let document: DocumentID
    var state: RoomState
    var queue = SerialQueue<RoomJob>()
    var isDropped = false

    init(_ document: DocumentID, _ state: RoomState) {
        self.document = document
        self.state = state
    }
}

/// One life of the server, from a start to a crash or a stop.
final class Server {
    let hub: HubHost
    var rooms: [DocumentID: RoomHost] = [:]
    var connections: [ConnectionID: ConnectionHost] = [:]
    var budget: LineBudget
    var watchesCommits = false
    var lastConnection: Int64 = 0
    /// It takes no more, and ends when its last connection has.
    var isStopping = false
    /// It is no more: what was on its way to it comes too late.
    var isDead = false

    init(hub: HubState, budget: LineBudget) {
        self.hub = HubHost(hub)
        self.budget = budget
    }
}
