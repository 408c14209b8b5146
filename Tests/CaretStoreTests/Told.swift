import Synchronization

@testable import CaretStore

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

    var hasFailed: Bool {
        all.contains { event in
            if case .failed = event { true } else { false }
        }
    }
}
