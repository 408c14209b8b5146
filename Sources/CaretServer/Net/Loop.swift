import CaretConcurrency
@preconcurrency import Dispatch

/// An event loop: a serial queue with sockets. Each socket stays on one loop.
///
/// The loop runs in turns. Each turn handles events of the system, posted jobs and passed deadlines. Then it
/// writes once for each connection with output. One block occupies the loop's queue until the loop stops. So
/// other code must post jobs to the loop, and not to the queue.
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
            // `run` lasts until the loop stops, and returns the final actions. The final actions run in a
            // second block, after this block has released its objects.
            queue.async(execute: runner.value.run())
        }
    }

    /// Runs the job in this turn or a later one, in the order of posting. Returns false, and drops the job,
    /// if the loop has stopped.
    @discardableResult
    package func post(_ job: @escaping @Sendable (Sockets) -> Void) -> Bool { mailbox.enqueue(job) }

    /// Runs a job and returns its result; nil if the loop has stopped.
    package func result<Answer: Sendable>(
        _ job: @escaping @Sendable (Sockets) -> Answer
    ) async -> Answer? {
        await withCheckedContinuation { done in
            if !post({ done.resume(returning: job($0)) }) { done.resume(returning: nil) }
        }
    }

    /// Stops the loop: runs the jobs posted so far and closes all sockets. Call it once.
    package func stop() async {
        let runner = runner
        await withCheckedContinuation { done in
            let isFirst = post { _ in runner.value.stop { done.resume() } }
            precondition(isFirst, "a loop is stopped twice")
        }
    }
}
