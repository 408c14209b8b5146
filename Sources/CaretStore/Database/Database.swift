import CSQLite
package import CaretFormat
import Glibc

/// One connection to a database file.
///
/// Use a connection only on one thread or queue.
package final class Database {
    package enum Access {
        case read
        /// Reads the file without its log. No process may write to the file meanwhile.
        case readWithoutLog
        case write
    }

    let connection: OpaquePointer
    /// The prepared statements by their text. Each is prepared only once.
    private var statements: [String: Statement] = [:]
    /// The prepared statements with a static text, by the address of the text.
    private var staticStatements: [UnsafePointer<UInt8>: Statement] = [:]
    /// The number of pages in the write-ahead log. SQLite reports it after each commit of this connection.
    private let logPageCount = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    /// Memory for small values while their statement runs, so that SQLite need not allocate for each of them.
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 8)

    /// If `sharesIndex` is true, the index of the write-ahead log is a file, so other processes can read the
    /// database too. Otherwise the index is in this process's memory, and needs no space on the disk.
    package init(path: String, for access: Access, sharesIndex: Bool = true) throws(DatabaseFault) {
        guard let layer = sharesIndex ? PageSums.vfsName : PageSums.vfsNameWithIndexInMemory else {
            throw DatabaseFault(code: SQLITE_ERROR, message: "SQLite refused the VFS for page checksums")
        }
        logPageCount.initialize(to: 0)
        let mode =
            switch access {
            case .read: SQLITE_OPEN_READONLY
            case .readWithoutLog: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            case .write: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        let name =
            switch access {
            case .read, .write: path
            case .readWithoutLog: Database.immutable(path)
            }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, layer)
        // SQLite returns a connection even if opening failed, unless there was no memory for it.
        guard let opened else { throw DatabaseFault(code: code, message: "no memory for a new connection") }
        connection = opened
        if code != SQLITE_OK { throw fault(code) }
        // If another process has locked the file for a moment, wait for it.
        sqlite3_busy_timeout(connection, Database.busyTimeout)
        // Replaces SQLite's own hook, which would make checkpoints and ignore their failures.
        sqlite3_wal_hook(
            connection,
            { pages, _, _, count in
                pages?.assumingMemoryBound(to: Int32.self).pointee = count
                return SQLITE_OK
            }, logPageCount)
    }

    /// A URI with `immutable=1`: SQLite assumes that no process writes to the file, and ignores its log.
    private static func immutable(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = path.utf8.flatMap { byte in
            // Escape the characters that have a meaning in a URI.
            "?#%".utf8.contains(byte)
                ? [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]] : [byte]
        }
        return "file:" + String(decoding: bytes, as: UTF8.self) + "?immutable=1"
    }

    deinit {
        for statement in statements.values { statement.end() }
        for statement in staticStatements.values { statement.end() }
        sqlite3_close_v2(connection)
        logPageCount.deallocate()
        scratch.deallocate()
    }

    /// Whether the connection was opened for writing, but cannot write.
    var isReadOnly: Bool { sqlite3_db_readonly(connection, "main") == 1 }

    /// How long SQLite waits for a lock, in milliseconds.
    private static let busyTimeout: Int32 = 5000

    /// Creates a database that only its owner can read, with space for a checksum on every page.
    static func create(at path: String) throws(DatabaseFault) -> Database {
        let database = try Database(path: path, for: .write)
        // Restrict the permissions while the file is empty. SQLite gives the same permissions to the log and
        // its index.
        do throws(FileFault) { try restrictToOwner(path) } catch {
            throw DatabaseFault(code: SQLITE_IOERR, message: String(cString: strerror(error.code)))
        }
        // The file is not used before it is complete and synced, so SQLite need not protect it from a crash.
        try database.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")
        try database.reserveSums()
        return database
    }

    /// Reserves space for a checksum on every page. The database must be empty.
    package func reserveSums() throws(DatabaseFault) {
        // Set the page size first, because setting it removes the reserved space.
        try execute("PRAGMA page_size = \(PageSums.pageSize)")
        var count = Int32(PageSums.reservedBytes)
        let code = sqlite3_file_control(connection, nil, SQLITE_FCNTL_RESERVE_BYTES, &count)
        if code != SQLITE_OK { throw fault(code) }
    }

    /// The number of pages in the log after the last commit of this connection.
    var pagesInLog: Int { Int(logPageCount.pointee) }

    /// How much of the write-ahead log to copy into the database.
    package enum Checkpoint {
        /// Copy as much as possible without waiting for readers.
        case passive
        /// Copy the whole log, after waiting a short time for readers.
        case patient
        /// Copy the whole log, and empty it, after waiting a short time for readers.
        case emptying
        /// Copy the whole log, and empty it. No other connection may have the database open.
        case whole
    }

    /// Sets whether closing the connection leaves the log unchanged.
    package func keepLog(_ keeps: Bool) {
        // The call fails only if SQLite does not know the option.
        _ = caret_sqlite_keep_log(connection, keeps ? 1 : 0)
    }

    /// Copies the write-ahead log into the database. Returns whether the whole log was copied. If it was, the
    /// next write can restart the log.
    package func checkpoint(_ checkpoint: Checkpoint) throws(DatabaseFault) -> Bool {
        let mode =
            switch checkpoint {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .patient: SQLITE_CHECKPOINT_RESTART
            case .emptying, .whole: SQLITE_CHECKPOINT_TRUNCATE
            }
        // Wait only a short time, because nothing can be written meanwhile.
        if checkpoint == .patient || checkpoint == .emptying { sqlite3_busy_timeout(connection, 100) }
        defer { sqlite3_busy_timeout(connection, Database.busyTimeout) }
        var (pages, done): (Int32, Int32) = (0, 0)
        let code = sqlite3_wal_checkpoint_v2(connection, nil, mode, &pages, &done)
        // `SQLITE_BUSY` means that a reader still needs old pages. In this case, SQLite copies only a part of
        // the log, or copies the whole log but cannot restart it yet. If SQLite did not begin to copy,
        // `pages` and `done` are both -1.
        if code != SQLITE_OK, code & 0xFF != SQLITE_BUSY { throw fault(code) }
        return done >= 0 && done == pages
    }

    /// Runs statements without results and parameters.
    package func execute(_ sql: String) throws(DatabaseFault) {
        let code = sqlite3_exec(connection, sql, nil, nil, nil)
        if code != SQLITE_OK { throw fault(code) }
    }

    /// Runs one statement, and ignores its rows.
    package func run(_ sql: String, _ values: SQLValue...) throws(DatabaseFault) { try run(sql, values) }

    func run(_ sql: String, _ values: [SQLValue]) throws(DatabaseFault) { try eachRow(sql, values) { _ in } }

    /// Returns the first row of the result, converted by `read`; nil if the result is empty.
    package func first<Result>(_ sql: String, _ values: [SQLValue] = [], read: (Row) -> Result)
        throws(DatabaseFault)
        -> Result?
    {
        var result: Result?
        try eachRow(sql, values) { row in if result == nil { result = read(row) } }
        return result
    }

    package func all<Result>(_ sql: String, _ values: [SQLValue] = [], read: (Row) -> Result)
        throws(DatabaseFault)
        -> [Result]
    {
        var results: [Result] = []
        try eachRow(sql, values) { results.append(read($0)) }
        return results
    }

    /// Reads one byte of a stored value without reading the rest. The value must be longer than `offset`.
    func byte(at offset: Int32, table: String, column: String, row: Int64) throws(DatabaseFault) -> UInt8 {
        var opened: OpaquePointer?
        let code = sqlite3_blob_open(connection, "main", table, column, row, 0, &opened)
        guard code == SQLITE_OK, let opened else { throw fault(code) }
        defer { sqlite3_blob_close(opened) }
        var byte: UInt8 = 0
        let answer = sqlite3_blob_read(opened, &byte, 1, offset)
        if answer != SQLITE_OK { throw fault(answer) }
        return byte
    }

    /// The number of the last inserted row.
    var lastRow: Int64 { sqlite3_last_insert_rowid(connection) }

    /// The number of rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes64(connection)) }

    /// The number of rows that this connection has changed so far.
    package var totalChanges: Int64 { sqlite3_total_changes64(connection) }

    /// Runs `body` in one transaction, which takes the write lock at its start. The transaction is committed
    /// completely or not at all.
    ///
    /// If `isNeeded` returns false after `body`, the transaction is rolled back and nothing is written.
    package func transaction<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result, isNeeded: () -> Bool = { true },
        orFault failure: (DatabaseFault) -> Failure
    ) throws(Failure) -> Result {
        try transaction("BEGIN IMMEDIATE", body, isNeeded: isNeeded, orFault: failure)
    }

    /// Runs `body` on one snapshot of the database.
    func reading<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result, orFault failure: (DatabaseFault) -> Failure
    ) throws(Failure) -> Result {
        try transaction("BEGIN", body, isNeeded: { true }, orFault: failure)
    }

    private func transaction<Result, Failure: Error>(
        _ begin: String, _ body: () throws(Failure) -> Result, isNeeded: () -> Bool,
        orFault failure: (DatabaseFault) -> Failure
    ) throws(Failure) -> Result {
        do throws(DatabaseFault) { try run(begin) } catch { throw failure(error) }
        let result: Result
        do throws(Failure) {
            result = try body()
        } catch {
            rollBack()
            throw error
        }
        if !isNeeded() {
            rollBack()
            return result
        }
        do throws(DatabaseFault) {
            try run("COMMIT")
        } catch {
            rollBack()
            throw failure(error)
        }
        return result
    }

    private func rollBack() {
        // After some faults SQLite has already rolled back. A failure to roll back is harmless.
        if sqlite3_get_autocommit(connection) == 0 { try? run("ROLLBACK") }
    }

    private func eachRow(_ sql: String, _ values: [SQLValue], _ body: (Row) -> Void) throws(DatabaseFault) {
        try forEach(sql, values, orFault: \.self) { row throws(DatabaseFault) in
            body(row)
            return true
        }
    }

    /// Calls `body` with one row after the other, until it returns false. `body` must not run the same
    /// statement.
    func forEach<Failure: Error>(
        _ sql: String, _ values: [SQLValue], orFault failure: (DatabaseFault) -> Failure,
        _ body: (Row) throws(Failure) -> Bool
    ) throws(Failure) {
        let statement: Statement
        do throws(DatabaseFault) { statement = try bound(sql, values) } catch { throw failure(error) }
        defer { statement.reset() }
        while true {
            switch statement.step() {
            case SQLITE_ROW: if try !body(statement.row) { return }
            case SQLITE_DONE: return
            case let code: throw failure(fault(code))
            }
        }
    }

    /// Runs one statement without results; `bind` sets its parameters. Use this for statements that run for
    /// every change: it does not hash the statement's text, and allocates no memory for small values.
    func run(_ sql: StaticString, binding bind: (inout Binding) -> Void) throws(DatabaseFault) {
        let statement = try prepared(sql)
        defer { statement.reset() }
        var binding = Binding(statement, scratch)
        bind(&binding)
        if binding.code != SQLITE_OK { throw fault(binding.code) }
        let code = statement.step()
        if code != SQLITE_DONE { throw fault(code) }
    }

    private func prepared(_ sql: StaticString) throws(DatabaseFault) -> Statement {
        if let statement = staticStatements[sql.utf8Start] { return statement }
        let statement = try prepare(sql.description)
        staticStatements[sql.utf8Start] = statement
        return statement
    }

    private func bound(_ sql: String, _ values: [SQLValue]) throws(DatabaseFault) -> Statement {
        let statement = try prepared(sql)
        for (index, value) in values.enumerated() {
            let code = statement.bind(value, to: Int32(index + 1))
            if code != SQLITE_OK { throw fault(code) }
        }
        return statement
    }

    private func prepared(_ sql: String) throws(DatabaseFault) -> Statement {
        if let statement = statements[sql] { return statement }
        let statement = try prepare(sql)
        statements[sql] = statement
        return statement
    }

    private func prepare(_ sql: String) throws(DatabaseFault) -> Statement {
        var pointer: OpaquePointer?
        let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        guard code == SQLITE_OK, let pointer else { throw fault(code) }
        let statement = Statement(pointer)
        precondition(statement.hasOrderedParameters, "the parameters are not in order: \(sql)")
        return statement
    }

    /// The error of the last call on this connection.
    var fault: DatabaseFault { fault(sqlite3_extended_errcode(connection)) }

    private func fault(_ code: Int32) -> DatabaseFault {
        let isOutOfSpace = FileFault(code: sqlite3_system_errno(connection)).isOutOfSpace
        // During a commit SQLite does not keep the `errno`. But the index of the log is a shared-memory file:
        // if it fails to grow, the disk must be full.
        let isIndexFull = code == caret_sqlite_ioerr_shm_size()
        return DatabaseFault(
            code: code, message: String(cString: sqlite3_errmsg(connection)),
            isOutOfSpace: isIndexFull || code & 0xFF == SQLITE_IOERR && isOutOfSpace)
    }
}
