package import CaretLog
import Synchronization

/// A queue of documents that are due for upkeep, in the order in which they became due. No document is in the
/// queue twice.
package final class DueDocuments: Sendable {
    private struct Waiting {
        var order: [DocumentID] = []
        var known: Set<DocumentID> = []
    }

    private let waiting = Mutex(Waiting())
    /// One signal can announce any number of documents.
    package let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    package init() { (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    package func add(_ documents: Set<DocumentID>) {
        if documents.isEmpty { return }
        waiting.withLock { waiting in
            for document in documents.sorted() where waiting.known.insert(document).inserted {
                waiting.order.append(document)
            }
        }
        signal.yield()
    }

    /// Removes and returns all documents. They can become due again.
    package func takeAll() -> [DocumentID] {
        waiting.withLock { waiting in
            defer { waiting = Waiting() }
            return waiting.order
        }
    }
}
