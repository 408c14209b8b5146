/// A table that `caret move` copies. Every kind of store has it.
package enum MovedTable: String, CaseIterable, Sendable {
    case author, document, segment, snapshot, pusher, tag, notebook, note, token
    case signOut = "sign_out"

    package struct Column: Sendable {
        fileprivate let name: String
        package let kind: Kind

        package enum Kind: Sendable {
            case number
            /// 0 or 1.
            case flag
            /// A number that may be missing. It is never negative.
            case optionalNumber
            case bytes
        }

        package func name(in dialect: SQLDialect) -> String { name == "username" ? dialect.user : name }

        fileprivate static func number(_ name: String) -> Column { Column(name: name, kind: .number) }
        fileprivate static func flag(_ name: String) -> Column { Column(name: name, kind: .flag) }
        fileprivate static func optional(_ name: String) -> Column {
            Column(name: name, kind: .optionalNumber)
        }
        fileprivate static func bytes(_ name: String) -> Column { Column(name: name, kind: .bytes) }
    }

    /// The columns that both kinds of store have. The first `keyCount` columns identify a row.
    package var columns: [Column] {
        switch self {
        case .author: [.number("id"), .bytes("username"), .bytes("client")]
        case .document:
            [.number("id"), .bytes("name")]
                + ["epoch", "head", "start", "utf8", "utf16", "scalars", "updated", "line_break"].map(
                    Column.number)
                + [.bytes("chain"), .number("snapshot"), .number("loose"), .number("behind")]
                + [.optional("deleted")]
        case .segment:
            [.number("document"), .number("first"), .number("last"), .number("time")]
                + ["body", "before", "after"].map(Column.bytes)
        case .snapshot:
            [.number("document"), .number("revision")] + ["body", "digest", "chain"].map(Column.bytes)
        case .pusher:
            [.number("document"), .number("author"), .number("seq"), .number("revision")]
                + [.bytes("digest"), .number("used")]
        case .tag:
            [.number("document"), .bytes("name"), .number("revision"), .bytes("username"), .number("time")]
        case .notebook:
            ["document", "counter", "last", "removed", "notes", "bytes"].map(Column.number)
        case .note:
            ["document", "number", "version", "counter"].map(Column.number)
                + [.optional("parent"), .number("state"), .bytes("username"), .number("time")]
                + [.optional("edited"), .number("weight"), .optional("revision")]
                + ["place", "quote", "body", "request"].map(Column.bytes)
        case .token:
            [.number("id"), .bytes("username"), .bytes("digest"), .number("created"), .optional("expires")]
                + [.bytes("grants"), .flag("ended"), .optional("used")]
        case .signOut: [.number("number"), .number("kind"), .bytes("name"), .number("before")]
        }
    }

    package var keyCount: Int {
        switch self {
        case .author, .document, .notebook, .token, .signOut: 1
        case .segment, .snapshot, .pusher, .tag, .note: 2
        }
    }

    /// The tables that never reuse the number of a row.
    package static let numbered = [MovedTable.document, .token]
}

/// The values of a row, in the order of the columns of its table.
package typealias MovedRow = [SQLValue]

/// The columns of a row that is moved.
private final class MovedColumns: SQLColumns {
    private let values: ArraySlice<SQLValue>

    init(_ values: ArraySlice<SQLValue>) { self.values = values }

    private func value(_ column: Int32) -> SQLValue { values[values.startIndex + Int(column)] }

    func isNull(_ column: Int32, in row: Int32) -> Bool { value(column) == .integer(nil) }

    func number(_ column: Int32, in row: Int32) -> Int64? { value(column).number }

    func bytes(_ column: Int32, in row: Int32) -> [UInt8] { value(column).bytes }

    func bool(_ column: Int32, in row: Int32) -> Bool { number(column, in: row) == 1 }

    func name(of column: Int32) -> String { "\(column)" }
}

extension MovedRow {
    /// The columns, without the first ones.
    package func columns(after count: Int = 0) -> SQLRow { SQLRow(MovedColumns(dropFirst(count))) }
}

/// A digest of rows in a given order.
struct RowDigest {
    private var sum = SHA256()

    mutating func add(_ row: MovedRow, of table: MovedTable) {
        sum.update(Array(table.rawValue.utf8))
        for value in row {
            // The kind and the length come first, so that no two rows give the same bytes.
            switch value {
            case .integer(nil): sum.update(0)
            case .integer(let number?):
                sum.update(1)
                sum.update(number)
            case .bytes(let bytes):
                sum.update(2)
                sum.update(Int64(bytes.count))
                sum.update(bytes)
            case .integers: preconditionFailure("no column has a list")
            }
        }
    }

    /// No row may be added afterwards.
    mutating func value() -> [UInt8] { sum.digest().bytes }
}
