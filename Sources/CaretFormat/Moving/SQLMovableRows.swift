/// The rows of a database that no server uses.
///
/// Use it only on the thread or queue of its connection.
package protocol SQLMovableRows: MovableRows {
    associatedtype Connection: SQLConnection

    var connection: Connection { get }

    /// Describes the fault for the operator.
    static func fault(_ fault: Connection.Fault) -> StoreMoveFault
}

extension SQLMovableRows {
    /// Runs `body`, and turns its fault into words.
    package func run<Answer>(
        _ body: () throws(Connection.Fault) -> Answer
    ) throws(StoreMoveFault) -> Answer {
        do throws(Connection.Fault) { return try body() } catch { throw Self.fault(error) }
    }

    package func rowCount(of table: MovedTable) throws(StoreMoveFault) -> Int {
        try run { () throws(Connection.Fault) in
            try connection.one("SELECT count(*) FROM \(table.rawValue)") { row throws(DamagedRow) in
                try row.count(0)
            } ?? 0
        }
    }

    package func forEachRow(
        of table: MovedTable, _ body: (MovedRow) throws(StoreMoveFault) -> Void
    ) throws(StoreMoveFault) {
        let (columns, dialect) = (table.columns, Connection.dialect)
        let key = columns.prefix(table.keyCount)
        let names = key.map { $0.name(in: dialect) }.joined(separator: ", ")
        // Rows with a body can be large.
        let limit = table == .segment || table == .snapshot || table == .note ? 32 : 1_000
        let sql = """
            SELECT \(columns.map { $0.read(in: dialect) }.joined(separator: ", "))
            FROM \(table == .token ? dialect.tokens : table.rawValue)
            WHERE (\(names)) > (\(SQLDialect.parameters(table.keyCount))) ORDER BY \(names) LIMIT \(limit)
            """
        // Before every key.
        var last = key.map { $0.kind == .bytes ? SQLValue.bytes([]) : .integer(.min) }
        while true {
            let page = try run { () throws(Connection.Fault) in
                try connection.every(sql, values: last) { row throws(DamagedRow) in
                    try row.values(of: columns)
                }
            }
            for row in page { try body(row) }
            if page.count < limit { return }
            last = Array(page[page.count - 1].prefix(table.keyCount))
        }
    }
}

extension MovedTable.Column {
    /// What is read of the column. In SQLite, a token without an end has no row that says whether it has ended.
    fileprivate func read(in dialect: SQLDialect) -> String {
        kind == .flag ? "coalesce(\(name(in: dialect)), 0)" : name(in: dialect)
    }
}

extension SQLRow {
    fileprivate func values(of columns: [MovedTable.Column]) throws(DamagedRow) -> MovedRow {
        var values: MovedRow = []
        for (index, column) in columns.enumerated() {
            let index = Int32(index)
            switch column.kind {
            case .number, .flag: values.append(.integer(try integer(index)))
            case .optionalNumber: values.append(.integer(try optionalInteger(index)))
            case .bytes: values.append(.bytes(bytes(index)))
            }
        }
        return values
    }
}
