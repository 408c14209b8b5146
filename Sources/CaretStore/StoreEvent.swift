package import CaretCore
package import CaretLog

/// What happens inside a store, for the log of whoever runs it and for tests that strike at a certain moment.
package enum StoreEvent: Equatable, Sendable {
    /// All epochs were renewed.
    case renewed(Renewal)
    /// A migration is about to be applied, inside its transaction.
    case migrating(Int64)
    /// So many calls are about to be done in one transaction.
    case writing(Int)
    /// So many calls are about to be committed; nobody was told anything.
    case committing(Int)
    /// They are on disk, and nobody was told yet.
    case committed
    /// The log is about to be brought into the database.
    case checkpointing
    case checkpointed
    /// A snapshot is about to be committed.
    case snapshotting(DocumentID, Revision)
    /// So many segments are about to be committed as one.
    case merging(DocumentID, segments: Int)
    /// They are one, in the transaction.
    case merged(DocumentID)
    /// A document's history begins later now.
    case trimmed(DocumentID, start: Revision)
    /// A deleted document is gone for good.
    case purged(DocumentID)
    case forgot(DocumentID, pushers: Int)
    /// The disk is full; calls are refused until there is space.
    case full
    /// The disk is full: what was committed stays in the log, or is not counted beside it, which is as safe. Calls are
    /// taken as long as the log has space.
    case checkpointFull
    /// A document is damaged; it is closed, and the others live. Nil where it is not known which.
    case damaged(DocumentID?)
    /// The disk failed; nothing more is written, and the process should end.
    case failed(DatabaseFault)
    /// The database at this path, or its log, was removed or replaced; nothing more is written. What was committed can
    /// still be read here, and nowhere else.
    case lost(path: String)
}

/// Why all epochs were renewed: the database is not the one that this folder had before.
package enum Renewal: Equatable, Sendable {
    /// It is a backup that was made at this time.
    case backup(at: Int64)
    /// It has fewer commits than the counter beside it knows of.
    case behind(commits: Int64, known: Int64)
    /// The counter beside it counts for another generation.
    case otherGeneration
    /// There is no counter beside it, or an unreadable one.
    case noCounter
    /// A client knows this revision of a document, which is beyond its head.
    case putBack(DocumentID, known: Revision)
}
