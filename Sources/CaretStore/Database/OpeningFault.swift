/// Why a data folder was not opened. Its data was not changed, except by migrations that succeeded before.
package enum OpeningFault: Error, Equatable, Sendable {
    /// The file is not a database, or is a database of another program.
    case notCaretDatabase
    /// The file is a database of Caret, but its header is damaged.
    case damagedHeader
    /// The database is missing or empty, although the commit counter has this number of commits. The number
    /// is nil if the counter is unreadable, or if it is empty and there is a log.
    case missingDatabase(commits: Int64?)
    /// `caret move` has moved the documents to another store, with its note.
    case moved(String)
    /// A move has begun and has not ended, with its note.
    case moving(String)
    /// The log beside the database belongs to another file: somebody replaced one of them. If they replaced
    /// the database, they must move the log away first.
    case logOfOtherDatabase
    /// An earlier version of Caret wrote the file, and no server of this version has opened it yet.
    case schemaTooOld(found: Int64, known: Int64)
    /// A later version of Caret wrote the file.
    case schemaTooNew(found: Int64, known: Int64)
    /// An applied migration differs from the one of this build.
    case migrationChanged(migration: Int64)
    /// A migration failed, and was rolled back completely.
    case migrationFailed(Int64, DatabaseFault)
    /// The permissions of the file or of its file system do not allow writing.
    case readOnly
    /// Another server has locked the folder.
    case folderLocked
    /// A call to the file system failed, with this `errno`.
    case system(Int32)
    case database(DatabaseFault)
}
