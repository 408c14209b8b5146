import CaretLog
import Synchronization

/// The calls that wait for the next transaction, and the one thread that makes transactions of them.
final class WriteQueue: Sendable {
    private let writer: Resident<GroupCommit>
    private let waiting = Mutex<[WriteJob]>([])
    private let teller: Teller

    init(_ group: sending GroupCommit, _ teller: Teller) {
        writer = Resident(group)
        self.teller = teller
    }

    /// Puts calls into the next transaction, all into the same one.
    func add(_ jobs: [WriteJob]) {
        let isFirst = waiting.withLock { waiting in
            defer { waiting += jobs }
            return waiting.isEmpty
        }
        if !isFirst || jobs.isEmpty { return }
        writer.async { [self] group in
            let jobs = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            group.run(jobs)
        }
    }

    /// Closes a document to appends, since it was found damaged.
    func close(damaged document: DocumentID) { writer.async { $0.close(damaged: document) } }

    /// Lets the writer see that the files are not in their place.
    func lookAtFiles() { writer.async { _ = $0.lookAtFiles() } }

    /// Does one call and answers with what came of it.
    func done<Answer: Sendable>(
        _ body: @escaping @Sendable (inout HistoryWriter) throws(StoreFault) -> Answer
    ) async -> Result<Answer, HistoryRefusal> {
        await done([body])[0]
    }

    /// Does calls in one transaction, and answers with what came of each, in their order.
    func done<Answer: Sendable>(
        _ bodies: [@Sendable (inout HistoryWriter) throws(StoreFault) -> Answer]
    ) async -> [Result<Answer, HistoryRefusal>] {
        if bodies.isEmpty { return [] }
        return await withCheckedContinuation { done in
            let answers = Gathered<Result<Answer, HistoryRefusal>>(bodies.count) {
                done.resume(returning: $0)
            }
            add(
                bodies.enumerated().map { index, body in
                    WriteJob { writer throws(StoreFault) in
                        let answer = try body(&writer)
                        return { answers.set(index, .success(answer)) }
                    } refuse: {
                        answers.set(index, .failure($0.historyRefusal))
                    }
                })
        }
    }

    /// Ends all calls that were made, and closes the connection, which must be the last one.
    func close(then completion: @escaping @Sendable () -> Void) {
        writer.async { $0.finish() }
        // After what the writer has left to be told.
        writer.close { [teller] in teller.finish(then: completion) }
    }
}
