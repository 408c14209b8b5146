package import CaretCore
import CaretFormat
package import CaretLog

/// An event inside a store. The server logs events, and tests use them to inject a fault at a certain moment.
package enum StoreEvent: Equatable, Sendable {
    /// The epochs of all documents were renewed.
    case renewed(Renewal)
    /// The index of names did not match the documents, and was made again.
    case namesRebuilt
    /// The clock of this machine is behind the newest change.
    case clockIsBehind(milliseconds: Int64)
    /// The store is about to apply a migration, inside its transaction.
    case migrating(Int64)
    /// The store begins a transaction with this number of calls.
    case writing(Int)
    /// The store is about to commit this number of calls. No caller was notified yet.
    case committing(Int)
    /// The calls are committed and on disk. No caller was notified yet.
    case committed
    /// The store is about to copy the write-ahead log into the database.
    case checkpointing
    case checkpointed
    /// The store is about to commit a snapshot.
    case snapshotting(DocumentID, Revision)
    /// The store is about to merge this number of segments into one.
    case merging(DocumentID, segments: Int)
    /// The segments are merged, but not committed yet.
    case merged(DocumentID)
    /// A document's history now begins after `start`.
    case trimmed(DocumentID, start: Revision)
    /// A passage was removed from a document's history. Unused parts of the files may still contain it.
    case redacted(DocumentID)
    /// The store is about to rewrite its files, so that no unused part contains removed text.
    case erasing
    /// The store is about to empty the write-ahead log, after it has rewritten the database.
    case emptyingLog
    /// No unused part of the files contains removed text any more.
    case erased
    /// A deleted document was removed for good.
    case purged(DocumentID)
    case pushersForgotten(DocumentID, pushers: Int)
    /// The disk is full. The store refuses calls until there is space.
    case diskFull
    /// The disk is full. Committed data stays in the write-ahead log, or the commit counter is not updated.
    /// In both cases, the data is safe. The store accepts calls as long as the log has space.
    case checkpointDiskFull
    /// A document is damaged. The store refuses appends to it; other documents stay available. Nil if the
    /// damaged document is not known.
    case damaged(DocumentID?)
    /// A row has something that no server writes.
    case damagedRow(String)
    /// The disk failed. The store writes nothing more, and the process should end.
    case diskFailed(DatabaseFault)
    /// The database at this path, or its log, was removed or replaced. The store writes nothing more. Only
    /// this process can still read the committed data.
    case filesLost(path: String)
}

extension StoreEvent {
    init(_ event: UpkeepEvent) {
        switch event {
        case .damaged(let document): self = .damaged(document)
        case .trimmed(let document, let start): self = .trimmed(document, start: start)
        case .redacted(let document): self = .redacted(document)
        case .purged(let document): self = .purged(document)
        case .pushersForgotten(let document, let pushers):
            self = .pushersForgotten(document, pushers: pushers)
        }
    }
}

/// Why all epochs were renewed: the folder had another database before.
package enum Renewal: Equatable, Sendable {
    /// The database is a backup that was made at this time.
    case backup(at: Int64)
    /// The database has fewer commits than the commit counter beside it.
    case behind(commits: Int64, known: Int64)
    /// The commit counter has another generation than the database.
    case otherGeneration
    /// The commit counter is missing or unreadable.
    case noCounter
    /// A client knows this revision of a document, but the document's head is lower.
    case clientIsAhead(DocumentID, known: Revision)
}
