import CaretConcurrency

/// Runs the jobs of a queue. Only one thread at a time calls it.
package protocol JobWorker: SendableMetatype {
    associatedtype Job: Sendable

    func run(_ jobs: [Job])
}

/// Jobs for a worker on one queue. Any thread may enqueue a job without waiting.
package final class Inbox<Worker: JobWorker>: Sendable {
    package let queue: any WorkQueue
    private let jobs = CoalescingQueue<Worker.Job, Confined<Worker, Turn>>()

    package init(_ queue: any WorkQueue) { self.queue = queue }

    /// Sets the worker for all jobs, including those that wait already.
    package func start(_ worker: sending Worker) { jobs.start(Confined(worker, to: Turn())) { wake() } }

    package func enqueue(_ job: Worker.Job) { jobs.enqueue(job) { wake() } }

    package func enqueue(_ jobs: [Worker.Job]) { self.jobs.enqueue(jobs) { wake() } }

    private func wake() { queue.enqueue { self.drain() } }

    private func drain() {
        while let (jobs, worker) = self.jobs.next() { worker.home.run { worker.value.run(jobs) } }
    }

    /// Releases the worker after the current drain, and calls `completion`. Later jobs are dropped.
    package func close(then completion: @escaping @Sendable () -> Void) {
        queue.enqueue {
            self.jobs.close()
            completion()
        }
    }
}
