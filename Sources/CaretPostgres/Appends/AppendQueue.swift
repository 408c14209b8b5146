import CaretConcurrency
import CaretLog
@preconcurrency import Dispatch

/// The appends that wait for the next group, and the thread that commits them. The appends that arrive during a
/// commit share the next one.
final class AppendQueue: Sendable {
    private enum Request: Sendable {
        case append(AppendJob)
        /// Close the connection, and end the thread.
        case end(then: @Sendable () -> Void)
    }

    private typealias Requests = CoalescingQueue<Request, Confined<AppendWriter, Turn>>

    private let requests: Requests
    private let thread: WorkerThread

    init(_ writer: sending AppendWriter) {
        let requests = Requests()
        let thread = WorkerThread { AppendQueue.drain(requests) }
        (self.requests, self.thread) = (requests, thread)
        var writer = writer
        writer.tryLater = { jobs in
            // The store is not closed before they have their outcomes.
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(LockPatience.pause)) {
                requests.enqueue(jobs.map { .append($0) }) { thread.wake() }
            }
        }
        requests.start(Confined(writer, to: Turn())) {}
    }

    func add(_ jobs: [AppendJob]) { requests.enqueue(jobs.map { .append($0) }) { thread.wake() } }

    /// Completes all earlier appends, and closes the connection.
    func close() async {
        await withCheckedContinuation { done in
            requests.enqueue(.end { done.resume() }) { thread.wake() }
        }
    }

    // MARK: On the writer's thread

    private static func drain(_ requests: Requests) -> WorkerThread.Next {
        while let (batch, writer) = requests.next() {
            let end = writer.home.run { writer.update { perform(batch, &$0) } }
            if let end {
                requests.close()
                end()
                return .end
            }
        }
        return .sleep
    }

    /// Returns the completion of `.end`, if the batch has one. No append follows it.
    private static func perform(_ batch: [Request], _ writer: inout AppendWriter) -> (@Sendable () -> Void)? {
        var (jobs, end): ([AppendJob], (@Sendable () -> Void)?) = ([], nil)
        for request in batch {
            switch request {
            case .append(let job): jobs.append(job)
            case .end(let completion): end = completion
            }
        }
        writer.run(jobs)
        if end != nil { writer.close() }
        return end
    }
}
