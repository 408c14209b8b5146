import CSQLite
import Glibc
import Synchronization

/// The folder of a store: its database file, and the lock that keeps other servers out.
///
/// An instance holds the lock until it is unlocked or released. The system releases the lock when the process
/// ends.
package final class DataFolder: Sendable {
    let path: String
    /// Nil after `unlock`.
    private let lock: Mutex<Int32?>
    /// Whether the disk had no space for the index of the write-ahead log. If so, every connection opened
    /// from then on keeps the index in memory.
    private let usesIndexInMemory = Atomic(false)

    /// Locks an existing folder.
    package init(_ path: String) throws(OpeningFault) {
        self.path = path
        let file = open(path + "/caret.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if file < 0 { throw .system(errno) }
        if flock(file, LOCK_EX | LOCK_NB) != 0 {
            let reason = errno
            close(file)
            throw reason == EWOULDBLOCK ? .folderLocked : .system(reason)
        }
        lock = Mutex(file)
    }

    deinit { unlock() }

    var databasePath: String { path + "/caret.sqlite" }

    /// Releases the lock. Every connection to the database must be closed before this call.
    package func unlock() {
        lock.withLock { file in
            guard let held = file.take() else { return }
            // A child process that was just started may still share the file and its lock. So unlock the file
            // before closing it.
            flock(held, LOCK_UN)
            close(held)
        }
    }

    var hasIndexInMemory: Bool { usesIndexInMemory.load(ordering: .relaxed) }

    /// Runs `body`. If the disk is full, runs `body` again with the log's index in memory. Reading then needs
    /// no space on the disk.
    private func retryWithIndexInMemory<Answer, Fault: Error>(
        _ body: () throws(Fault) -> Answer, isFull: (Fault) -> Bool
    ) throws(Fault) -> Answer {
        do throws(Fault) {
            return try body()
        } catch {
            if hasIndexInMemory || !isFull(error) { throw error }
            usesIndexInMemory.store(true, ordering: .relaxed)
            return try body()
        }
    }

    /// Opens the only connection that writes. Applies the missing migrations. SQLite will sync every commit.
    package func openForWriting(
        migrations: [Migration] = Migration.all, onEvent: (StoreEvent) -> Void = { _ in }
    ) throws(OpeningFault) -> Database {
        // Read the header before SQLite opens the file. If this process closed the file later, that would
        // release SQLite's locks.
        if try FileHeader(of: databasePath) == nil { try createDatabase() }
        try restrictFiles()
        return try retryWithIndexInMemory { () throws(OpeningFault) in
            try openedForWriting(migrations, onEvent)
        } isFull: {
            if case .database(let fault) = $0 { fault.kind == .full } else { false }
        }
    }

    /// Lets only the owner read the files. A restored backup, or a file of an older version of Caret, may be
    /// readable by others. Refuses a read-only database now, rather than at the first push.
    private func restrictFiles() throws(OpeningFault) {
        for file in [databasePath, databasePath + "-wal", databasePath + "-shm"] {
            // A missing file leaves `found` empty. Only the log and its index can be missing.
            var found = stat()
            stat(file, &found)
            if file == databasePath, found.st_mode & S_IWUSR == 0 { throw .readOnly }
            // Ignore a failure here. If the file is unusable, a later step refuses it.
            if found.st_mode & 0o077 != 0 { try? restrictToOwner(file) }
        }
    }

    private func openedForWriting(
        _ migrations: [Migration], _ onEvent: (StoreEvent) -> Void
    ) throws(OpeningFault) -> Database {
        let migrator = Migrator(migrations: migrations)
        let hasLog = try hasContent(databasePath + "-wal")
        let database = try opened(for: .write)
        if database.isReadOnly { throw .readOnly }
        // If the database is refused, leave the database and its log unchanged.
        database.keepLog(hasLog)
        try migrator.refuseUnknown(in: database)
        database.keepLog(false)
        do throws(DatabaseFault) {
            // With these settings a commit is on disk when it returns, and readers never wait for it. After a
            // long read, a log that has grown is truncated again. SQLite writes nothing outside this folder.
            // It writes to the log only at a commit. If one transaction wrote a page to the log twice, that
            // page would have a wrong checksum for a while.
            let mode = try database.first("PRAGMA journal_mode = WAL") { $0.text(0) }
            if mode?.utf8.elementsEqual("wal".utf8) != true {
                throw DatabaseFault(
                    code: SQLITE_ERROR, message: "the file system does not support a write-ahead log")
            }
            try database.execute(
                """
                PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216; PRAGMA cache_spill = OFF;
                PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON; PRAGMA cache_size = -8192;
                """)
        } catch {
            throw .database(error)
        }
        try migrator.migrate(database, onEvent: onEvent)
        return database
    }

    /// Refuses a folder whose database is missing, or whose log belongs to another database. Opening it would
    /// replace the data by an empty store, or mix two databases.
    func refuseForeignLog(_ counter: CommitCounter.Reading) throws(OpeningFault) {
        let hasLog = try hasContent(databasePath + "-wal")
        guard let header = try FileHeader(of: databasePath) else {
            if let fault = DataFolder.moveFault(in: path) { throw fault }
            switch counter {
            case .none: if hasLog { throw .missingDatabase(commits: nil) }
            case .unreadable: throw .missingDatabase(commits: nil)
            case .progress(let progress):
                if progress.commits > 0 || hasLog { throw .missingDatabase(commits: progress.commits) }
            }
            return
        }
        if !hasLog { return }
        // The file is a backup, which never has a log, or it is older than this log.
        if !header.hasLog { throw .logOfOtherDatabase }
        if case .progress(let progress) = counter, header.checkpoints < progress.checkpoints {
            throw .logOfOtherDatabase
        }
        // Suppose the file has fewer commits with its log than without it. Then the log is older than the
        // file, or was damaged after it was copied into the file.
        if let alone = commits(.readWithoutLog), let whole = commits(.read), whole < alone {
            throw .logOfOtherDatabase
        }
    }

    /// The number of commits in the file, read with or without its log; nil if it cannot be read.
    private func commits(_ access: Database.Access) -> Int64? {
        // Ignore a failure here. A file without its log may be inconsistent, because the log may be copied
        // only partly. Later reads of the file with its log report damage.
        let row = try? retryWithIndexInMemory { () throws(DatabaseFault) in
            try StoreRow.read(
                Database(path: databasePath, for: access, sharesIndex: !hasIndexInMemory))
        } isFull: {
            $0.kind == .full
        }
        return row?.progress.commits
    }

    private func hasContent(_ path: String) throws(OpeningFault) -> Bool {
        var found = stat()
        if stat(path, &found) == 0 { return found.st_size > 0 }
        if errno == ENOENT { return false }
        throw .system(errno)
    }

    /// Creates an empty database under a temporary name, and renames it when it is complete and synced. So
    /// after an interruption the next start never finds an incomplete database.
    private func createDatabase() throws(OpeningFault) {
        _ = try createNewDatabase()
        try publishNewDatabase()
    }

    var newDatabasePath: String { databasePath + ".new" }

    /// Creates an empty database under its temporary name.
    func createNewDatabase() throws(OpeningFault) -> Database {
        unlink(newDatabasePath)
        do throws(DatabaseFault) {
            let database = try Database.create(at: newDatabasePath)
            try database.execute("PRAGMA auto_vacuum = INCREMENTAL")
            try Migrator.begin(database)
            return database
        } catch {
            throw .database(error)
        }
    }

    /// Syncs the new database, and gives it its name. No connection may write to it before this call returns.
    func publishNewDatabase() throws(OpeningFault) {
        do throws(FileFault) {
            try syncFile(newDatabasePath)
            if rename(newDatabasePath, databasePath) != 0 { throw FileFault(code: errno) }
            try syncFile(path)
        } catch {
            throw .system(error.code)
        }
    }

    /// Syncs the database and its name. No connection may write to it meanwhile.
    func syncDatabase() throws(OpeningFault) {
        do throws(FileFault) {
            try syncFile(databasePath)
            try syncFile(path)
        } catch {
            throw .system(error.code)
        }
    }

    /// Opens a connection that reads committed data. `openForWriting` must have created the file before.
    package func openForReading() throws(OpeningFault) -> Database { try opened(for: .read) }

    /// Opens a connection to a folder that no server has open. Creates no log if there is none.
    func openForChecking() throws(OpeningFault) -> Database {
        for log in ["-wal", "-journal"] where try hasContent(databasePath + log) {
            return try opened(for: .read)
        }
        return try opened(for: .readWithoutLog)
    }

    private func opened(for access: Database.Access) throws(OpeningFault) -> Database {
        do throws(DatabaseFault) {
            return try Database(path: databasePath, for: access, sharesIndex: !hasIndexInMemory)
        } catch {
            throw .database(error)
        }
    }
}
