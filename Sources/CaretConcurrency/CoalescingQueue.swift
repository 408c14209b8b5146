public import Synchronization

/// Jobs that wait for one drain at a time. Anybody may enqueue, from any thread, and never waits.
///
/// The owner chooses the executor: whatever `wake` does starts a drain on a dispatch queue, a loop or a thread.
/// A drain does everything that waits, and looks again before it rests. So one wake-up serves many jobs, and these laws
/// hold:
/// - A job that was accepted is seen by a running drain, or by one that its `enqueue` woke.
/// - `wake` is called only while no drain runs and none was woken, so two never run at once.
/// - Jobs are taken in the order in which they were enqueued. Those put back come first again.
///
/// `wake` is called outside of the lock, on the thread that enqueues. It must cause one drain, now or later.
public final class CoalescingQueue<Job: Sendable, Worker: Sendable>: Sendable {
    @usableFromInline enum Phase {
        /// There is no worker yet: jobs wait for it.
        case unstarted
        /// Nobody drains, and nothing waits.
        case resting
        /// A drain runs, or was woken and will run.
        case draining
        /// Nothing is accepted any more.
        case closed
    }

    @usableFromInline struct State {
        @usableFromInline var jobs: [Job] = []
        @usableFromInline var phase = Phase.unstarted
        @usableFromInline var worker: Worker?

        @inlinable init() {}

        /// Whether the caller must wake a drain.
        @inlinable mutating func mustWake() -> Bool {
            guard case .resting = phase, !jobs.isEmpty else { return false }
            phase = .draining
            return true
        }
    }

    @usableFromInline let state: Mutex<State> = Mutex(State())

    @inlinable public init() {}

    /// Has a worker do the jobs from now on, also those that came before. To be called once.
    @inlinable public func start(_ worker: Worker, wake: () -> Void) {
        let mustWake = state.withLock { state in
            guard case .unstarted = state.phase else { preconditionFailure("a queue is started twice") }
            (state.phase, state.worker) = (.resting, worker)
            return state.mustWake()
        }
        if mustWake { wake() }
    }

    /// Adds a job behind all others. False where the queue is closed; the job is dropped then.
    @inlinable @discardableResult
    public func enqueue(_ job: Job, wake: () -> Void) -> Bool { enqueue(wake) { $0.append(job) } }

    /// Adds jobs behind all others, and lets none come between them. False where the queue is closed; they are dropped then.
    @inlinable @discardableResult
    public func enqueue(_ jobs: [Job], wake: () -> Void) -> Bool { enqueue(wake) { $0 += jobs } }

    @inlinable func enqueue(_ wake: () -> Void, _ add: (inout [Job]) -> Void) -> Bool {
        let (isAccepted, mustWake) = state.withLock { state in
            if case .closed = state.phase { return (false, false) }
            add(&state.jobs)
            return (true, state.mustWake())
        }
        if mustWake { wake() }
        return isAccepted
    }

    // MARK: For the drain

    /// Everything that waits, and who does it. Nil where nothing waits: the drain is over then, and must not go on.
    @inlinable public func next() -> (jobs: [Job], worker: Worker)? {
        state.withLock { state in
            if case .closed = state.phase { return nil }
            guard case .draining = state.phase, let worker = state.worker else {
                preconditionFailure("a drain runs that nobody woke")
            }
            if state.jobs.isEmpty {
                state.phase = .resting
                return nil
            }
            defer { state.jobs = [] }
            return (state.jobs, worker)
        }
    }

    /// Puts jobs back in front of all others, for a drain on another executor. This drain's turn passes to that one.
    @inlinable public func putBack(_ jobs: [Job]) {
        state.withLock { state in
            if case .closed = state.phase { return }
            state.jobs.insert(contentsOf: jobs, at: 0)
        }
    }

    /// Whether the drain is over. Where it is not, more has come, and another drain must follow.
    @inlinable public func rest() -> Bool {
        state.withLock { state in
            if case .closed = state.phase { return true }
            if state.jobs.isEmpty { state.phase = .resting }
            return state.jobs.isEmpty
        }
    }

    /// Everything that waits. For a drain that also runs when nobody woke it: it goes on until it rests.
    @inlinable public func takeAll() -> [Job] {
        state.withLock { state in
            if case .resting = state.phase { state.phase = .draining }
            defer { state.jobs = [] }
            return state.jobs
        }
    }

    /// Accepts nothing from now on, and lets go of the worker. Returns what was still waiting.
    @inlinable @discardableResult public func close() -> [Job] {
        // Let go of outside of the lock: it may hold much.
        let left = state.withLock { state in
            defer {
                state = State()
                state.phase = .closed
            }
            return state
        }
        return left.jobs
    }
}
