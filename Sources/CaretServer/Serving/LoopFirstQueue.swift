import CaretConcurrency
import Synchronization

/// Runs the jobs of a `LoopFirstQueue`.
package protocol LoopFirstWorker: JobWorker {
    /// Whether jobs may take too long for a loop, which must serve its connections.
    func areExpensive(_ jobs: [Job]) -> Bool
}

/// Jobs that the loop which brings them runs itself, unless a drain runs already. So no other thread must be
/// woken.
///
/// A loop runs the jobs that wait when it comes. Jobs that come meanwhile wait for its next turn, so that it
/// serves its connections first. A queue runs expensive jobs, and jobs that no loop brings. It continues
/// until no job waits.
package final class LoopFirstQueue<Worker: LoopFirstWorker>: Sendable {
    package let queue: any WorkQueue
    private let jobs = CoalescingQueue<Worker.Job, Confined<Worker, Turn>>()
    private let loops = Mutex<[any ConnectionLoop]>([])
    /// The index of the loop that brought jobs last. Negative if those were expensive, or if no loop has
    /// brought any.
    private let lastLoop = Atomic(-1)

    package init(_ queue: any WorkQueue) { self.queue = queue }

    /// Sets the worker for all jobs, including those that wait already.
    package func start(_ worker: sending Worker, on loops: [any ConnectionLoop]) {
        self.loops.withLock { $0 = loops }
        jobs.start(Confined(worker, to: Turn())) { wakeQueue() }
    }

    /// Runs a job on the queue, unless a drain runs already.
    package func enqueue(_ job: Worker.Job) { jobs.enqueue(job) { wakeQueue() } }

    /// Runs a job that is always expensive. No loop is woken only to find that out.
    package func enqueueExpensive(_ job: Worker.Job) {
        forgetLastLoop()
        jobs.enqueue(job) { wakeQueue() }
    }

    /// Runs a job on the loop that brought jobs last, because its connections probably wait for the result.
    /// After expensive jobs the result is expensive too, and the queue runs it.
    package func enqueueOnLastLoop(_ job: Worker.Job) { jobs.enqueue(job) { wakeLastLoop() } }

    /// Runs jobs at once, unless a drain runs already. Call it on the loop with this index.
    package func bring(_ jobs: [Worker.Job], fromLoop index: Int) {
        lastLoop.store(index, ordering: .relaxed)
        self.jobs.enqueue(jobs) { drainOnce() }
    }

    /// Releases the worker after the current drain, and calls back. Later jobs are dropped. The loops must
    /// have stopped.
    package func close(then completion: @escaping @Sendable () -> Void) {
        queue.enqueue {
            self.jobs.close()
            self.loops.withLock { $0 = [] }
            completion()
        }
    }

    // MARK: Drains

    private func wakeQueue() { queue.enqueue { self.drain() } }

    private func wakeLastLoop() {
        let index = lastLoop.load(ordering: .relaxed)
        let loop = loops.withLock { $0.indices.contains(index) ? $0[index] : nil }
        // A stopped loop accepts nothing.
        if loop?.send({ _ in self.drainOnce() }) != true { wakeQueue() }
    }

    private func forgetLastLoop() { lastLoop.store(-1, ordering: .relaxed) }

    private func drain() {
        while let (jobs, worker) = self.jobs.next() { worker.home.run { worker.value.run(jobs) } }
    }

    /// On a loop. Jobs that come meanwhile wait for the loop's next turn.
    private func drainOnce() {
        guard let (jobs, worker) = self.jobs.next() else { return }
        let isDone = worker.home.run {
            if worker.value.areExpensive(jobs) { return false }
            worker.value.run(jobs)
            return true
        }
        if !isDone {
            self.jobs.putBack(jobs)
            forgetLastLoop()
            wakeQueue()
        } else if !self.jobs.rest() {
            wakeLastLoop()
        }
    }
}
