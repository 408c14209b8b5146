import CaretConcurrency
@preconcurrency import Dispatch

/// Jobs for one dispatch queue. Anybody may enqueue, and never waits.
final class Inbox<Job: Sendable>: Sendable {
    typealias Work = @Sendable ([Job]) -> Void

    let queue: DispatchQueue
    private let jobs = CoalescingQueue<Job, Work>()

    init(_ label: String) { queue = DispatchQueue(label: label) }

    /// Has all jobs done by `work` on the queue, also those that came before.
    func start(_ work: @escaping Work) { jobs.start(work) { wake() } }

    func enqueue(_ job: Job) { jobs.enqueue(job) { wake() } }

    func enqueue(_ jobs: [Job]) { self.jobs.enqueue(jobs) { wake() } }

    private func wake() { queue.async { self.drain() } }

    private func drain() { while let (jobs, work) = self.jobs.next() { work(jobs) } }

    /// Lets go of `work` after the drain that runs. Later jobs are dropped.
    func close() async {
        await withCheckedContinuation { done in
            queue.async {
                self.jobs.close()
                done.resume()
            }
        }
    }
}
