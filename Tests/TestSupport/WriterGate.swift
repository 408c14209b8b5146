package import CaretLog
import Dispatch
import Synchronization

/// Holds the writer of a store, so that the calls that are made meanwhile share its next transaction.
package final class WriterGate: Sendable {
    private enum State: Sendable {
        case open
        case closed(held: @Sendable () -> Void)
        case holding
    }

    private let state = Mutex(State.open)
    private let opened = DispatchSemaphore(value: 0)

    package init() {}

    /// The store's writer calls this once for each transaction.
    package func pass() {
        let held = state.withLock { state -> (@Sendable () -> Void)? in
            guard case .closed(let held) = state else { return nil }
            state = .holding
            return held
        }
        guard let held else { return }
        held()
        opened.wait()
    }

    /// Makes a call, and returns when its transaction holds the writer. A store that has failed answers without a
    /// transaction.
    package func hold(_ store: any DocumentStore, behind call: StoreCall) async {
        let (waiting, done) = AsyncStream<Void>.makeStream()
        state.withLock { $0 = .closed { done.finish() } }
        store.run(call) { _ in done.finish() }
        for await _ in waiting {}
    }

    package func open() {
        let isHolding = state.withLock { state in
            defer { state = .open }
            if case .holding = state { return true }
            return false
        }
        if isHolding { opened.signal() }
    }

    /// Appends to several documents in one transaction, which comes after that of the call `first`. Returns the outcomes
    /// in the order of the appends.
    package func append(
        _ appends: [Append], to store: any DocumentStore, behind first: StoreCall
    ) async -> [AppendOutcome] {
        await hold(store, behind: first)
        return await store.append(appends) { open() }
    }
}
