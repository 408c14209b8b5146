import CaretConcurrency
import Synchronization

/// Runs the jobs of a `LoopFirstQueue`.
package protocol LoopFirstWorker: JobWorker {
    /// Whether the jobs may take so long that a loop, which must also serve its connections, must not run
    /// them.
    func areExpensive(_ jobs: [Job]) -> Bool

    /// The next job for a loop, and when the loop must add it. Nil if no job is planned. The queue checks this
    /// after each drain.
    var loopWake: (moment: Moment, job: Job)? { get }
}

/// A queue whose jobs are run by the loop that adds them, unless a drain runs already. So in most cases no
/// other thread has to wake up.
///
/// A loop runs only the jobs that wait when its drain begins. Jobs that are added during the drain wait for
/// the loop's next turn, so that it serves its connections first. The dispatch queue runs expensive jobs, and
/// jobs that no loop adds. Its drain continues until no job waits.
package final class LoopFirstQueue<Worker: LoopFirstWorker>: Sendable {
    package let queue: any WorkQueue
    private let jobs = CoalescingQueue<Worker.Job, Confined<Worker, Turn>>()
    private let loops = Mutex<[any ConnectionLoop]>([])
    /// The index of the loop that added jobs last. Negative if those jobs were expensive, or if no loop has
    /// added any.
    private let lastLoop = Atomic(-1)
    /// When a loop will add the worker's next job; nil if no loop was asked.
    private let wakeSet = Mutex<Moment?>(nil)

    package init(_ queue: any WorkQueue) { self.queue = queue }

    /// Sets the worker for all jobs, including those that wait already.
    package func start(_ worker: sending Worker, on loops: [any ConnectionLoop]) {
        self.loops.withLock { $0 = loops }
        jobs.start(Confined(worker, to: Turn())) { wakeQueue() }
    }

    /// Adds a job. If no drain runs, the dispatch queue runs it.
    package func enqueue(_ job: Worker.Job) { jobs.enqueue(job) { wakeQueue() } }

    /// Adds a job that is known to be expensive. If no drain runs, the dispatch queue runs it, and no
    /// loop checks it first.
    package func enqueueExpensive(_ job: Worker.Job) {
        forgetLastLoop()
        jobs.enqueue(job) { wakeQueue() }
    }

    /// Adds the result of an earlier job. If no drain runs, the loop that added jobs last runs it, because
    /// its connections probably wait for the result. After expensive jobs the dispatch queue runs it, because
    /// their result is expensive too.
    package func enqueueOnLastLoop(_ job: Worker.Job) { jobs.enqueue(job) { wakeLastLoop() } }

    /// Adds jobs. If no drain runs, the calling loop runs the jobs at once. `index` must be its index.
    package func enqueueOnCurrentLoop(_ jobs: [Worker.Job], index: Int) {
        lastLoop.store(index, ordering: .relaxed)
        self.jobs.enqueue(jobs) { drainOnce() }
    }

    /// Releases the worker after the current drain, and calls `completion`. Later jobs are dropped. The loops
    /// must have stopped.
    package func close(then completion: @escaping @Sendable () -> Void) {
        queue.enqueue {
            self.jobs.close()
            self.loops.withLock { $0 = [] }
            completion()
        }
    }

    // MARK: Drains

    private func wakeQueue() { queue.enqueue { self.drain() } }

    /// The loop that added jobs last; nil if those were expensive.
    private var loop: (any ConnectionLoop)? {
        let index = lastLoop.load(ordering: .relaxed)
        return loops.withLock { $0.indices.contains(index) ? $0[index] : nil }
    }

    private func wakeLastLoop() {
        // `send` returns false if the loop has stopped.
        if loop?.send({ _ in self.drainOnce() }) != true { wakeQueue() }
    }

    private func forgetLastLoop() { lastLoop.store(-1, ordering: .relaxed) }

    private func drain() {
        while let (jobs, worker) = self.jobs.next() {
            worker.home.run { worker.value.run(jobs) }
            setWake(for: worker)
        }
    }

    /// A drain on a loop. Jobs that are added during it wait for the loop's next turn.
    private func drainOnce() {
        guard let (jobs, worker) = self.jobs.next() else { return }
        let wasRun = worker.home.run {
            if worker.value.areExpensive(jobs) { return false }
            worker.value.run(jobs)
            return true
        }
        if wasRun {
            setWake(for: worker)
            if !self.jobs.endIfEmpty() { wakeLastLoop() }
        } else {
            self.jobs.putBack(jobs)
            forgetLastLoop()
            wakeQueue()
        }
    }

    // MARK: Jobs at a later time

    /// Asks the last loop to add the worker's next job, unless a loop adds one by then. The caller must be in
    /// a drain.
    private func setWake(for worker: Confined<Worker, Turn>) {
        guard let (moment, job) = worker.home.run({ worker.value.loopWake }) else { return }
        let isNew = wakeSet.withLock { set in
            if let set, set <= moment { return false }
            set = moment
            return true
        }
        if isNew { add(job, at: moment) }
    }

    private func add(_ job: Worker.Job, at moment: Moment) {
        let add: @Sendable (any LoopContext) -> Void = { [weak self] loop in
            guard let self else { return }
            wakeSet.withLock { if $0 == moment { $0 = nil } }
            enqueueOnCurrentLoop([job], index: loop.number.rawValue)
        }
        // If no loop can add the job later, the queue adds it now.
        if loop?.send({ $0.run(at: moment, add) }) != true {
            wakeSet.withLock { $0 = nil }
            enqueue(job)
        }
    }
}
