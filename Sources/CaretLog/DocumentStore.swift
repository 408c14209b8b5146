package import CaretCore

/// Documents with their histories: durable, and linearizable for each document.
///
/// Every call returns at once, and calls its completion exactly once: in any order, on any thread, but never
/// on the caller's stack. Arguments and results are values. A completion that reports a commit comes after
/// the sync that made it durable.
package protocol DocumentStore: Sendable {
    /// Appends to many documents in one transaction. The outcomes are in the order of the appends.
    func append(_ appends: [Append], then completion: @escaping @Sendable ([AppendOutcome]) -> Void)

    /// Appends the changes that `rebase` returns for the changes after `expected`, while holding the store's
    /// lock. This is for a writer that lost the race for the head twice in a row.
    ///
    /// `rebase` must be pure. The changes that it received are the answer's `missed`.
    func appendLocked(
        _ append: Append, rebase: @escaping @Sendable (_ missed: [LoggedChange]) -> [PushedChange],
        then completion: @escaping @Sendable (_ missed: [LoggedChange], AppendOutcome) -> Void)

    /// Creates a document, unless the name is taken.
    func create(_ name: DocumentName, at time: Int64, then completion: @escaping @Sendable (Creation) -> Void)

    func find(
        _ name: DocumentName,
        then completion: @escaping @Sendable (Result<DocumentEntry, StoreRefusal>) -> Void)

    /// The entries of these documents, in the given order.
    func entries(
        of documents: [DocumentID],
        then completion: @escaping @Sendable ([Result<DocumentEntry, StoreRefusal>]) -> Void)

    /// The documents whose names begin with `prefix` and come after `after`, in the byte order of names.
    func list(
        prefix: ByteString, after: ByteString?, limit: Int,
        then completion: @escaping @Sendable (Result<Listing, StoreRefusal>) -> Void)

    /// The deleted documents that can still be brought back, after `after`, in the order of creation.
    func deleted(
        prefix: ByteString, after: DocumentID?, limit: Int,
        then completion: @escaping @Sendable (Result<Listing, StoreRefusal>) -> Void)

    /// Renames a document. Its identity, epoch, history and pushers stay.
    func rename(
        _ document: DocumentID, to name: DocumentName, then completion: @escaping @Sendable (Renaming) -> Void
    )

    /// Deletes a document. It is kept for a while and can be brought back. Its name is free at once.
    func delete(
        _ document: DocumentID, at time: Int64,
        then completion: @escaping @Sendable (Result<Void, StoreRefusal>) -> Void)

    /// Brings a deleted document back under its name, unchanged.
    func undelete(_ document: DocumentID, then completion: @escaping @Sendable (Undeletion) -> Void)

    /// The revisions after `revision`, in order, and the head. Their changes weigh at most `limit` together,
    /// but there is at least one if there is one.
    func read(
        _ document: DocumentID, after revision: Revision, limit: Int,
        then completion: @escaping @Sendable (Result<Reading, HistoryRefusal>) -> Void)

    /// The text at a revision that is kept, or at the head if `revision` is nil.
    func text(
        of document: DocumentID, at revision: Revision?,
        then completion: @escaping @Sendable (Result<Snapshot, HistoryRefusal>) -> Void)

    /// What is remembered of a pusher in a document, and the head at the time of reading.
    func pusher(
        _ pusher: Pusher, in document: DocumentID,
        then completion: @escaping @Sendable (Result<PusherAnswer, StoreRefusal>) -> Void)

    /// Stores a text, so that reading it later does not begin at an older one.
    func putSnapshot(
        _ snapshot: Snapshot, of document: DocumentID,
        then completion: @escaping @Sendable (Result<Void, HistoryRefusal>) -> Void)

    /// Reports that a client knows this revision, which is beyond the head: an older state of the store was
    /// put back to work. Renews the epochs of all documents and returns true. Returns false if the document's
    /// epoch was made or renewed since the store was opened, because then it is right.
    func renewEpochs(
        known: Revision, of document: DocumentID,
        then completion: @escaping @Sendable (Result<Bool, StoreRefusal>) -> Void)

    /// Deletes the revisions through this one. Its text stays readable.
    func trim(
        _ document: DocumentID, through revision: Revision,
        then completion: @escaping @Sendable (Trimming) -> Void)
}
