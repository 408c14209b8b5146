import CaretCore
import CaretFormat
import CaretLog

/// Writes rows of another kind of store, and adds the checksums that only SQLite rows have.
struct MovedRowWriter {
    let database: Database

    func insert(_ row: MovedRow, into table: MovedTable) throws(StoreFault) {
        switch table {
        case .author, .segment, .snapshot: try insert(row, sum: nil, into: table)
        case .document:
            let document = try StoreFault.reading { () throws(DamagedRow) in
                try DocumentRow(row.columns(), generation: 0, .postgres)
            }
            try document.insert(into: database)
        case .pusher:
            guard let pusher = try author(row[1]) else {
                throw .damagedRow("a row of pusher has no author")
            }
            let sum = try StoreFault.reading { () throws(DamagedRow) in
                let document = DocumentID(try row.columns().integer(0))
                return try PusherRow(row.columns(after: 1), of: pusher, in: document, .postgres).sum
            }
            try insert(row, sum: sum, into: table)
        case .tag:
            try insert(row, into: table) { columns, document throws(DamagedRow) in
                try Tag(columns, of: document, .postgres).sum(in: document)
            }
        case .notebook:
            try insert(row, into: table) { columns, document throws(DamagedRow) in
                try Notebook(columns, of: document, .postgres).sum(in: document)
            }
        case .note:
            try insert(row, into: table) { columns, document throws(DamagedRow) in
                try Note(columns, of: document, .postgres).sum(in: document)
            }
        case .token: try insertToken(row)
        case .signOut:
            let sum = try StoreFault.reading { () throws(DamagedRow) in
                let columns = row.columns()
                return try SignOut(columns, .postgres).sum(number: columns.integer(0))
            }
            try insert(row, sum: sum, into: table)
        }
    }

    private func insertToken(_ row: MovedRow) throws(StoreFault) {
        let columns = row.columns()
        let token = try StoreFault.reading { () throws(DamagedRow) in
            try TokenRow(columns, hasSums: false)
        }
        try token.insert(with: columns.bytes(5), into: database)
        if token.expires != nil {
            try database.change("UPDATE token_end SET ended = $1 WHERE token = $2", row[6], row[0])
        }
        if !columns.isNull(7) {
            try database.change("INSERT INTO token_use (token, used) VALUES ($1, $2)", row[0], row[7])
        }
    }

    private func author(_ number: SQLValue) throws(StoreFault) -> Pusher? {
        try database.one("SELECT user, client FROM author WHERE id = $1", number) { row in row.pusher(0) }
    }

    /// Inserts a row whose first column is its document. `sum` gets the other columns.
    private func insert(
        _ row: MovedRow, into table: MovedTable, sum: (SQLRow, DocumentID) throws(DamagedRow) -> Int64
    ) throws(StoreFault) {
        let found = try StoreFault.reading { () throws(DamagedRow) in
            try sum(row.columns(after: 1), DocumentID(row.columns().integer(0)))
        }
        try insert(row, sum: found, into: table)
    }

    private func insert(_ row: MovedRow, sum: Int64?, into table: MovedTable) throws(StoreFault) {
        let columns = table.columns.map { $0.name(in: .sqlite) } + (sum == nil ? [] : ["sum"])
        let values = row + (sum.map { [.integer($0)] } ?? [])
        try database.change(
            """
            INSERT INTO \(table.rawValue) (\(columns.joined(separator: ", ")))
            VALUES (\(SQLDialect.parameters(values.count)))
            """, values)
    }
}
