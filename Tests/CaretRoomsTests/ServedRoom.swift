import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport

/// A room in a `ServerWorld`. It may call the store directly.
protocol ServedRoom {
    var isIdle: Bool { get }
    /// Handles an event. Returns the actions that the world must run.
    mutating func handle(_ event: RoomEvent, _ store: inout StoreModel) -> [RoomAction]
}

/// The production room. The store answers at once, except to a rename or a deletion. The room's time does not
/// advance.
struct WholeRoom: ServedRoom {
    private let now: Int64
    private var state: RoomState

    init(
        _ loaded: LoadedDocument, _ settings: ConnectionSettings, at now: Int64, sharesStore: Bool = false
    ) {
        self.now = now
        state = RoomState(
            loaded, limits: settings.limits, at: now, sharesStore: sharesStore,
            publicClient: settings.publicClient)
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
            case .encode(let text, let version):
                let encoded = EncodedText(text, version.lineBreak)
                waiting += state.handle(.encoded(version, encoded), at: now)
            case .waitForPushes: waiting += state.handle(.waitEnded, at: now)
            // The room's time does not advance.
            case .wake: break
            case .send, .sendText, .ended, .disconnect, .diverged, .notifyHub, .publish: left.append(action)
            }
        }
        return left
    }
}
