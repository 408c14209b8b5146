package import CaretFormat
package import CaretLog

/// The rows of a database that no server uses.
///
/// Use it only on the thread or queue of its connection.
package struct SQLiteMovableRows: MovableRows {
    let database: Database

    /// The end and the last use of a token are in tables of their own.
    private static func tables(of table: MovedTable) -> String {
        table == .token
            ? """
            token LEFT JOIN token_end ON token_end.token = id LEFT JOIN token_use ON token_use.token = id
            """ : table.rawValue
    }

    package func forEachRow(
        of table: MovedTable, _ body: (MovedRow) throws(StoreMoveFault) -> Void
    ) throws(StoreMoveFault) {
        let kinds = table.columns.map(\.kind)
        let columns = table.columns.map(\.sqliteName)
        try database.forEach(
            """
            SELECT \(columns.joined(separator: ", ")) FROM \(SQLiteMovableRows.tables(of: table))
            ORDER BY \(columns.prefix(table.keyCount).joined(separator: ", "))
            """, [], orFault: StoreMoveFault.init
        ) { (row: Row) throws(StoreMoveFault) in
            try body(
                kinds.enumerated().map { index, kind in
                    let column = Int32(index)
                    switch kind {
                    case .number: return .number(row.integer(column))
                    case .bytes: return .bytes(row.bytes(column))
                    case .optionalNumber:
                        return row.isNull(column) ? .null : .number(row.integer(column))
                    }
                })
            return true
        }
    }

    package func rowCount(of table: MovedTable) throws(StoreMoveFault) -> Int {
        do throws(DatabaseFault) {
            return try database.first("SELECT count(*) FROM \(table.rawValue)") { Int($0.integer(0)) } ?? 0
        } catch {
            throw StoreMoveFault(error)
        }
    }

    package func check(_ progress: (CheckProgress) -> Void) throws(StoreMoveFault) -> CheckReport {
        do throws(DatabaseFault) {
            var check = try StoreCheck(database)
            return check.run(nil, progress: progress)
        } catch {
            throw StoreMoveFault(error)
        }
    }
}

extension MovedTable.Column {
    /// `user` has a meaning in PostgreSQL's SQL, so these columns have another name there.
    var sqliteName: String { name == "username" ? "user" : name }
}

extension StoreMoveFault {
    init(_ fault: DatabaseFault) { self = .failed("SQLite failed: \(fault.message)") }

    init(_ fault: OpeningFault) { self = .failed("\(fault)") }
}
