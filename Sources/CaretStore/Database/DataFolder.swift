import Glibc
import Synchronization

/// The folder of a store: its database file, and the lock that keeps other servers out.
///
/// Whoever holds it holds the lock, until it is let go; the system does that when the process ends.
final class DataFolder: Sendable {
    let databasePath: String
    /// Nil once it is let go.
    private let lock: Mutex<Int32?>

    /// Takes the lock of a folder that exists.
    init(_ path: String) throws(OpeningFault) {
        databasePath = path + "/caret.sqlite"
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

    /// Lets the folder go: every connection to its database must have been closed before.
    func unlock() {
        lock.withLock { file in
            if let file { close(file) }
            file = nil
        }
    }

    /// The one connection that writes: the schema is that of this build, and a commit is on disk when it returns.
    func openForWriting(migrations: [Migration] = Migration.all) throws(OpeningFault) -> Database {
        // Before SQLite has the file open: to open and close it then would take SQLite's own locks away.
        try checkHeader()
        let database = try opened(for: .write)
        try Migrator(migrations: migrations).migrate(database)
        do throws(DatabaseFault) {
            // A commit is on disk when it returns; readers never wait for it.
            try database.execute(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;")
        } catch {
            throw .database(error)
        }
        return database
    }

    /// A connection that reads what was committed, once `openForWriting` has made the file.
    func openForReading() throws(OpeningFault) -> Database { try opened(for: .read) }

    private func opened(for access: Database.Access) throws(OpeningFault) -> Database {
        do throws(DatabaseFault) {
            return try Database(path: databasePath, for: access)
        } catch {
            throw .database(error)
        }
    }

    /// Refuses a file that is not ours before anything touches it: what stands in SQLite's header is enough.
    private func checkHeader() throws(OpeningFault) {
        let file = open(databasePath, O_RDONLY | O_CLOEXEC)
        if file < 0 {
            if errno == ENOENT { return }
            throw .system(errno)
        }
        defer { close(file) }
        var header = [UInt8](repeating: 0, count: 100)
        let length = read(file, &header, header.count)
        if length < 0 { throw .system(errno) }
        if length == 0 { return }
        let application = header[68..<72].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard length == header.count, header.starts(with: "SQLite format 3\0".utf8),
            application == Migration.applicationID
        else { throw .foreign }
    }
}
