public import Synchronization

/// A queue of jobs. A drain is a loop that runs the waiting jobs, and only one drain runs at a time. Any
/// thread may enqueue a job without waiting.
///
/// The owner chooses where jobs run: `wake` starts a drain on a dispatch queue, a loop or a thread. A drain
/// runs all waiting jobs, and checks for more before it ends. So one wake-up serves many jobs. These rules
/// always hold:
/// - Each accepted job is run by the running drain, or by a drain that the job's `enqueue` wakes.
/// - `wake` is called only while no drain runs or is about to run. So two drains never run at once.
/// - Jobs run in the order in which they were enqueued. A job that was put back keeps its place before later
///   jobs.
///
/// `enqueue` calls `wake` on its own thread, without holding the lock. `wake` must start one drain, now or
/// later.
public final class CoalescingQueue<Job: Sendable, Worker: Sendable>: Sendable {
    @usableFromInline enum Phase {
        /// The worker is not set yet. Jobs wait until it is set.
        case unstarted
        /// No drain runs, and no job waits.
        case idle
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

        /// Returns true if the caller must wake a drain.
        @inlinable mutating func mustWake() -> Bool {
            guard case .idle = phase, !jobs.isEmpty else { return false }
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
            (state.phase, state.worker) = (.idle, worker)
            return state.mustWake()
        }
        if mustWake { wake() }
    }

    /// Adds a job after all others. Returns false, and drops the job, if the queue is closed.
    @inlinable @discardableResult
    public func enqueue(_ job: Job, wake: () -> Void) -> Bool { enqueue(wake) { $0.append(job) } }

    /// Adds jobs after all others, without other jobs between them. Returns false, and drops these jobs, if
    /// the queue is closed.
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

    /// Returns all waiting jobs and the worker. Nil means that no job waits and that the drain has ended.
    @inlinable public func next() -> (jobs: [Job], worker: Worker)? {
        state.withLock { state in
            if case .closed = state.phase { return nil }
            guard case .draining = state.phase, let worker = state.worker else {
                preconditionFailure("a drain runs, but the queue has not started it")
            }
            if state.jobs.isEmpty {
                state.phase = .idle
                return nil
            }
            defer { state.jobs = [] }
            return (state.jobs, worker)
        }
    }

    /// Puts jobs back before all others. The caller must then start another drain, on another executor.
    @inlinable public func putBack(_ jobs: [Job]) {
        state.withLock { state in
            if case .closed = state.phase { return }
            state.jobs.insert(contentsOf: jobs, at: 0)
        }
    }

    /// Ends the drain if no job waits. Returns false if jobs wait: then the caller must start another drain.
    @inlinable public func endIfEmpty() -> Bool {
        state.withLock { state in
            if case .closed = state.phase { return true }
            if state.jobs.isEmpty { state.phase = .idle }
            return state.jobs.isEmpty
        }
    }

    /// Returns all waiting jobs. If no drain runs, the caller thereby begins one without `wake`. The drain
    /// lasts until `endIfEmpty` returns true.
    @inlinable public func takeAll() -> [Job] {
        state.withLock { state in
            if case .idle = state.phase { state.phase = .draining }
            defer { state.jobs = [] }
            return state.jobs
        }
    }

    /// Stops accepting jobs, and releases the worker. Returns the jobs that were still waiting.
    @inlinable @discardableResult public func close() -> [Job] {
        // The worker is released outside the lock, because its release may take long.
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
