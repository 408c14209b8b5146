import CaretLog
import Synchronization

/// The documents that wait for upkeep, each once, the first that became due first.
final class DueDocuments: Sendable {
    private struct Waiting {
        var order: [DocumentID] = []
        var known: Set<DocumentID> = []
    }

    private let waiting = Mutex(Waiting())
    /// One signal stands for however many documents.
    let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init() { (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func add(_ documents: Set<DocumentID>) {
        if documents.isEmpty { return }
        waiting.withLock { waiting in
            for document in documents.sorted() where waiting.known.insert(document).inserted {
                waiting.order.append(document)
            }
        }
        signal.yield()
    }

    /// All that wait; they may become due again from now on.
    func taken() -> [DocumentID] {
        waiting.withLock { waiting in
            defer { waiting = Waiting() }
            return waiting.order
        }
    }

    /// Ends the signals.
    func close() { signal.finish() }
}
