import Synchronization

/// Wakes the one who waits. A ring that comes while nobody waits is not lost.
package final class Bell: Sendable {
    private struct State {
        var hasRung = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    package func ring() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            state.hasRung = state.waiter == nil
            return state.waiter
        }
        waiter?.resume()
    }

    /// Until it rings, but no longer than that.
    package func wait(atMost limit: Duration) async {
        let alarm = Task { [weak self] in
            // A sleep that was cut short is one that nobody waits for.
            try? await Task.sleep(for: limit)
            if !Task.isCancelled { self?.ring() }
        }
        defer { alarm.cancel() }
        await withCheckedContinuation { waiter in
            let hasRung = state.withLock { state in
                if state.hasRung {
                    state.hasRung = false
                    return true
                }
                state.waiter = waiter
                return false
            }
            if hasRung { waiter.resume() }
        }
    }
}
