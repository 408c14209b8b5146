import CSQLite
import CaretFormat
import CaretLog

/// A prepared statement of one connection. Use it only on the thread or queue of that connection.
struct Statement {
    private let pointer: OpaquePointer
    private let columns: Columns

    init(_ pointer: OpaquePointer) { (self.pointer, columns) = (pointer, Columns(pointer)) }

    var row: Row { Row(statement: pointer, columns: columns) }

    /// Whether `$1` is the first parameter, and so on.
    var hasOrderedParameters: Bool {
        (0..<sqlite3_bind_parameter_count(pointer)).allSatisfy { index in
            // A parameter that is written as `?` has no name.
            guard let name = sqlite3_bind_parameter_name(pointer, index + 1) else { return true }
            return String(cString: name) == "$\(index + 1)"
        }
    }

    func bind(_ value: SQLValue, to index: Int32) -> Int32 {
        switch value {
        case .integer(let number?): bind(number, to: index)
        case .integer(nil): sqlite3_bind_null(pointer, index)
        case .bytes(let bytes): bytes.withUnsafeBytes { bind($0, to: index) }
        case .integers(let numbers):
            // A list in JSON, as `SQLDialect.isOneOf` needs it.
            Array("\(numbers)".utf8).withUnsafeBytes { bind(text: $0, to: index) }
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

    private func bind(text: UnsafeRawBufferPointer, to index: Int32) -> Int32 {
        sqlite3_bind_text64(
            pointer, index, text.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64(text.count),
            caret_sqlite_transient(), UInt8(SQLITE_UTF8))
    }

    func step() -> Int32 { sqlite3_step(pointer) }

    func reset() {
        // `sqlite3_reset` returns the code of the last step again, which was already handled.
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
    }

    func end() { sqlite3_finalize(pointer) }
}

/// The columns of the current row of a statement.
private final class Columns: SQLColumns {
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) { self.statement = statement }

    private var current: Row { Row(statement: statement, columns: self) }

    func isNull(_ column: Int32, in row: Int32) -> Bool { current.isNull(column) }

    func number(_ column: Int32, in row: Int32) -> Int64? {
        sqlite3_column_type(statement, column) == SQLITE_INTEGER ? current.integer(column) : nil
    }

    func bytes(_ column: Int32, in row: Int32) -> [UInt8] { current.bytes(column) }

    func bool(_ column: Int32, in row: Int32) -> Bool { current.integer(column) == 1 }

    func name(of column: Int32) -> String {
        sqlite3_column_name(statement, column).map { String(cString: $0) } ?? "\(column)"
    }
}

/// The current row of a statement.
package struct Row {
    fileprivate let statement: OpaquePointer
    fileprivate let columns: Columns

    /// The row of a table, whose columns may be damaged.
    var checked: SQLRow { SQLRow(columns) }

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

extension Binding {
    mutating func next(_ digest: Digest) { withUnsafeBytes(of: digest.words) { next($0) } }
}
