import CaretConcurrency
import Synchronization

/// What does the jobs of a `LoopFirstQueue`.
package protocol LoopFirstWorker: JobWorker {
    /// Whether jobs may take too long for a loop, which has connections to serve.
    func areExpensive(_ jobs: [Job]) -> Bool
}

/// Jobs that the loop that brings them does itself, unless somebody is at work: then no other thread has to be woken.
///
/// A loop does what waits when it comes. What comes meanwhile it leaves for its next turn, and serves its connections
/// first. Expensive jobs, and jobs that no loop brings, are done by a queue, which goes on until nothing waits.
package final class LoopFirstQueue<Worker: LoopFirstWorker>: Sendable {
    package let queue: any WorkQueue
    private let jobs = CoalescingQueue<Worker.Job, Confined<Worker, Turn>>()
    private let loops = Mutex<[any ConnectionLoop]>([])
    /// The index of the loop that brought jobs last; negative where those were expensive, and before any came.
    private let lastLoop = Atomic(-1)

    package init(_ queue: any WorkQueue) { self.queue = queue }

    /// Has all jobs done by a worker, also those that came before.
    package func start(_ worker: sending Worker, on loops: [any ConnectionLoop]) {
        self.loops.withLock { $0 = loops }
        jobs.start(Confined(worker, to: Turn())) { wakeQueue() }
    }

    /// Has a job done by the queue, unless somebody is at work.
    package func enqueue(_ job: Worker.Job) { jobs.enqueue(job) { wakeQueue() } }

    /// Has a job done that is always expensive: no loop is woken only to find that out.
    package func enqueueExpensive(_ job: Worker.Job) {
        forgetLastLoop()
        jobs.enqueue(job) { wakeQueue() }
    }

    /// Has a job done by the loop that brought jobs last: most likely its connections wait for the outcome. After
    /// expensive jobs the outcome is expensive too, and the queue does it.
    package func enqueueOnLastLoop(_ job: Worker.Job) { jobs.enqueue(job) { wakeLastLoop() } }

    /// Does jobs at once, unless somebody is at work. To be called on the loop with this index.
    package func bring(_ jobs: [Worker.Job], fromLoop index: Int) {
        lastLoop.store(index, ordering: .relaxed)
        self.jobs.enqueue(jobs) { drainOnce() }
    }

    /// Lets go of the worker after the drain that runs, and calls back. Later jobs are dropped. The loops must have
    /// stopped.
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
        // A loop that has stopped accepts nothing.
        if loop?.send({ _ in self.drainOnce() }) != true { wakeQueue() }
    }

    private func forgetLastLoop() { lastLoop.store(-1, ordering: .relaxed) }

    private func drain() {
        while let (jobs, worker) = self.jobs.next() { worker.home.run { worker.value.run(jobs) } }
    }

    /// On a loop. What comes meanwhile is for the loop's next turn.
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
