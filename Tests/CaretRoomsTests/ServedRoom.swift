import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport

/// A room of a `ServerWorld`. It may use the store directly.
protocol ServedRoom {
    var isIdle: Bool { get }
    /// Handles an event, and returns the actions that others must run.
    mutating func handle(_ event: RoomEvent, _ store: inout StoreModel) -> [RoomAction]
}

/// The production room. Its store answers at once, except to a rename or a deletion. Its clock stands still.
struct WholeRoom: ServedRoom {
    private let now: Int64
    private var state: RoomState

    init(_ entry: DocumentEntry, _ text: Snapshot, _ settings: ConnectionSettings, at now: Int64) {
        self.now = now
        state = RoomState(
            entry, head: text, limits: settings.limits, at: now, publicClient: settings.publicClient)
    }

    var isIdle: Bool { state.isIdle }

    mutating func handle(_ event: RoomEvent, _ store: inout StoreModel) -> [RoomAction] {
        var left: [RoomAction] = []
        var waiting = state.handle(event, at: now)[...]
        while let action = waiting.popFirst() {
            switch action {
            case .call(_, .rename), .call(_, .delete): left.append(action)
            case .call(let id, let call): waiting += state.handle(.answered(id, store.answer(call)), at: now)
            case .compute(let id, let work):
                waiting += state.handle(.computed(id, work.done(checksum: crc32)), at: now)
            // The clock stands still.
            case .wake: break
            case .send, .ended, .cut, .diverged, .notifyHub: left.append(action)
            }
        }
        return left
    }
}
