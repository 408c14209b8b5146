import Synchronization

/// The calls on a store that take several steps: while one runs, nothing that it needs is closed.
final class OpenCalls: Sendable {
    private struct State {
        var running = 0
        var isClosing = false
        var closing: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// From when on a long call should come to its end.
    var isClosing: Bool { state.withLock { $0.isClosing } }

    func began() { state.withLock { $0.running += 1 } }

    func ended() {
        let closing = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.running -= 1
            return state.running == 0 ? state.closing.take() : nil
        }
        closing?.resume()
    }

    /// Tells the calls to come to their ends, and waits until they have.
    func close() async {
        await withCheckedContinuation { done in
            let isIdle = state.withLock { state in
                state.isClosing = true
                if state.running > 0 { state.closing = done }
                return state.running == 0
            }
            if isIdle { done.resume() }
        }
    }
}
