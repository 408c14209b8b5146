import CaretConcurrency
@preconcurrency import Dispatch

/// Jobs for one dispatch queue. Anybody may enqueue, and never waits.
package final class Inbox<Job: Sendable>: Sendable {
    package typealias Work = @Sendable ([Job]) -> Void

    let queue: DispatchQueue
    private let jobs = CoalescingQueue<Job, Work>()

    package init(_ label: String) { queue = DispatchQueue(label: label) }

    /// Has all jobs done by `work` on the queue, also those that came before.
    package func start(_ work: @escaping Work) { jobs.start(work) { wake() } }

    package func enqueue(_ job: Job) { jobs.enqueue(job) { wake() } }

    package func enqueue(_ jobs: [Job]) { self.jobs.enqueue(jobs) { wake() } }

    private func wake() { queue.async { self.drain() } }

    private func drain() { while let (jobs, work) = self.jobs.next() { work(jobs) } }

    /// Lets go of `work` after the drain that runs. Later jobs are dropped.
    package func close() async {
        await withCheckedContinuation { done in
            queue.async {
                self.jobs.close()
                done.resume()
            }
        }
    }
}
