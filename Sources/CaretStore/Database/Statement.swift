import CSQLite

/// A prepared statement of one connection. Use it only on the thread or queue of that connection.
struct Statement {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    var row: Row { Row(statement: pointer) }

    func bind(_ value: Value, to index: Int32) -> Int32 {
        switch value {
        case .integer(let number): bind(number, to: index)
        case .null: sqlite3_bind_null(pointer, index)
        case .bytes(let bytes): bytes.withUnsafeBytes { bind($0, to: index) }
        }
    }

    func bind(_ number: Int64, to index: Int32) -> Int32 { sqlite3_bind_int64(pointer, index, number) }

    func bind(_ bytes: UnsafeRawBufferPointer, to index: Int32) -> Int32 {
        // Empty bytes have no address, and without an address SQLite would bind NULL.
        bytes.isEmpty
            ? sqlite3_bind_zeroblob(pointer, index, 0)
            : sqlite3_bind_blob64(
                pointer, index, bytes.baseAddress, UInt64(bytes.count), caret_sqlite_transient())
    }

    /// `bytes` must stay valid until the statement is reset.
    func bind(kept bytes: UnsafeRawBufferPointer, to index: Int32) -> Int32 {
        sqlite3_bind_blob64(pointer, index, bytes.baseAddress, UInt64(bytes.count), nil)
    }

    func step() -> Int32 { sqlite3_step(pointer) }

    func reset() {
        // `sqlite3_reset` returns the code of the last step again, which was already handled.
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
    }

    func end() { sqlite3_finalize(pointer) }
}

/// A value for a parameter of a statement.
package enum Value {
    case integer(Int64)
    case bytes([UInt8])
    case null
}

/// The current row of a statement.
package struct Row {
    fileprivate let statement: OpaquePointer

    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    package func bytes(_ column: Int32) -> [UInt8] {
        // Read the pointer first: reading the pointer may move the bytes, reading the count does not.
        let start = sqlite3_column_blob(statement, column)
        return Array(
            UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    }
}

/// Sets the parameters of a statement one after the other.
struct Binding {
    private let statement: Statement
    /// The free memory for values. The statement reads values from this memory until it is reset.
    private var room: Slice<UnsafeMutableRawBufferPointer>
    private var index: Int32 = 0
    /// The code of the first parameter that SQLite refused.
    private(set) var code = SQLITE_OK

    init(_ statement: Statement, _ room: UnsafeMutableRawBufferPointer) {
        self.statement = statement
        self.room = room[...]
    }

    mutating func next(_ number: Int64) {
        index += 1
        note(statement.bind(number, to: index))
    }

    mutating func next(_ number: Int) { next(Int64(number)) }

    mutating func next(_ bytes: [UInt8]) { bytes.withUnsafeBytes { next($0) } }

    mutating func next(_ bytes: UnsafeRawBufferPointer) {
        index += 1
        if bytes.isEmpty || bytes.count > room.count { return note(statement.bind(bytes, to: index)) }
        let kept = UnsafeMutableRawBufferPointer(rebasing: room.prefix(bytes.count))
        kept.copyMemory(from: bytes)
        room = room.dropFirst(bytes.count)
        note(statement.bind(kept: UnsafeRawBufferPointer(kept), to: index))
    }

    private mutating func note(_ answer: Int32) { if code == SQLITE_OK { code = answer } }
}
