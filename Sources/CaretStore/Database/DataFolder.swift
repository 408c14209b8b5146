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
    /// The disk had no space for the index of the log. From then on each connection has it in memory, until
    /// the folder is unlocked.
    private let withoutIndex = Atomic(false)

    /// Locks an existing folder.
    package init(_ path: String) throws(OpeningFault) {
        self.path = path
        let file = open(path + "/caret.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if file < 0 { throw .system(errno) }
        if flock(file, LOCK_EX | LOCK_NB) != 0 {
            let reason = errno
            close(file)
            throw reason == EWOULDBLOCK ? .held : .system(reason)
        }
        lock = Mutex(file)
    }

    deinit { unlock() }

    var databasePath: String { path + "/caret.sqlite" }

    /// Releases the lock. Every connection to the database must be closed before.
    package func unlock() {
        lock.withLock { file in
            guard let held = file.take() else { return }
            // A process that was started just now may share the file for a moment, and with it the lock.
            flock(held, LOCK_UN)
            close(held)
        }
    }

    var isWithoutIndex: Bool { withoutIndex.load(ordering: .relaxed) }

    /// If the disk is full, tries again with the index of the log in memory: then everything can be read.
    private func withIndexOrWithout<Answer, Fault: Error>(
        _ body: () throws(Fault) -> Answer, isFull: (Fault) -> Bool
    ) throws(Fault) -> Answer {
        do throws(Fault) {
            return try body()
        } catch {
            if isWithoutIndex || !isFull(error) { throw error }
            withoutIndex.store(true, ordering: .relaxed)
            return try body()
        }
    }

    /// Opens the only connection that writes. It brings the schema to that of this build, and syncs every
    /// commit.
    package func openForWriting(
        migrations: [Migration] = Migration.all, tell: (StoreEvent) -> Void = { _ in }
    ) throws(OpeningFault) -> Database {
        // Read the header before SQLite opens the file: closing it afterwards would release SQLite's own
        // locks.
        if try FileHeader(of: databasePath) == nil { try make() }
        try restrictFiles()
        return try withIndexOrWithout { () throws(OpeningFault) in
            try openedForWriting(migrations, tell)
        } isFull: {
            if case .database(let fault) = $0 { fault.kind == .full } else { false }
        }
    }

    /// Lets only the owner read the files: a restored backup or a file of an older version of Caret may be
    /// readable for others. Refuses at once a database that its owner may not write, and not at the first
    /// push.
    private func restrictFiles() throws(OpeningFault) {
        for file in [databasePath, databasePath + "-wal", databasePath + "-shm"] {
            var found = stat()
            guard stat(file, &found) == 0 else { continue }
            if file == databasePath, found.st_mode & S_IWUSR == 0 { throw .readOnly }
            // If the file belongs to another user and is unusable, a later step refuses it.
            if found.st_mode & 0o077 != 0 { try? restrictToOwner(file) }
        }
    }

    private func openedForWriting(
        _ migrations: [Migration], _ tell: (StoreEvent) -> Void
    ) throws(OpeningFault) -> Database {
        let migrator = Migrator(migrations: migrations)
        let hasLog = try hasContent(databasePath + "-wal")
        let database = try opened(for: .write)
        if database.isReadOnly { throw .readOnly }
        // A refused database is left unchanged, and so is a log beside it.
        database.keepLog(hasLog)
        try migrator.refuseUnknown(in: database)
        database.keepLog(false)
        do throws(DatabaseFault) {
            // A commit is on disk when it returns, and readers never wait for it. A log that grew because of
            // a long reader is truncated again. SQLite writes nothing outside this folder, and nothing to the
            // log before a commit: a page that is in the log twice for one transaction would have a wrong sum
            // for a while.
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
        try migrator.migrate(database, tell: tell)
        return database
    }

    /// Refuses a folder whose database is missing, or whose log belongs to another database. To continue
    /// would replace the data by an empty store, or mix two databases.
    func refuseMixture(_ counter: CommitCounter.Reading) throws(OpeningFault) {
        let hasLog = try hasContent(databasePath + "-wal")
        guard let header = try FileHeader(of: databasePath) else {
            switch counter {
            case .none: if hasLog { throw .lost(commits: nil) }
            case .unreadable: throw .lost(commits: nil)
            case .progress(let progress):
                if progress.commits > 0 || hasLog { throw .lost(commits: progress.commits) }
            }
            return
        }
        if !hasLog { return }
        // A backup, which never has a log; or an older file, from before the start of this log.
        if !header.hasLog { throw .otherLog }
        if case .progress(let progress) = counter, header.checkpoints < progress.checkpoints {
            throw .otherLog
        }
        // The log is older than the file, or was damaged after it was copied into the file.
        if let alone = commits(.readAlone), let whole = commits(.read), whole < alone { throw .otherLog }
    }

    /// The number of commits, by the file alone or with its log; nil if it cannot be read.
    private func commits(_ access: Database.Access) -> Int64? {
        // Without its log a file may be in any state, until the whole log is copied into it. Damage in the
        // file with its log is found by the calls that read it.
        let row = try? withIndexOrWithout { () throws(DatabaseFault) in
            try StoreRow.read(
                Database(path: databasePath, for: access, sharesIndex: !isWithoutIndex))
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

    /// Creates an empty database under a temporary name, and renames it when it is complete and synced. If
    /// this is interrupted, the next start finds no file that it could mistake for a database.
    private func make() throws(OpeningFault) {
        let new = databasePath + ".new"
        unlink(new)
        try fill(new)
        do throws(FileFault) {
            try syncFile(new)
            if rename(new, databasePath) != 0 { throw FileFault(code: errno) }
            try syncFile(path)
        } catch {
            throw .system(error.code)
        }
    }

    private func fill(_ new: String) throws(OpeningFault) {
        do throws(DatabaseFault) {
            let database = try Database(path: new, for: .write)
            // Set the mode while the file is empty. SQLite gives the same mode to the log and its index.
            do throws(FileFault) { try restrictToOwner(new) } catch {
                throw DatabaseFault(code: SQLITE_IOERR, message: String(cString: strerror(error.code)))
            }
            try database.execute("PRAGMA journal_mode = OFF")
            try database.reserveSums()
            try database.execute("PRAGMA auto_vacuum = INCREMENTAL")
            try Migrator.begin(database)
        } catch {
            throw .database(error)
        }
    }

    /// Opens a connection that reads committed data. `openForWriting` must have created the file before.
    package func openForReading() throws(OpeningFault) -> Database { try opened(for: .read) }

    /// Opens a connection to a folder that no server has open. If there is no log, it creates none.
    func openForChecking() throws(OpeningFault) -> Database {
        for log in ["-wal", "-journal"] where try hasContent(databasePath + log) {
            return try opened(for: .read)
        }
        return try opened(for: .readAlone)
    }

    private func opened(for access: Database.Access) throws(OpeningFault) -> Database {
        do throws(DatabaseFault) {
            return try Database(path: databasePath, for: access, sharesIndex: !isWithoutIndex)
        } catch {
            throw .database(error)
        }
    }
}
