/// Why a data folder was not opened. Nothing in it was changed, but for migrations that were applied before.
package enum OpeningFault: Error, Equatable, Sendable {
    /// The file is no database, or one of another program.
    case foreign
    /// The file is ours, and its header was damaged.
    case badHeader
    /// There is no database, or nothing in it, and the counter beside it knows of so many commits; nil where the
    /// counter is unreadable.
    case lost(commits: Int64?)
    /// The log beside the database was written for another file: one of them was put there. Where that is the
    /// database, the log must be moved away first.
    case otherLog
    /// The file was written by an earlier version of Caret, and was not opened by a server since.
    case older(found: Int64, known: Int64)
    /// The file was written by a later version of Caret.
    case newer(found: Int64, known: Int64)
    /// A migration that was applied is not the one that this build has.
    case changed(migration: Int64)
    /// A migration failed, and was rolled back whole.
    case migrating(Int64, DatabaseFault)
    /// The file may not be written, by its permissions or those of its file system.
    case readOnly
    /// Another server holds the folder.
    case held
    /// The file system refused, with its `errno`.
    case system(Int32)
    case database(DatabaseFault)
}
