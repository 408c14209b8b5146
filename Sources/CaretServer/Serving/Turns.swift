import CaretConcurrency
@preconcurrency import Dispatch
import Synchronization

/// What is done in turns, by one at a time: it owns values that only the one whose turn it is touches.
protocol TurnWorker: SendableMetatype {
    associatedtype Job: Sendable

    /// Whether jobs may take so long that no loop is to be held up by them.
    func areDear(_ jobs: [Job]) -> Bool
    func run(_ jobs: [Job])
}

/// Jobs that one at a time does: the loop that brings them, where nobody is at it, so that no other thread has to be
/// woken for them; else whoever is at it.
///
/// A loop does what is there when it comes, and leaves what comes meanwhile for its next turn: in between it serves its
/// connections. Jobs that are dear, and those that no loop has to do with, are done by a queue. What came while others
/// were done is done in one go.
final class Turns<Worker: TurnWorker>: Sendable {
    private struct State {
        var jobs: [Worker.Job] = []
        /// Somebody is at work, or is about to be, and looks again before he leaves.
        var isTaken = false
        var isEnded = false
        var worker: Confined<Worker, Turn>?
        var loops: [Loop] = []
        /// The loop that brought jobs last; nil where they were dear.
        var last: Int?
    }

    let queue: DispatchQueue
    private let state = Mutex(State())

    init(_ label: String) { queue = DispatchQueue(label: label) }

    /// Has all jobs done by a worker; those that came before too.
    func begin(_ worker: sending Worker, on loops: [Loop]) {
        let bound = Confined(worker, to: Turn())
        let mustBegin = state.withLock { state in
            (state.worker, state.loops) = (bound, loops)
            return Turns.take(&state)
        }
        if mustBegin { onQueue() }
    }

    /// Has a job done by the queue, behind those that came before.
    func post(_ job: Worker.Job) { if add([job]) { onQueue() } }

    /// Has a job done by the loop that brought jobs last: it is the likeliest to have connections that wait for what
    /// comes of it. Where those were dear, what comes of them is too.
    func postToLoop(_ job: Worker.Job) { if add([job]) { onLoop() } }

    /// Does jobs at once, if nobody is at work; by a loop of this number.
    func bring(_ jobs: [Worker.Job], from loop: Int) { if add(jobs, from: loop) { workOnce() } }

    /// Lets go of whoever did the work, once he is through; what comes is dropped. No loop runs any more.
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

    /// Whether whoever asks has the turn now.
    private func add(_ jobs: [Worker.Job], from loop: Int? = nil) -> Bool {
        state.withLock { state in
            if state.isEnded { return false }
            state.jobs += jobs
            if let loop { state.last = loop }
            return Turns.take(&state)
        }
    }

    private static func take(_ state: inout State) -> Bool {
        if state.isTaken || state.worker == nil || state.jobs.isEmpty { return false }
        state.isTaken = true
        return true
    }

    private func onQueue() { queue.async { self.work() } }

    private func onLoop() {
        let loop = state.withLock { state in state.last.map { state.loops[$0] } }
        // One that has stopped takes nothing.
        if loop?.post({ _ in self.workOnce() }) != true { onQueue() }
    }

    private func work() {
        while let (jobs, worker) = next() { worker.home.run { worker.value.run(jobs) } }
    }

    private func workOnce() {
        guard let (jobs, worker) = next() else { return }
        let isDone = worker.home.run {
            if worker.value.areDear(jobs) { return false }
            worker.value.run(jobs)
            return true
        }
        if !isDone {
            state.withLock { state in
                state.jobs.insert(contentsOf: jobs, at: 0)
                state.last = nil
            }
            onQueue()
        } else if !rests() {
            onLoop()
        }
    }

    /// All jobs that are there; nil where there are none, and then nobody has the turn.
    private func next() -> (jobs: [Worker.Job], worker: Confined<Worker, Turn>)? {
        state.withLock { state in
            guard let worker = state.worker, !state.jobs.isEmpty else {
                state.isTaken = false
                return nil
            }
            defer { state.jobs = [] }
            return (state.jobs, worker)
        }
    }

    /// Ends a turn, unless more has come.
    private func rests() -> Bool {
        state.withLock { state in
            if state.jobs.isEmpty { state.isTaken = false }
            return state.jobs.isEmpty
        }
    }
}
