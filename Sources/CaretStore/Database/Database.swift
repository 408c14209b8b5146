import CSQLite

/// Why SQLite did not do what it was asked.
package struct DatabaseFault: Error, Equatable, Sendable {
    /// SQLite's extended result code.
    package let code: Int32
    package let message: String

    enum Kind {
        /// The disk is full; nothing was written.
        case full
        /// The file is damaged.
        case damaged
        /// Everything else: the disk failed, or the statement was wrong.
        case failed
    }

    var kind: Kind {
        switch code & 0xFF {
        case SQLITE_FULL: .full
        case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
        default: .failed
        }
    }
}

/// One connection to a database file.
///
/// Confined to the thread or queue of whoever opened it.
final class Database {
    enum Access {
        case read
        case write
    }

    private let connection: OpaquePointer
    /// Statements are prepared once for each text.
    private var statements: [String: Statement] = [:]

    init(path: String, for access: Access) throws(DatabaseFault) {
        let mode =
            switch access {
            case .read: SQLITE_OPEN_READONLY
            case .write: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        // Even a connection that failed is one, unless there was no memory for it.
        guard let opened else { throw DatabaseFault(code: code, message: "no memory for a connection") }
        connection = opened
        if code != SQLITE_OK { throw fault(code) }
    }

    deinit {
        for statement in statements.values { statement.end() }
        sqlite3_close_v2(connection)
    }

    /// Runs statements that answer nothing and have no parameters.
    func execute(_ sql: String) throws(DatabaseFault) {
        let code = sqlite3_exec(connection, sql, nil, nil, nil)
        if code != SQLITE_OK { throw fault(code) }
    }

    /// Runs one statement; its rows are not looked at.
    func run(_ sql: String, _ values: Value...) throws(DatabaseFault) { try run(sql, values) }

    func run(_ sql: String, _ values: [Value]) throws(DatabaseFault) { try eachRow(sql, values) { _ in } }

    /// The first row of an answer, read by `read`; nil where there is none.
    func first<Result>(_ sql: String, _ values: [Value] = [], read: (Row) -> Result) throws(DatabaseFault)
        -> Result?
    {
        var result: Result?
        try eachRow(sql, values) { row in if result == nil { result = read(row) } }
        return result
    }

    func all<Result>(_ sql: String, _ values: [Value] = [], read: (Row) -> Result) throws(DatabaseFault)
        -> [Result]
    {
        var results: [Result] = []
        try eachRow(sql, values) { results.append(read($0)) }
        return results
    }

    /// The number of the row that was inserted last.
    var lastRow: Int64 { sqlite3_last_insert_rowid(connection) }

    /// The number of rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes64(connection)) }

    /// Does `body` in one transaction that takes the write lock at once: all of it is committed, or none.
    func transaction<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result, orFault failure: (DatabaseFault) -> Failure
    ) throws(Failure) -> Result {
        do throws(DatabaseFault) { try execute("BEGIN IMMEDIATE") } catch { throw failure(error) }
        let result: Result
        do throws(Failure) {
            result = try body()
        } catch {
            rollBack()
            throw error
        }
        do throws(DatabaseFault) {
            try execute("COMMIT")
        } catch {
            rollBack()
            throw failure(error)
        }
        return result
    }

    private func rollBack() {
        // Some faults have rolled back by themselves; then there is nothing left to undo, and that is fine.
        if sqlite3_get_autocommit(connection) == 0 { try? execute("ROLLBACK") }
    }

    private func eachRow(_ sql: String, _ values: [Value], _ body: (Row) -> Void) throws(DatabaseFault) {
        let statement = try prepared(sql)
        defer { statement.reset() }
        for (index, value) in values.enumerated() {
            let code = statement.bind(value, to: Int32(index + 1))
            if code != SQLITE_OK { throw fault(code) }
        }
        while true {
            switch statement.step() {
            case SQLITE_ROW: body(statement.row)
            case SQLITE_DONE: return
            case let code: throw fault(code)
            }
        }
    }

    private func prepared(_ sql: String) throws(DatabaseFault) -> Statement {
        if let statement = statements[sql] { return statement }
        var pointer: OpaquePointer?
        let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        guard code == SQLITE_OK, let pointer else { throw fault(code) }
        let statement = Statement(pointer)
        statements[sql] = statement
        return statement
    }

    private func fault(_ code: Int32) -> DatabaseFault {
        DatabaseFault(code: code, message: String(cString: sqlite3_errmsg(connection)))
    }
}

/// What stands in a column.
enum Value {
    case integer(Int64)
    case bytes([UInt8])
}

/// The row that a statement stands at.
struct Row {
    fileprivate let statement: OpaquePointer

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    func bytes(_ column: Int32) -> [UInt8] {
        // The pointer first: asking for the count may not move it, asking for the pointer may.
        let start = sqlite3_column_blob(statement, column)
        return Array(
            UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    }
}

/// A prepared statement of one connection, with which it is confined.
private struct Statement {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    var row: Row { Row(statement: pointer) }

    func bind(_ value: Value, to index: Int32) -> Int32 {
        switch value {
        case .integer(let number): sqlite3_bind_int64(pointer, index, number)
        case .bytes(let bytes):
            // An empty array has no address, and SQLite takes no address for NULL.
            bytes.isEmpty
                ? sqlite3_bind_zeroblob(pointer, index, 0)
                : sqlite3_bind_blob64(pointer, index, bytes, UInt64(bytes.count), caret_sqlite_transient())
        }
    }

    func step() -> Int32 { sqlite3_step(pointer) }

    func reset() {
        // Its code repeats that of the step, which was told.
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
    }

    func end() { sqlite3_finalize(pointer) }
}
