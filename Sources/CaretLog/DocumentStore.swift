package import CaretCore

/// Documents with their histories: durable, and linearizable for each document.
///
/// Every call returns at once and ends in one call of its completion, in any order and on any thread, but never on the
/// caller's stack. What it takes and gives are values. A completion that tells of something committed comes after the sync that made it durable.
package protocol DocumentStore: Sendable {
    /// Appends to many documents in one transaction, with an outcome for each append in its order.
    func append(_ appends: [Append], then completion: @escaping @Sendable ([AppendOutcome]) -> Void)

    /// Appends what `rebase` makes of the changes behind `expected`, under the store's lock: the path of a writer
    /// whom others were faster than twice in a row.
    ///
    /// `rebase` must be pure. The changes that it was given are the answer's `missed`.
    func appendLocked(
        _ append: Append, rebase: @escaping @Sendable (_ missed: [LoggedChange]) -> [PushedChange],
        then completion: @escaping @Sendable (_ missed: [LoggedChange], AppendOutcome) -> Void)

    /// Makes a document, unless there is one of this name.
    func create(_ name: DocumentName, at time: Int64, then completion: @escaping @Sendable (Creation) -> Void)

    func find(
        _ name: DocumentName,
        then completion: @escaping @Sendable (Result<DocumentEntry, StoreRefusal>) -> Void)

    /// The entries of these documents, in their order.
    func entries(
        of documents: [DocumentID],
        then completion: @escaping @Sendable ([Result<DocumentEntry, StoreRefusal>]) -> Void)

    /// The documents whose names begin with `prefix` and come after `after`, in the order of their names' bytes.
    func list(
        prefix: ByteString, after: ByteString?, limit: Int,
        then completion: @escaping @Sendable (Result<Listing, StoreRefusal>) -> Void)

    /// The documents that are deleted and may still be brought back, in the order of their making, after `after`.
    func deleted(
        prefix: ByteString, after: DocumentID?, limit: Int,
        then completion: @escaping @Sendable (Result<Listing, StoreRefusal>) -> Void)

    /// Gives a document another name; its identity, epoch, history and pushers stay.
    func rename(
        _ document: DocumentID, to name: DocumentName, then completion: @escaping @Sendable (Renaming) -> Void
    )

    /// Deletes a document. It is kept for a while, to be brought back; its name is free at once.
    func delete(
        _ document: DocumentID, at time: Int64,
        then completion: @escaping @Sendable (Result<Void, StoreRefusal>) -> Void)

    /// Brings a deleted document back under its name, as it was.
    func undelete(_ document: DocumentID, then completion: @escaping @Sendable (Undeletion) -> Void)

    /// The revisions after `revision`, in order, with as many changes as weigh no more than `limit` but at least one
    /// where there is one; and the head.
    func read(
        _ document: DocumentID, after revision: Revision, limit: Int,
        then completion: @escaping @Sendable (Result<Reading, HistoryRefusal>) -> Void)

    /// The text at a revision that is kept; nil asks for the head.
    func text(
        of document: DocumentID, at revision: Revision?,
        then completion: @escaping @Sendable (Result<Snapshot, HistoryRefusal>) -> Void)

    /// What is remembered of a pusher in a document, and the head at which it was looked up.
    func pusher(
        _ pusher: Pusher, in document: DocumentID,
        then completion: @escaping @Sendable (Result<PusherAnswer, StoreRefusal>) -> Void)

    /// Keeps a text, so that reading it does not begin at an older one.
    func putSnapshot(
        _ snapshot: Snapshot, of document: DocumentID,
        then completion: @escaping @Sendable (Result<Void, HistoryRefusal>) -> Void)

    /// A client knows this revision of a document, which is beyond its head: the store was put back to an older state.
    /// Renews the epochs of all documents, and answers true. Epochs that were made or renewed since the store was opened
    /// are as they should be: then it answers false.
    func renewEpochs(
        known: Revision, of document: DocumentID,
        then completion: @escaping @Sendable (Result<Bool, StoreRefusal>) -> Void)

    /// Forgets the revisions through this one; its text stays readable.
    func trim(
        _ document: DocumentID, through revision: Revision,
        then completion: @escaping @Sendable (Trimming) -> Void)
}
