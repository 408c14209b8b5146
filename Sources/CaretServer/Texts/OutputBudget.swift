import CaretRooms
import Synchronization

/// The memory of all output that waits for clients, and of the texts that are being encoded for them. All loops share
/// it. Any thread may call it.
///
/// It refuses nothing by itself: while it is used up, `TextEncoder` begins no text, and connections with waiting output
/// get no further answers.
package final class OutputBudget: PayloadMeter {
    private let limit: Atomic<Int>
    private let used = Atomic(0)
    private let isAwaited = Atomic(false)
    /// The part of the used memory that has a limit of its own.
    private let exempt: @Sendable () -> Int
    private let onRoom = Mutex<(@Sendable () -> Void)?>(nil)

    package init(_ limit: Int, exempt: @escaping @Sendable () -> Int = { 0 }) {
        self.limit = Atomic(limit)
        self.exempt = exempt
    }

    package func setLimit(_ limit: Int) {
        self.limit.store(limit, ordering: .sequentiallyConsistent)
        notifyIfRoom()
    }

    /// Whether no byte is left. The last output before that may exceed the limit.
    package var isUsedUp: Bool {
        let limit = limit.load(ordering: .sequentiallyConsistent)
        return used.load(ordering: .sequentiallyConsistent) >= limit
            && used.load(ordering: .sequentiallyConsistent) - exempt() >= limit
    }

    package func added(_ bytes: Int) { used.add(bytes, ordering: .sequentiallyConsistent) }

    package func removed(_ bytes: Int) {
        used.subtract(bytes, ordering: .sequentiallyConsistent)
        notifyIfRoom()
    }

    /// Calls `body` once, as soon as memory is left: on any thread, or before this method returns.
    package func whenRoom(_ body: @escaping @Sendable () -> Void) {
        onRoom.withLock { $0 = body }
        isAwaited.store(true, ordering: .sequentiallyConsistent)
        notifyIfRoom()
    }

    private func notifyIfRoom() {
        guard isAwaited.load(ordering: .sequentiallyConsistent), !isUsedUp,
            isAwaited.exchange(false, ordering: .sequentiallyConsistent)
        else { return }
        let body = onRoom.withLock { body in
            defer { body = nil }
            return body
        }
        body?()
    }
}
