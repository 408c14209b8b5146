package import CaretLog
import Synchronization

/// Counts the running calls that take several steps. The store closes its connections only after these calls
/// have ended.
package final class OpenCalls: Sendable {
    private struct State {
        var running = 0
        var isClosing = false
        var closing: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether the store is being closed. Long calls should then end soon.
    package var isClosing: Bool { state.withLock { $0.isClosing } }

    package func begin() { state.withLock { $0.running += 1 } }

    package func end() {
        let closing = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.running -= 1
            return state.running == 0 ? state.closing.take() : nil
        }
        closing?.resume()
    }

    /// Runs a call that takes several steps, and answers it.
    package func run(_ waiting: WaitingCall, _ body: @escaping @Sendable () async -> StoreAnswer) {
        begin()
        Task {
            waiting.answer(await body())
            end()
        }
    }

    /// Requests that all running calls end soon, and waits until they have ended.
    package func close() async {
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
