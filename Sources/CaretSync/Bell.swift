import Synchronization

/// Wakes a waiting task. A ring while nobody waits is not lost.
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

    /// Waits until it rings, but not longer than this.
    package func wait(atMost limit: Duration) async {
        let alarm = Task { [weak self] in
            // A cancelled sleep has no one waiting for it.
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
