import Synchronization

/// The counters of all loops and queues of a server, for reading their sums.
package final class CounterBoard: Sendable {
    private let slots = Mutex<[CounterSlots]>([])

    package init() {}

    /// Makes counters for another loop or queue. The board keeps them as long as it exists. Rooms come and
    /// go, so they use the counters of their queue.
    package func makeCounters() -> sending LocalCounters {
        let local = CounterSlots()
        slots.withLock { $0.append(local) }
        return LocalCounters(slots: local)
    }

    /// The sums over all loops and queues. Reading them does not wait for any loop or queue, even a stuck
    /// one.
    package var counts: Counts {
        slots.withLock { $0 }.map(\.counts).reduce(Counts(), +)
    }
}
