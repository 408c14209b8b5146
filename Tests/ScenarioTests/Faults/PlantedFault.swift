import CaretCore
import CaretLog
import CaretReplica
import CaretRooms
import CaretWire

/// What goes wrong at the seams between the values, the store and the wire: nothing here; a fault overrides what it
/// breaks.
class PlantedFault {
    unowned(unsafe) var world: World!

    /// The store answers before what it was given is on disk.
    var acksEarly: Bool { false }
    /// The server is not told that rights changed.
    var forgetsGrants: Bool { false }
    /// A reading does not wait for what its reader has pushed.
    var readsAtOnce: Bool { false }
    /// Connections get what rooms send them after what the hub makes of it.
    var tellsHubFirst: Bool { false }
    /// The disk loses the last of what it had, when the server ends.
    var losesLast: Bool { false }

    /// Lines on their way from a connection to its link.
    func lines(_ line: [UInt8]) -> [[UInt8]] { [line] }
    /// What a room is told.
    func told(_ event: RoomEvent, _ room: RoomState) -> RoomEvent {
        switch event {
        case .answered(let id, .pusher(let result)): .answered(id, .pusher(pusher(result)))
        case .answered(let id, .read(let result)): .answered(id, .read(reading(result, room)))
        default: event
        }
    }
    /// What comes of an event of a room.
    func handle(_ event: RoomEvent, in room: inout RoomState, at time: Int64) -> [RoomAction] {
        actions(room.handle(told(event, room), at: time))
    }
    /// What a room wants done.
    func actions(_ actions: [RoomAction]) -> [RoomAction] { actions }
    /// The store's answer about a pusher, to a room.
    func pusher(_ answer: Result<PusherAnswer, StoreRefusal>) -> Result<PusherAnswer, StoreRefusal> { answer }
    /// Revisions from the store, to a room.
    func reading(
        _ result: Result<Reading, HistoryRefusal>, _ room: RoomState
    ) -> Result<Reading, HistoryRefusal> { result }
    /// The store's answer.
    func answer(_ answer: StoreAnswer, to call: StoreCall) -> StoreAnswer { answer }
    /// What a client pushes, and what was typed since its last push as it was typed.
    func change(_ change: Change, unmoved: Change?) -> Change { change }
    /// Whether the fault changes what events make of replicas.
    var changesReplicas: Bool { false }
    /// An event of a client's replica, for a fault that changes replicas.
    func change(_ transition: inout ReplicaTransition) {}
}
