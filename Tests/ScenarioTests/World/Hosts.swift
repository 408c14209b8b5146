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
    case sent(RoomOutput, SessionID)
    case ended(SessionID)
    case cut(SessionID)
    case undelivered(RoomEvent)
    case authenticated(Authentication)
    case timePassed
}

/// What a room is told.
enum RoomJob {
    /// By a connection, or by others where there is none.
    case event(RoomEvent, ConnectionID?)
    /// The store's answer to a call.
    case answer(CallID, StoreCall, StoreAnswer)
    case drop
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
    var queue = SerialQueue<HubEvent>()

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
