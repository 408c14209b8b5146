package import CaretLog
import Dispatch
import Synchronization

/// A store in memory, for tests of code that uses a store.
///
/// All state is in the model. Answers come one at a time on a queue of their own. A locked append rebases its changes while
/// the model is locked, as it does inside a transaction of a real store, so no other append can come in between.
package final class MemoryStore: SnapshotStore {
    private let model: Mutex<StoreModel>
    private let queue = DispatchQueue(label: "caret.memory-store")

    package init() { model = Mutex(StoreModel(generation: 1)) }

    /// Changes the store's state, such as filling the disk or damaging a document.
    package func arrange(_ body: @Sendable (inout StoreModel) -> Void) { model.withLock { body(&$0) } }

    package func run(_ call: StoreCall, then answer: @escaping @Sendable (StoreAnswer) -> Void) {
        queue.async { answer(self.model.withLock { $0.answer(call) }) }
    }

    package func putSnapshot(
        _ snapshot: Snapshot, of document: DocumentID
    ) async -> Result<Void, HistoryRefusal> {
        model.withLock { $0.putSnapshot(snapshot, of: document) }
    }
}
