import CaretConcurrency
@preconcurrency import Dispatch

/// One serial queue with the sockets that belong to it for life.
///
/// It takes its work in turns: what the system tells, what others posted, what is due, and then one write for each
/// connection that was handed something. It lives until it is stopped; all that while its queue runs one block, so
/// whatever is to be done there is posted.
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
            // Only once this block is gone is everything given back that it held.
            queue.async(execute: runner.value.run())
        }
    }

    /// Has the job done in the loop's next turn, in the order of posting; false where the loop has stopped, and then
    /// it is not done.
    @discardableResult
    package func post(_ job: @escaping @Sendable (Sockets) -> Void) -> Bool { mailbox.enqueue(job) }

    /// What a job answers with; nil where the loop has stopped.
    package func asked<Answer: Sendable>(
        _ job: @escaping @Sendable (Sockets) -> Answer
    ) async -> Answer? {
        await withCheckedContinuation { done in
            if !post({ done.resume(returning: job($0)) }) { done.resume(returning: nil) }
        }
    }

    /// Does what was posted before, closes all of its sockets, and comes to rest. To be done once.
    package func stopped() async {
        let runner = runner
        await withCheckedContinuation { done in
            let isFirst = post { _ in runner.value.stop { done.resume() } }
            precondition(isFirst, "a loop is stopped twice")
        }
    }
}
