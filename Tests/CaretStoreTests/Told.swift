import CaretStore
import Synchronization

/// The events of a store, on whatever queue.
final class Told: Sendable {
    private let events = Mutex<[StoreEvent]>([])

    func add(_ event: StoreEvent) { events.withLock { $0.append(event) } }

    var all: [StoreEvent] { events.withLock { $0 } }

    var isRenewed: Bool {
        all.contains { event in
            if case .renewed = event { true } else { false }
        }
    }

    var hasDamage: Bool {
        all.contains { event in
            if case .damaged = event { true } else { false }
        }
    }

    var hasFailed: Bool { firstFailure != nil }

    /// What speaks of the disk, and not of what lies on it.
    var firstFailure: StoreEvent? {
        all.first { event in
            switch event {
            case .failed, .full, .checkpointFull: true
            default: false
            }
        }
    }
}
