import Glibc
import Synchronization

/// The folder of a store: its database file, and the lock that keeps other servers out.
///
/// Whoever holds it holds the lock, until it is let go; the system does that when the process ends.
final class DataFolder: Sendable {
    let path: String
    /// Nil once it is let go.
    private let lock: Mutex<Int32?>

    /// Takes the lock of a folder that exists.
    init(_ path: String) throws(OpeningFault) {
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
    func unlock() {
        lock.withLock { file in
            guard let held = file.take() else { return }
            // A process that was begun just now may hold the file for a moment too, and with it the lock.
            flock(held, LOCK_UN)
            close(held)
        }
    }

    /// The one connection that writes: the schema is that of this build, and a commit is on disk when it returns.
    func openForWriting(
        migrations: [Migration] = Migration.all, tell: (StoreEvent) -> Void = { _ in }
    ) throws(OpeningFault) -> Database {
        // Before SQLite has the file open: to open and close it then would take SQLite's own locks away.
        if try checkHeader(of: databasePath) == .absent { try make() }
        let database = try opened(for: .write)
        do throws(DatabaseFault) {
            // A commit is on disk when it returns; readers never wait for it. A log that a long reader let grow is
            // cut again. Nothing is ever written outside of this folder.
            try database.execute(
                """
                PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216;
                PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON; PRAGMA cache_size = -8192;
                """)
        } catch {
            throw .database(error)
        }
        try Migrator(migrations: migrations).migrate(database, tell: tell)
        return database
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
            try database.execute("PRAGMA journal_mode = OFF")
            try database.reserveSums()
            try database.execute("PRAGMA auto_vacuum = INCREMENTAL")
            try Migrator.begin(database)
        } catch {
            throw .database(error)
        }
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
}

/// What stands at the beginning of a file.
enum FileHeader {
    /// There is no file, or nothing in it.
    case absent
    case ours
}

/// Refuses a file that is not ours before anything touches it: what stands in SQLite's header is enough.
func checkHeader(of path: String) throws(OpeningFault) -> FileHeader {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 {
        if errno == ENOENT { return .absent }
        throw .system(errno)
    }
    defer { close(file) }
    var header = [UInt8](repeating: 0, count: 100)
    let length = read(file, &header, header.count)
    if length < 0 { throw .system(errno) }
    if length == 0 { return .absent }
    let application = header[68..<72].reduce(Int64(0)) { $0 << 8 | Int64($1) }
    guard length == header.count, header.starts(with: "SQLite format 3\0".utf8),
        application == Migration.applicationID
    else { throw .foreign }
    let pageSize = Int(header[16]) << 8 | Int(header[17])
    guard pageSize == PageSums.pageSize, Int(header[20]) == PageSums.reservedBytes else {
        throw .badHeader
    }
    return .ours
}
