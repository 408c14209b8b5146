import CaretStore
import Synchronization

/// Records the events of a store, from any thread.
final class EventRecorder: Sendable {
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

    /// The first event that reports a failed or full disk.
    var firstFailure: StoreEvent? {
        all.first { event in
            switch event {
            case .diskFailed, .diskFull, .checkpointDiskFull: true
            default: false
            }
        }
    }
}
