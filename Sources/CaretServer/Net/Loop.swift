import CaretConcurrency
@preconcurrency import Dispatch

/// A serial queue with sockets that belong to it for their whole life.
///
/// Works in turns: events of the system, then posted jobs, then deadlines, and then one write for each
/// connection that has output. It runs until it is stopped. All that time its queue is busy with one block,
/// so other code must post jobs to it.
package final class Loop: Sendable {
    package let number: LoopNumber
    private let mailbox: Mailbox
    private let runner: Confined<LoopRunner, DispatchQueue>

    package init(_ number: LoopNumber, _ settings: LoopSettings = LoopSettings()) throws(SystemFault) {
        let queue = DispatchQueue(label: "caret.loop.\(number.rawValue)")
        self.number = number
        mailbox = try Mailbox()
        let sockets = try Sockets(number, mailbox, settings)
        runner = Confined(LoopRunner(sockets, mailbox), to: queue)
        let runner = runner
        queue.async {
            // The block must have ended before what it owns is freed.
            queue.async(execute: runner.value.run())
        }
    }

    /// Runs the job in one of the next turns, in the order of posting. Returns false, and drops the job, if
    /// the loop has stopped.
    @discardableResult
    package func post(_ job: @escaping @Sendable (Sockets) -> Void) -> Bool { mailbox.enqueue(job) }

    /// Runs a job and returns its result; nil if the loop has stopped.
    package func asked<Answer: Sendable>(
        _ job: @escaping @Sendable (Sockets) -> Answer
    ) async -> Answer? {
        await withCheckedContinuation { done in
            if !post({ done.resume(returning: job($0)) }) { done.resume(returning: nil) }
        }
    }

    /// Runs the jobs posted so far, closes all sockets, and stops. Call it once.
    package func stopped() async {
        let runner = runner
        await withCheckedContinuation { done in
            let isFirst = post { _ in runner.value.stop { done.resume() } }
            precondition(isFirst, "a loop is stopped twice")
        }
    }
}
