package import CaretCore
package import CaretLog
import Dispatch
import Synchronization

/// A store in memory, for tests of code that uses a store.
///
/// All state is in the model. Completions run one at a time on a queue of their own.
package final class MemoryStore: DocumentStore, TokenStore, TagStore {
    private let model: Mutex<StoreModel>
    private let queue = DispatchQueue(label: "caret.memory-store")

    package init() { model = Mutex(StoreModel(generation: 1)) }

    /// Changes the store's state, such as filling the disk or damaging a document.
    package func arrange(_ body: @Sendable (inout StoreModel) -> Void) { model.withLock { body(&$0) } }

    private func answer<Answer: Sendable>(
        _ completion: @escaping @Sendable (Answer) -> Void,
        _ body: @escaping @Sendable (inout StoreModel) -> Answer
    ) {
        queue.async { completion(self.model.withLock { body(&$0) }) }
    }

    package func append(_ appends: [Append], then completion: @escaping @Sendable ([AppendOutcome]) -> Void) {
        answer(completion) { $0.append(appends) }
    }

    package func appendLocked(
        _ append: Append, rebase: @escaping @Sendable ([LoggedChange]) -> [PushedChange],
        then completion: @escaping @Sendable ([LoggedChange], AppendOutcome) -> Void
    ) {
        // The caller's `rebase` runs while the lock is held, as it runs inside a transaction of the real
        // store. So no other append can come between the changes that `rebase` reads and the changes that it
        // makes. `rebase` must not call the store.
        answer({ completion($0.missed, $0.outcome) }, { $0.appendLocked(append, rebase: rebase) })
    }

    package func addTag(
        _ tag: Tag, to document: DocumentID, limit: Int,
        then completion: @escaping @Sendable (TagResult) -> Void
    ) {
        answer(completion) { $0.addTag(tag, to: document, limit: limit) }
    }

    package func removeTag(
        _ name: TagName, from document: DocumentID,
        then completion: @escaping @Sendable (Result<Bool, StoreRefusal>) -> Void
    ) {
        answer(completion) { $0.removeTag(name, from: document) }
    }

    package func tags(
        of document: DocumentID, then completion: @escaping @Sendable (Result<[Tag], StoreRefusal>) -> Void
    ) {
        answer(completion) { $0.tags(of: document) }
    }

    package func create(
        _ name: DocumentName, _ first: FirstRevision?, at time: Int64,
        then completion: @escaping @Sendable (CreateResult) -> Void
    ) {
        answer(completion) { $0.create(name, first, at: time) }
    }

    package func find(
        _ name: DocumentName,
        then completion: @escaping @Sendable (Result<DocumentEntry, StoreRefusal>) -> Void
    ) {
        answer(completion) { $0.find(name) }
    }

    package func entries(
        of documents: [DocumentID],
        then completion: @escaping @Sendable ([Result<DocumentEntry, StoreRefusal>]) -> Void
    ) {
        answer(completion) { model in documents.map { model.entry(of: $0) } }
    }

    package func list(
        prefix: ByteString, after: ByteString?, limit: Int,
        then completion: @escaping @Sendable (Result<Listing, StoreRefusal>) -> Void
    ) {
        answer(completion) { .success($0.list(prefix: prefix, after: after, limit: limit)) }
    }

    package func deleted(
        prefix: ByteString, after: DocumentID?, limit: Int,
        then completion: @escaping @Sendable (Result<Listing, StoreRefusal>) -> Void
    ) {
        answer(completion) { .success($0.deleted(prefix: prefix, after: after, limit: limit)) }
    }

    package func rename(
        _ document: DocumentID, to name: DocumentName,
        then completion: @escaping @Sendable (RenameResult) -> Void
    ) {
        answer(completion) { $0.rename(document, to: name) }
    }

    package func delete(
        _ document: DocumentID, at time: Int64,
        then completion: @escaping @Sendable (Result<Void, StoreRefusal>) -> Void
    ) {
        answer(completion) { $0.delete(document, at: time) }
    }

    package func undelete(
        _ document: DocumentID, then completion: @escaping @Sendable (UndeleteResult) -> Void
    ) {
        answer(completion) { $0.undelete(document) }
    }

    package func read(
        _ document: DocumentID, after revision: Revision, limit: Int,
        then completion: @escaping @Sendable (Result<HistorySlice, HistoryRefusal>) -> Void
    ) {
        answer(completion) { $0.read(document, after: revision, limit: limit) }
    }

    package func text(
        of document: DocumentID, at revision: Revision?,
        then completion: @escaping @Sendable (Result<Snapshot, HistoryRefusal>) -> Void
    ) {
        answer(completion) { $0.text(of: document, at: revision) }
    }

    package func pusher(
        _ pusher: Pusher, in document: DocumentID,
        then completion: @escaping @Sendable (Result<PusherAnswer, StoreRefusal>) -> Void
    ) {
        answer(completion) { $0.pusher(pusher, in: document) }
    }

    package func putSnapshot(
        _ snapshot: Snapshot, of document: DocumentID,
        then completion: @escaping @Sendable (Result<Void, HistoryRefusal>) -> Void
    ) {
        answer(completion) { $0.putSnapshot(snapshot, of: document) }
    }

    package func renewEpochs(
        known: Revision, of document: DocumentID,
        then completion: @escaping @Sendable (Result<Bool, StoreRefusal>) -> Void
    ) {
        answer(completion) { $0.renewEpochs() }
    }

    package func redact(
        _ document: DocumentID, _ redaction: Redaction,
        then completion: @escaping @Sendable (RedactResult) -> Void
    ) {
        answer(completion) { $0.redact(document, redaction) }
    }

    package func trim(
        _ document: DocumentID, through revision: Revision,
        then completion: @escaping @Sendable (TrimResult) -> Void
    ) {
        answer(completion) { $0.trim(document, through: revision) }
    }

    package func addToken(
        of user: UserName, _ grants: Grants, expires: Int64?, at time: Int64,
        then completion: @escaping @Sendable (Result<TokenText, StoreRefusal>) -> Void
    ) {
        answer(completion) { $0.addToken(of: user, grants, expires: expires, at: time) }
    }

    package func token(
        shown text: ByteString, then completion: @escaping @Sendable (Result<Token, StoreRefusal>) -> Void
    ) {
        answer(completion) { $0.token(shown: text) }
    }

    package func tokens(
        after: TokenID?, limit: Int, weighing weight: Int,
        then completion: @escaping @Sendable (Result<TokenListing, StoreRefusal>) -> Void
    ) {
        answer(completion) { .success($0.tokens(after: after, limit: limit, weighing: weight)) }
    }

    package func revokeToken(
        _ token: TokenID, then completion: @escaping @Sendable (Result<Void, StoreRefusal>) -> Void
    ) {
        answer(completion) { $0.revokeToken(token) }
    }

    package func live(
        _ tokens: [TokenID], then completion: @escaping @Sendable (Result<[TokenID], StoreRefusal>) -> Void
    ) {
        answer(completion) { .success($0.live(tokens)) }
    }

    package func noteEnds(
        of tokens: [TokenID], then completion: @escaping @Sendable (Result<Void, StoreRefusal>) -> Void
    ) {
        answer(completion) { $0.noteEnds(of: tokens) }
    }

    package func noteUses(
        _ uses: [TokenUse], then completion: @escaping @Sendable (Result<Void, StoreRefusal>) -> Void
    ) {
        answer(completion) { $0.noteUses(uses) }
    }
}
