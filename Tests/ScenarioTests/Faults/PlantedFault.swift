import CaretCore
import CaretLog
import CaretReplica
import CaretRooms
import CaretWire

/// A deliberate fault in the server, the store or a client, which the scenarios must find. This class itself
/// changes nothing. A subclass overrides the methods that it breaks.
class PlantedFault {
    enum NeedOfOpened {
        case told, untold
        /// It is told, and ends although the document is open.
        case endedEarly
    }

    unowned(unsafe) var world: World!

    /// The store answers before its data is on disk.
    var acksEarly: Bool { false }
    /// The server is not notified of changed rights.
    var forgetsGrants: Bool { false }
    /// A read does not wait for earlier pushes of its client.
    var readsWithoutWaiting: Bool { false }
    /// Messages of rooms reach connections later than messages of the hub.
    var notifiesHubFirst: Bool { false }
    /// The disk loses its last append when the server ends.
    var losesLastAppend: Bool { false }

    /// Changes an append before the store runs it.
    func append(_ append: Append) -> Append { append }
    /// Changes a line that a connection sends. Returns the lines to send in its place.
    func lines(_ line: [UInt8]) -> [[UInt8]] { [line] }
    /// Whether the shell drops the bytes that a connection has not accepted, instead of passing them again.
    var dropsUnreadInput: Bool { false }
    /// Changes what the gateway receives from a client that speaks WebSocket.
    func received(_ bytes: [UInt8], on link: Link) -> [UInt8] { bytes }
    /// The bytes that the gateway sends for a frame.
    func bytes(of frame: ServerFrame) -> [UInt8] { frame.bytes }
    /// Changes what the gateway receives as a request.
    func bytes(_ bytes: [UInt8], of request: HTTPRequest, _ client: Int) -> [UInt8] { bytes }
    /// Changes a response. A long body follows its response, and is not changed.
    func response(_ bytes: [UInt8], on link: Link) -> [UInt8] { bytes }
    /// Changes an event before a room handles it.
    func changed(_ event: RoomEvent, _ room: RoomState) -> RoomEvent {
        switch event {
        case .answered(let id, .pusher(let result)): .answered(id, .pusher(pusher(result)))
        case .answered(let id, .read(let result)): .answered(id, .read(reading(result, room)))
        default: event
        }
    }
    /// Lets a room handle an event.
    func handle(_ event: RoomEvent, in room: inout RoomState, at time: Int64) -> [RoomAction] {
        actions(room.handle(changed(event, room), at: time))
    }
    /// Changes the actions of a room.
    func actions(_ actions: [RoomAction]) -> [RoomAction] { actions }
    /// Changes the store's answer about a pusher, before a room gets it.
    func pusher(_ answer: Result<PusherAnswer, StoreRefusal>) -> Result<PusherAnswer, StoreRefusal> { answer }
    /// Changes revisions from the store, before a room gets them.
    func reading(
        _ result: Result<HistorySlice, HistoryRefusal>, _ room: RoomState
    ) -> Result<HistorySlice, HistoryRefusal> { result }
    /// Changes what a server publishes to the others; nil if it publishes nothing. `hasPeers` says whether messages of any
    /// of them arrive.
    func published(_ notification: PeerNotification, hasPeers: Bool) -> PeerNotification? { notification }
    /// Whether servers tell the others that they need the news of a document that they have opened.
    var needOfOpened: NeedOfOpened { .told }
    /// Whether servers keep no news for servers that need them later.
    var forgetsNews: Bool { false }
    /// Changes an event of a server's bus; nil if it does not come.
    func received(_ event: BusEvent) -> BusEvent? { event }
    /// Changes an answer of the store.
    func answer(_ answer: StoreAnswer, to call: StoreCall) -> StoreAnswer { answer }
    /// Changes a copy before the store makes it.
    func copy(_ copy: DocumentCopy) -> DocumentCopy { copy }
    /// Changes a client's push. `unrebasedEdits` has the edits since its last push, not rebased over the
    /// changes of others.
    func change(_ change: Change, unrebasedEdits: Change?) -> Change { change }
    /// Whether the fault changes the transitions of replicas.
    var changesReplicas: Bool { false }
    /// Changes a transition of a client's replica.
    func change(_ transition: inout ReplicaTransition) {}
}
