public import Synchronization

/// Jobs that wait for one drain at a time. Any thread may enqueue, and never waits.
///
/// The owner chooses where jobs run: `wake` starts a drain on a dispatch queue, a loop or a thread. A drain
/// runs all waiting jobs, and checks for more before it ends. So one wake-up serves many jobs, and these laws
/// hold:
/// - An accepted job is seen by a running drain, or by the drain that its `enqueue` woke.
/// - `wake` is called only while no drain runs or is about to run, so two never run at once.
/// - Jobs run in the order in which they were enqueued. Jobs that were put back come first again.
///
/// `wake` is called without the lock, on the thread that enqueues. It must cause one drain, now or later.
public final class CoalescingQueue<Job: Sendable, Worker: Sendable>: Sendable {
    @usableFromInline enum Phase {
        /// There is no worker yet, and jobs wait for one.
        case unstarted
        /// No drain runs, and no job waits.
        case resting
        /// A drain runs, or was woken and will run.
        case draining
        /// No more jobs are accepted.
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

    /// Sets the worker for all jobs, including those that wait already. Call it once.
    @inlinable public func start(_ worker: Worker, wake: () -> Void) {
        let mustWake = state.withLock { state in
            guard case .unstarted = state.phase else { preconditionFailure("a queue is started twice") }
            (state.phase, state.worker) = (.resting, worker)
            return state.mustWake()
        }
        if mustWake { wake() }
    }

    /// Adds a job after all others. Returns false, and drops the job, if the queue is closed.
    @inlinable @discardableResult
    public func enqueue(_ job: Job, wake: () -> Void) -> Bool { enqueue(wake) { $0.append(job) } }

    /// Adds jobs after all others, without other jobs between them. Returns false, and drops them, if the
    /// queue is closed.
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

    /// All waiting jobs and their worker. Nil if no job waits: the drain has ended, and must not continue.
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

    /// Puts jobs back before all others, for a drain on another executor. That drain takes over from this
    /// one.
    @inlinable public func putBack(_ jobs: [Job]) {
        state.withLock { state in
            if case .closed = state.phase { return }
            state.jobs.insert(contentsOf: jobs, at: 0)
        }
    }

    /// Whether the drain has ended. If not, more jobs have come, and another drain must follow.
    @inlinable public func rest() -> Bool {
        state.withLock { state in
            if case .closed = state.phase { return true }
            if state.jobs.isEmpty { state.phase = .resting }
            return state.jobs.isEmpty
        }
    }

    /// All waiting jobs. For a drain that also runs without being woken. It continues until the queue is
    /// idle.
    @inlinable public func takeAll() -> [Job] {
        state.withLock { state in
            if case .resting = state.phase { state.phase = .draining }
            defer { state.jobs = [] }
            return state.jobs
        }
    }

    /// Stops accepting jobs, and releases the worker. Returns the jobs that were still waiting.
    @inlinable @discardableResult public func close() -> [Job] {
        // Released without the lock, because it may own a lot.
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
