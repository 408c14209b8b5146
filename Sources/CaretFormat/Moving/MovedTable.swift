/// A table that `caret move` copies. Every kind of store has it.
package enum MovedTable: String, CaseIterable, Sendable {
    case author, document, segment, snapshot, pusher, tag, token

    package struct Column: Sendable {
        /// The name in PostgreSQL.
        package let name: String
        package let kind: Kind

        package enum Kind: Sendable {
            case number
            /// A number that may be missing. It is never negative.
            case optionalNumber
            case bytes
        }

        fileprivate static func number(_ name: String) -> Column { Column(name: name, kind: .number) }
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
        case .token:
            [.number("id"), .bytes("username"), .bytes("digest"), .number("created"), .optional("expires")]
                + [.bytes("grants"), .number("ended"), .optional("used")]
        }
    }

    package var keyCount: Int {
        switch self {
        case .author, .document, .token: 1
        case .segment, .snapshot, .pusher, .tag: 2
        }
    }

    /// The tables that never reuse the number of a row.
    package static let numbered = [MovedTable.document, .token]
}

/// One value of a row.
package enum MovedValue: Equatable, Sendable {
    case number(Int64)
    case bytes([UInt8])
    case null
}

/// The values of a row, in the order of the columns of its table.
package typealias MovedRow = [MovedValue]

extension MovedRow {
    package func number(_ column: Int) -> Int64 {
        guard let number = optionalNumber(column) else {
            preconditionFailure("column \(column) has no number")
        }
        return number
    }

    /// Nil if the number is missing.
    package func optionalNumber(_ column: Int) -> Int64? {
        switch self[column] {
        case .number(let number): return number
        case .null: return nil
        case .bytes: preconditionFailure("column \(column) has bytes instead of a number")
        }
    }

    package func bytes(_ column: Int) -> [UInt8] {
        guard case .bytes(let bytes) = self[column] else {
            preconditionFailure("column \(column) has no bytes")
        }
        return bytes
    }
}

/// A digest of rows in a given order.
struct RowDigest {
    private var sum = SHA256()

    mutating func add(_ row: MovedRow, of table: MovedTable) {
        sum.update(Array(table.rawValue.utf8))
        for value in row {
            // The kind and the length come first, so that no two rows give the same bytes.
            switch value {
            case .null: sum.update(0)
            case .number(let number):
                sum.update(1)
                sum.update(number)
            case .bytes(let bytes):
                sum.update(2)
                sum.update(Int64(bytes.count))
                sum.update(bytes)
            }
        }
    }

    /// No row may be added afterwards.
    mutating func value() -> [UInt8] { sum.digest().bytes }
}
