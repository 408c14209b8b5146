package import CaretLog

/// A store that reports each write to a `WriteClock`: the begin before the store gets the write, and the end
/// before the caller gets the answer.
///
/// All calls of rooms and of the hub go through it, so nobody can learn of a write before its end is reported.
package struct WatchedStore: DocumentStore {
    private let store: any DocumentStore
    private let writes: WriteClock

    package init(_ store: any DocumentStore, _ writes: WriteClock) {
        self.store = store
        self.writes = writes
    }

    package func run(_ call: StoreCall, then answer: @escaping @Sendable (StoreAnswer) -> Void) {
        guard let scope = call.writeScope else { return store.run(call, then: answer) }
        writes.begin(scope)
        store.run(call) { [writes] in
            writes.end(scope)
            answer($0)
        }
    }
}

extension StoreCall {
    /// What the call may change about the text that a name leads to; nil if it changes nothing.
    fileprivate var writeScope: WriteClock.Scope? {
        switch self {
        case .append(let append), .appendLocked(let append, _): .document(append.document)
        case .redact(let document, let redaction): redaction.isDryRun ? nil : .document(document)
        case .rename, .delete, .undelete, .trim, .renewEpochs: .everything
        // A new document gets a name that no other document has.
        case .create: nil
        case .notes(.accept(_, _, let append)): .document(append.document)
        case .open, .pusher, .load, .text, .read, .blame, .find, .list, .deleted, .entries, .tags, .notes,
            .tokens:
            nil
        }
    }
}
