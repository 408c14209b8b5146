@preconcurrency import Dispatch
import Synchronization

/// Jobs for what one queue does. Anybody may post, and never waits; what came while others were done is done in one go.
final class Inbox<Job: Sendable>: Sendable {
    typealias Work = @Sendable ([Job]) -> Void

    private struct State {
        var jobs: [Job] = []
        /// The queue is at work, or is about to be, and looks again before it rests.
        var isAwake = false
        var isEnded = false
        var work: Work?
    }

    let queue: DispatchQueue
    private let state = Mutex(State())

    init(_ label: String) { queue = DispatchQueue(label: label) }

    /// Has all jobs done by `work`, on the queue; those that came before too.
    func begin(_ work: @escaping Work) {
        let wakes = state.withLock { state in
            state.work = work
            return Inbox.wakes(&state)
        }
        if wakes { wake() }
    }

    func post(_ job: Job) { post { $0.append(job) } }

    func post(_ jobs: [Job]) { post { $0 += jobs } }

    private func post(_ add: (inout [Job]) -> Void) {
        let wakes = state.withLock { state in
            if state.isEnded { return false }
            add(&state.jobs)
            return Inbox.wakes(&state)
        }
        if wakes { wake() }
    }

    private static func wakes(_ state: inout State) -> Bool {
        if state.isAwake || state.work == nil || state.jobs.isEmpty { return false }
        state.isAwake = true
        return true
    }

    private func wake() { queue.async { self.work() } }

    private func work() {
        while true {
            let (jobs, work) = state.withLock { state in
                defer { state.jobs = [] }
                if state.jobs.isEmpty { state.isAwake = false }
                return (state.jobs, state.work)
            }
            guard let work, !jobs.isEmpty else { return }
            work(jobs)
        }
    }

    /// Lets go of whoever did the work; what comes is dropped.
    func ended() async {
        await withCheckedContinuation { done in
            queue.async {
                // Let go of outside of the lock: it may hold much.
                let held = self.state.withLock { state in
                    defer { state = State(isEnded: true) }
                    return state
                }
                withExtendedLifetime(held) {}
                done.resume()
            }
        }
    }
}
