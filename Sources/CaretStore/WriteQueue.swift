import CaretConcurrency
import CaretLog
import Synchronization

/// A request to the writer's thread.
private enum WriterRequest: Sendable {
    /// A call for the next transaction.
    case write(WriteJob)
    /// Close a document to appends, because it was found damaged.
    case close(damaged: DocumentID)
    /// Check whether the files still have their names.
    case checkFiles
    /// Copy the whole write-ahead log into the database.
    case finish
    /// Work outside a transaction.
    case perform(@Sendable (inout GroupCommit) -> Void)
    /// Close the connection, and end the thread.
    case end(then: @Sendable () -> Void)
}

/// The calls that wait for the next transaction, and the thread that commits them.
final class WriteQueue: Sendable {
    private typealias Requests = CoalescingQueue<WriterRequest, Confined<GroupCommit?, Turn>>

    private let requests: Requests
    private let thread: WorkerThread
    private let completions: CompletionQueue
    private let isClosed = Atomic(false)

    init(_ group: sending GroupCommit, _ completions: CompletionQueue) {
        let requests = Requests()
        self.requests = requests
        thread = WorkerThread { WriteQueue.drain(requests) }
        self.completions = completions
        requests.start(Confined(group, to: Turn())) {}
    }

    // No other call can follow, so end the thread.
    deinit { if !isClosed.load(ordering: .relaxed) { enqueue(.end {}) } }

    private func enqueue(_ request: WriterRequest) { enqueue([request]) }

    private func enqueue(_ requests: [WriterRequest]) {
        precondition(!isClosed.load(ordering: .relaxed), "a call on a closed store")
        self.requests.enqueue(requests) { thread.wake() }
    }

    /// Adds a call to the next transaction.
    func add(_ job: WriteJob) { enqueue(.write(job)) }

    /// Adds calls to the next transaction. All of these calls share it.
    func add(_ jobs: [WriteJob]) { enqueue(jobs.map { .write($0) }) }

    func close(damaged document: DocumentID) { enqueue(.close(damaged: document)) }

    func checkFiles() { enqueue(.checkFiles) }

    /// Runs work on the writer's thread, outside a transaction, and returns its answer.
    func perform(_ body: @escaping @Sendable (inout GroupCommit) -> Bool) async -> Bool {
        await withCheckedContinuation { done in
            enqueue(.perform { group in done.resume(returning: body(&group)) })
        }
    }

    /// Runs one call, and returns its answer or refusal.
    func run<Answer: Sendable>(
        _ body: @escaping @Sendable (inout HistoryWriter) throws(StoreFault) -> Answer
    ) async -> Result<Answer, HistoryRefusal> {
        await run([body])[0]
    }

    /// Runs calls in one transaction, and returns the answer or refusal of each, in their order.
    func run<Answer: Sendable>(
        _ bodies: [@Sendable (inout HistoryWriter) throws(StoreFault) -> Answer]
    ) async -> [Result<Answer, HistoryRefusal>] {
        // The writer completes calls in their order.
        let (answers, done) = AsyncStream<Result<Answer, HistoryRefusal>>.makeStream()
        // In a task of its own, because a stream ends early in a cancelled task.
        let all = Task { await answers.prefix(bodies.count).reduce(into: []) { $0.append($1) } }
        add(
            bodies.map { body in
                WriteJob { writer throws(StoreFault) in
                    let answer = try body(&writer)
                    return { done.yield(.success(answer)) }
                } refuse: {
                    done.yield(.failure($0.historyRefusal))
                }
            })
        return await all.value
    }

    /// Completes all earlier calls, and closes the connection, which must be the last open one.
    func close(then completion: @escaping @Sendable () -> Void) {
        enqueue([
            .finish,
            // Call `completion` after all completions that the writer has passed to the queue.
            .end { [completions] in completions.finish(then: completion) },
        ])
        isClosed.store(true, ordering: .relaxed)
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

    /// Returns the completion of `.end`, if the batch has one.
    private static func perform(
        _ batch: [WriterRequest], _ slot: inout GroupCommit?
    ) -> (@Sendable () -> Void)? {
        guard var group = slot.take() else { preconditionFailure("the ended writer got a request") }
        // All writes of the batch share one transaction, which runs at the first write.
        var writes = batch.compactMap(\.job)
        for request in batch {
            switch request {
            case .write:
                if !writes.isEmpty { group.run(writes) }
                writes = []
            case .close(let document): group.close(damaged: document)
            case .checkFiles: _ = group.checkFiles()
            case .finish: group.finish()
            case .perform(let body): body(&group)
            // The connection is closed before the completion is called.
            case .end(let completion): return completion
            }
        }
        slot = group
        return nil
    }
}

extension WriterRequest {
    fileprivate var job: WriteJob? {
        switch self {
        case .write(let job): job
        case .close, .checkFiles, .finish, .perform, .end: nil
        }
    }
}
