import CSQLite
import Glibc
import Synchronization

/// The folder of a store: its database file, and the lock that keeps other servers out.
///
/// Whoever holds it holds the lock, until it is let go; the system does that when the process ends.
package final class DataFolder: Sendable {
    let path: String
    /// Nil once it is let go.
    private let lock: Mutex<Int32?>
    /// The disk had no space for the index of the log: each connection has it in memory, until the folder is let go.
    private let withoutIndex = Atomic(false)

    /// Takes the lock of a folder that exists.
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

    /// Lets the folder go: every connection to its database must have been closed before.
    package func unlock() {
        lock.withLock { file in
            guard let held = file.take() else { return }
            // A process that was begun just now may hold the file for a moment too, and with it the lock.
            flock(held, LOCK_UN)
            close(held)
        }
    }

    var isWithoutIndex: Bool { withoutIndex.load(ordering: .relaxed) }

    /// Tries once more without an index of the log on the disk, where that is full: then all can be read.
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

    /// The one connection that writes: the schema is that of this build, and a commit is on disk when it returns.
    package func openForWriting(
        migrations: [Migration] = Migration.all, tell: (StoreEvent) -> Void = { _ in }
    ) throws(OpeningFault) -> Database {
        // Before SQLite has the file open: to open and close it then would take SQLite's own locks away.
        if try FileHeader(of: databasePath) == nil { try make() }
        try restrictFiles()
        return try withIndexOrWithout { () throws(OpeningFault) in
            try openedForWriting(migrations, tell)
        } isFull: {
            if case .database(let fault) = $0 { fault.kind == .full } else { false }
        }
    }

    /// Nobody but the owner of the folder reads what is in it: a backup that was put back, or a file of an older version
    /// of Caret, may be open to others. A file that its owner may not write is refused at once, and not at the first push.
    private func restrictFiles() throws(OpeningFault) {
        for file in [databasePath, databasePath + "-wal", databasePath + "-shm"] {
            var found = stat()
            guard stat(file, &found) == 0 else { continue }
            if file == databasePath, found.st_mode & S_IWUSR == 0 { throw .readOnly }
            // Somebody else's file is refused by what comes next, if it cannot be used.
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
        // What is refused is left as it is, with a log that was left beside it or without one.
        database.keepLog(hasLog)
        try migrator.refuseUnknown(in: database)
        database.keepLog(false)
        do throws(DatabaseFault) {
            // A commit is on disk when it returns; readers never wait for it. A log that a long reader let grow is
            // cut again. Nothing is ever written outside of this folder, nor to the log before a commit: a page that
            // stands in the log twice for one transaction would have another's sum for a while.
            let mode = try database.first("PRAGMA journal_mode = WAL") { $0.text(0) }
            if mode?.utf8.elementsEqual("wal".utf8) != true {
                throw DatabaseFault(code: SQLITE_ERROR, message: "the file system takes no log")
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

    /// Refuses a folder in which a database is missing that should be there, or a log belongs to another one: to go on
    /// would begin anew in its place, or mix two.
    func refuseMixture(_ counter: CommitCounter.Reading) throws(OpeningFault) {
        let hasLog = try hasContent(databasePath + "-wal")
        guard let header = try FileHeader(of: databasePath) else {
            switch counter {
            case .none: if hasLog { throw .lost(commits: nil) }
            case .unreadable: throw .lost(commits: nil)
            case .place(let place):
                if place.commits > 0 || hasLog { throw .lost(commits: place.commits) }
            }
            return
        }
        if !hasLog { return }
        // A backup, which has no log; or an older file, from before what the log goes on from.
        if !header.hasLog { throw .otherLog }
        if case .place(let place) = counter, header.checkpoints < place.checkpoints { throw .otherLog }
        // A log from before what the file has: an older one, or one that was harmed after it was brought in.
        if let alone = commits(.readAlone), let whole = commits(.read), whole < alone { throw .otherLog }
    }

    /// How many groups are committed, as far as the file alone says or with its log; nil where that cannot be read.
    private func commits(_ access: Database.Access) -> Int64? {
        // A file whose log is not wholly brought in may be anything by itself. What is damaged with its log too is
        // found by whoever reads it.
        let row = try? withIndexOrWithout { () throws(DatabaseFault) in
            try StoreRow.read(
                Database(path: databasePath, for: access, sharesIndex: !isWithoutIndex))
        } isFull: {
            $0.kind == .full
        }
        return row?.place.commits
    }

    private func hasContent(_ path: String) throws(OpeningFault) -> Bool {
        var found = stat()
        if stat(path, &found) == 0 { return found.st_size > 0 }
        if errno == ENOENT { return false }
        throw .system(errno)
    }

    /// Makes an empty database under another name, and gives it its own once it is whole and synced: a making that was
    /// cut off leaves nothing that the next start could mistake.
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
            // While it is empty; the log and its index are given the same mode by SQLite.
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

    /// A connection that reads what was committed, once `openForWriting` has made the file.
    package func openForReading() throws(OpeningFault) -> Database { try opened(for: .read) }

    /// A connection that reads a folder that no server has open: where there is no log, it makes none.
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
