import Synchronization

/// Wakes a waiting task. If no task waits, the ring is remembered for the next wait.
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

    /// Waits until the bell rings, but not longer than `limit`.
    package func wait(atMost limit: Duration) async {
        let alarm = Task { [weak self] in
            // If the bell rings earlier, the sleep is cancelled.
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
