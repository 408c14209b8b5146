package import CaretCore

/// Stores documents with their histories. Calls are durable, and linearizable for each document.
///
/// Every method returns at once, and calls its completion exactly once. Completions come in any order and on
/// any thread, but never on the caller's stack. Arguments and results are values. A completion reports a
/// commit only after the sync that made the commit durable.
package protocol DocumentStore: Sendable {
    /// Appends to many documents in one transaction. The outcomes are in the order of the appends. The store
    /// locks the documents of a group in the order of their ids.
    ///
    /// `unknown` may be the outcome of a commit that is still under way. The store decides that commit before
    /// it answers a later call of the same caller about the same document.
    func append(_ appends: [Append], then completion: @escaping @Sendable ([AppendOutcome]) -> Void)

    /// Takes the store's lock, passes the changes after `append.expected` to `rebase`, and appends the
    /// changes that `rebase` returns. This method is for a writer whose appends had a conflict twice in a
    /// row.
    ///
    /// `rebase` must be pure. The `missed` changes are the changes after `append.expected`. `rebase` and
    /// `completion` both receive them.
    func appendLocked(
        _ append: Append, rebase: @escaping @Sendable (_ missed: [LoggedChange]) -> [PushedChange],
        then completion: @escaping @Sendable (_ missed: [LoggedChange], AppendOutcome) -> Void)

    /// Creates a document, unless the name is taken. The document is empty at revision 0, or has its first
    /// revision. It and its first revision are one commit.
    func create(
        _ name: DocumentName, _ first: FirstRevision?, at time: Int64,
        then completion: @escaping @Sendable (CreateResult) -> Void)

    func find(
        _ name: DocumentName,
        then completion: @escaping @Sendable (Result<DocumentEntry, StoreRefusal>) -> Void)

    /// The entries of these documents, in the given order. Each head is at least the newest one that any caller
    /// was told before this call.
    func entries(
        of documents: [DocumentID],
        then completion: @escaping @Sendable ([Result<DocumentEntry, StoreRefusal>]) -> Void)

    /// The documents whose names begin with `prefix` and come after `after`, in the byte order of names.
    func list(
        prefix: ByteString, after: ByteString?, limit: Int,
        then completion: @escaping @Sendable (Result<Listing, StoreRefusal>) -> Void)

    /// The deleted documents that can still be undeleted, after `after`, in the order of creation.
    func deleted(
        prefix: ByteString, after: DocumentID?, limit: Int,
        then completion: @escaping @Sendable (Result<Listing, StoreRefusal>) -> Void)

    /// Renames a document. The document's id, epoch, history and pushers stay the same.
    func rename(
        _ document: DocumentID, to name: DocumentName,
        then completion: @escaping @Sendable (RenameResult) -> Void
    )

    /// Deletes a document. The document can be undeleted for some time. The name of the deleted document is
    /// free at once.
    func delete(
        _ document: DocumentID, at time: Int64,
        then completion: @escaping @Sendable (Result<Void, StoreRefusal>) -> Void)

    /// Restores a deleted document, unchanged and under its old name.
    func undelete(_ document: DocumentID, then completion: @escaping @Sendable (UndeleteResult) -> Void)

    /// The revisions after `revision`, in order, and the head. The sum of their changes' `weight` is at most
    /// `limit`. But if there are any revisions, at least one is returned.
    func read(
        _ document: DocumentID, after revision: Revision, limit: Int,
        then completion: @escaping @Sendable (Result<HistorySlice, HistoryRefusal>) -> Void)

    /// The text at a revision that is kept, or at the head if `revision` is nil.
    func text(
        of document: DocumentID, at revision: Revision?,
        then completion: @escaping @Sendable (Result<Snapshot, HistoryRefusal>) -> Void)

    /// The entry of a pusher in a document, if the store still has one, and the head at the time of reading.
    /// The head is at least the newest one that any caller was told before this call.
    func pusher(
        _ pusher: Pusher, in document: DocumentID,
        then completion: @escaping @Sendable (Result<PusherAnswer, StoreRefusal>) -> Void)

    /// Stores a text at a revision, so that later reads need not start at an older snapshot.
    func putSnapshot(
        _ snapshot: Snapshot, of document: DocumentID,
        then completion: @escaping @Sendable (Result<Void, HistoryRefusal>) -> Void)

    /// Reports that a client knows the revision `known`, which is beyond the head. This shows that the
    /// database was replaced by an older copy. Renews the epochs of all documents and returns true. Returns
    /// false if the store's epochs were created or renewed after the store was opened, because then the
    /// database cannot be an older copy.
    func renewEpochs(
        known: Revision, of document: DocumentID,
        then completion: @escaping @Sendable (Result<Bool, StoreRefusal>) -> Void)

    /// Removes a passage from every revision of a document's history. Each revision keeps its number, author,
    /// time and offsets, and the pushers stay known. The document gets a new epoch. All of this happens or
    /// nothing. If no revision contains the passage, nothing changes.
    func redact(
        _ document: DocumentID, _ redaction: Redaction,
        then completion: @escaping @Sendable (RedactResult) -> Void)

    /// Deletes all revisions up to and including `revision`. The text at `revision` stays readable.
    func trim(
        _ document: DocumentID, through revision: Revision,
        then completion: @escaping @Sendable (TrimResult) -> Void)
}
