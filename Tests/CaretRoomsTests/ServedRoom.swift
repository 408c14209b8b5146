import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport

/// A room among the queues of a `ServerWorld`, which has the store at hand.
protocol ServedRoom {
    var isIdle: Bool { get }
    /// What is left to be done by others than the store.
    mutating func take(_ event: RoomEvent, _ store: inout StoreModel) -> [RoomAction]
    mutating func renamed(_ result: Renaming) -> [RoomAction]
    /// Nil where the document was deleted.
    mutating func deleted(_ refusal: StoreRefusal?) -> [RoomAction]
}

/// The room that ships, whose store answers at once, at a time that stands still.
struct WholeRoom: ServedRoom {
    private let document: DocumentID
    private let now: Int64
    private var state: RoomState

    init(_ entry: DocumentEntry, _ text: Snapshot, _ settings: ConnectionSettings, at now: Int64) {
        document = entry.id
        self.now = now
        state = RoomState(
            entry, head: text, limits: settings.limits, at: now, publicClient: settings.publicClient)
    }

    var isIdle: Bool { state.isIdle }

    mutating func take(_ event: RoomEvent, _ store: inout StoreModel) -> [RoomAction] {
        var left: [RoomAction] = []
        var waiting = state.received(event)[...]
        while let action = waiting.popFirst() {
            switch action {
            case .rename, .delete: left.append(action)
            // No time passes.
            case .wake: break
            default:
                if let news = store.done(action, of: document, at: now) {
                    waiting += news(&state)
                } else {
                    left.append(action)
                }
            }
        }
        return left
    }

    mutating func renamed(_ result: Renaming) -> [RoomAction] { state.renamed(result) }

    mutating func deleted(_ refusal: StoreRefusal?) -> [RoomAction] {
        state.deleted(refusal.map { .failure($0) } ?? .success(()))
    }
}
