import CSQLite
import Glibc

/// One connection to a database file.
///
/// Confined to the thread or queue of whoever opened it.
package final class Database {
    package enum Access {
        case read
        /// The file as it stands, past its log; nobody may write to it meanwhile.
        case readAlone
        case write
    }

    let connection: OpaquePointer
    /// Statements are prepared once for each text.
    private var statements: [String: Statement] = [:]
    /// Those whose text stands in the program, by its address.
    private var fixed: [UnsafePointer<UInt8>: Statement] = [:]
    /// Where SQLite leaves how many pages the log holds, after each commit of this connection.
    private let logged = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    /// Where small values stand while the statement runs that they were given to, lest SQLite ask for memory for each.
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 8)

    /// `sharesIndex`: the index of the log is a file beside it, as others may read the database too. Else it is in the
    /// memory of this process, which needs no space on the disk.
    package init(path: String, for access: Access, sharesIndex: Bool = true) throws(DatabaseFault) {
        guard let layer = sharesIndex ? PageSums.vfsName : PageSums.vfsNameWithoutIndex else {
            throw DatabaseFault(code: SQLITE_ERROR, message: "SQLite took no layer for the sums of pages")
        }
        logged.initialize(to: 0)
        let mode =
            switch access {
            case .read: SQLITE_OPEN_READONLY
            case .readAlone: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            case .write: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        let name =
            switch access {
            case .read, .write: path
            case .readAlone: Database.immutable(path)
            }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, layer)
        // Even a connection that failed is one, unless there was no memory for it.
        guard let opened else { throw DatabaseFault(code: code, message: "no memory for a connection") }
        connection = opened
        if code != SQLITE_OK { throw fault(code) }
        // Whoever else has the file open, for a look at it, is waited for.
        sqlite3_busy_timeout(connection, Database.patience)
        // In place of SQLite's own, which would checkpoint by itself and keep its failures to itself.
        sqlite3_wal_hook(
            connection,
            { pages, _, _, count in
                pages?.assumingMemoryBound(to: Int32.self).pointee = count
                return SQLITE_OK
            }, logged)
    }

    /// The URI by which SQLite takes a file for one that nobody changes, and so for one without a log.
    private static func immutable(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = path.utf8.flatMap { byte in
            // What means something in a URI.
            "?#%".utf8.contains(byte)
                ? [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]] : [byte]
        }
        return "file:" + String(decoding: bytes, as: UTF8.self) + "?immutable=1"
    }

    deinit {
        for statement in statements.values { statement.end() }
        for statement in fixed.values { statement.end() }
        sqlite3_close_v2(connection)
        logged.deallocate()
        scratch.deallocate()
    }

    /// Whether nothing can be written through a connection that was opened for writing.
    var isReadOnly: Bool { sqlite3_db_readonly(connection, "main") == 1 }

    /// How long a lock is waited for, in milliseconds.
    private static let patience: Int32 = 5000

    /// Makes the pages of a database that has none yet bear sums.
    package func reserveSums() throws(DatabaseFault) {
        // The size first: to set it takes the reserve back.
        try execute("PRAGMA page_size = \(PageSums.pageSize)")
        var count = Int32(PageSums.reservedBytes)
        let code = sqlite3_file_control(connection, nil, SQLITE_FCNTL_RESERVE_BYTES, &count)
        if code != SQLITE_OK { throw fault(code) }
    }

    /// How many pages the log held after the last commit of this connection.
    var pagesInLog: Int { Int(logged.pointee) }

    /// How the log is brought into the database.
    package enum Checkpoint {
        /// As much as no reader still needs.
        case passive
        /// All of it, for which readers are waited for a short while.
        case patient
        /// All of it, and the log is emptied: nobody else may have the database open.
        case whole
    }

    /// Whether the log is left as it is when the connection is closed.
    package func keepLog(_ keeps: Bool) {
        // It refuses only what it does not know.
        _ = caret_sqlite_keep_log(connection, keeps ? 1 : 0)
    }

    /// Brings the log into the database; whether all of it is there now, so that whoever writes next may begin it anew.
    package func checkpoint(_ checkpoint: Checkpoint) throws(DatabaseFault) -> Bool {
        let mode =
            switch checkpoint {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .patient: SQLITE_CHECKPOINT_RESTART
            case .whole: SQLITE_CHECKPOINT_TRUNCATE
            }
        // Every writer waits as long.
        if checkpoint == .patient { sqlite3_busy_timeout(connection, 100) }
        defer { sqlite3_busy_timeout(connection, Database.patience) }
        var (pages, done): (Int32, Int32) = (0, 0)
        let code = sqlite3_wal_checkpoint_v2(connection, nil, mode, &pages, &done)
        // Somebody still reads what would be written over: some of the log cannot come in, or all of it is in the
        // database and only the log cannot be begun anew yet. Where nothing was tried, both numbers are -1.
        if code != SQLITE_OK, code & 0xFF != SQLITE_BUSY { throw fault(code) }
        return done >= 0 && done == pages
    }

    /// Runs statements that answer nothing and have no parameters.
    package func execute(_ sql: String) throws(DatabaseFault) {
        let code = sqlite3_exec(connection, sql, nil, nil, nil)
        if code != SQLITE_OK { throw fault(code) }
    }

    /// Runs one statement; its rows are not looked at.
    package func run(_ sql: String, _ values: Value...) throws(DatabaseFault) { try run(sql, values) }

    func run(_ sql: String, _ values: [Value]) throws(DatabaseFault) { try eachRow(sql, values) { _ in } }

    /// The first row of an answer, read by `read`; nil where there is none.
    package func first<Result>(_ sql: String, _ values: [Value] = [], read: (Row) -> Result)
        throws(DatabaseFault)
        -> Result?
    {
        var result: Result?
        try eachRow(sql, values) { row in if result == nil { result = read(row) } }
        return result
    }

    package func all<Result>(_ sql: String, _ values: [Value] = [], read: (Row) -> Result)
        throws(DatabaseFault)
        -> [Result]
    {
        var results: [Result] = []
        try eachRow(sql, values) { results.append(read($0)) }
        return results
    }

    /// One byte of what stands in a column, of which nothing else is read; nil where there are not so many.
    func byte(at offset: Int32, table: String, column: String, row: Int64) throws(DatabaseFault) -> UInt8? {
        var opened: OpaquePointer?
        let code = sqlite3_blob_open(connection, "main", table, column, row, 0, &opened)
        guard code == SQLITE_OK, let opened else { throw fault(code) }
        defer { sqlite3_blob_close(opened) }
        if sqlite3_blob_bytes(opened) <= offset { return nil }
        var byte: UInt8 = 0
        let answer = sqlite3_blob_read(opened, &byte, 1, offset)
        if answer != SQLITE_OK { throw fault(answer) }
        return byte
    }

    /// The number of the row that was inserted last.
    var lastRow: Int64 { sqlite3_last_insert_rowid(connection) }

    /// The number of rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes64(connection)) }

    /// The number of rows that were ever changed through this connection.
    package var totalChanges: Int64 { sqlite3_total_changes64(connection) }

    /// Does `body` in one transaction that takes the write lock at once: all of it is committed, or none.
    ///
    /// Where `isNeeded` says no in the end, it is none, and nothing is written.
    package func transaction<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result, isNeeded: () -> Bool = { true },
        orFault failure: (DatabaseFault) -> Failure
    ) throws(Failure) -> Result {
        try transaction("BEGIN IMMEDIATE", body, isNeeded: isNeeded, orFault: failure)
    }

    /// Does `body` while nothing changes that it reads.
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
        // Some faults have rolled back by themselves; then there is nothing left to undo, and that is fine.
        if sqlite3_get_autocommit(connection) == 0 { try? run("ROLLBACK") }
    }

    private func eachRow(_ sql: String, _ values: [Value], _ body: (Row) -> Void) throws(DatabaseFault) {
        try forEach(sql, values, orFault: \.self) { row throws(DatabaseFault) in
            body(row)
            return true
        }
    }

    /// Gives `body` one row after the other, until it answers with false. `body` must not run the same statement.
    func forEach<Failure: Error>(
        _ sql: String, _ values: [Value], orFault failure: (DatabaseFault) -> Failure,
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

    /// Runs one statement that answers nothing; `bind` gives its parameters. For what is run with every change: it
    /// costs neither a look at the text of the statement nor memory for the values.
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
        if let statement = fixed[sql.utf8Start] { return statement }
        let statement = try made(sql.description)
        fixed[sql.utf8Start] = statement
        return statement
    }

    private func bound(_ sql: String, _ values: [Value]) throws(DatabaseFault) -> Statement {
        let statement = try prepared(sql)
        for (index, value) in values.enumerated() {
            let code = statement.bind(value, to: Int32(index + 1))
            if code != SQLITE_OK { throw fault(code) }
        }
        return statement
    }

    private func prepared(_ sql: String) throws(DatabaseFault) -> Statement {
        if let statement = statements[sql] { return statement }
        let statement = try made(sql)
        statements[sql] = statement
        return statement
    }

    private func made(_ sql: String) throws(DatabaseFault) -> Statement {
        var pointer: OpaquePointer?
        let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        guard code == SQLITE_OK, let pointer else { throw fault(code) }
        return Statement(pointer)
    }

    /// What the last call on this connection met.
    var fault: DatabaseFault { fault(sqlite3_extended_errcode(connection)) }

    private func fault(_ code: Int32) -> DatabaseFault {
        let reason = sqlite3_system_errno(connection)
        let isOutOfSpace = reason == ENOSPC || reason == EDQUOT
        // In a commit SQLite forgets the reason; the index of the log lies in memory, and fails to grow for no other.
        let isIndexFull = code == caret_sqlite_ioerr_shm_size()
        return DatabaseFault(
            code: code, message: String(cString: sqlite3_errmsg(connection)),
            isOutOfSpace: isIndexFull || code & 0xFF == SQLITE_IOERR && isOutOfSpace)
    }
}
