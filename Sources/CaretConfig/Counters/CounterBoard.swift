import Synchronization

/// The counters of all loops and queues of a server, for reading their sums.
package final class CounterBoard: Sendable {
    private let slots = Mutex<[CounterSlots]>([])

    package init() {}

    /// Makes counters for one more loop or queue. The board never removes counters. Rooms come and go, so
    /// they have no counters of their own, and use those of their queue.
    package func makeCounters() -> sending LocalCounters {
        let local = CounterSlots()
        slots.withLock { $0.append(local) }
        return LocalCounters(slots: local)
    }

    /// The sums over all loops and queues. Reading the sums never waits, even if a loop or queue is stuck.
    package var counts: Counts {
        slots.withLock { $0 }.map(\.counts).reduce(Counts(), +)
    }
}
