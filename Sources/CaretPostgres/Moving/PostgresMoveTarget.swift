package import CaretFormat
import CaretLog

/// The new store, in an empty database. Servers see it only after the commit.
package final class PostgresMoveTarget: MoveTarget {
    package let rows: MoveConnection
    package let copiedDigest: [UInt8]?
    /// The rows that are not sent yet. All of them belong to `waitingTable`.
    private var waiting: [MovedRow] = []
    private var waitingTable = MovedTable.author
    private var waitingBytes = 0

    /// The limits of rows and bytes that are sent at once.
    private static let (mostRows, mostBytes) = (1_000, 1 << 20)
    /// Stands for null in an array. Optional numbers are never negative.
    private static let missing: Int64 = -1

    /// Creates the tables, if they are missing. Without a synchronous standby, throws unless
    /// `allowsUnreplicated`.
    package init(_ address: PostgresAddress, allowsUnreplicated: Bool) throws(StoreMoveFault) {
        rows = try MoveConnection(address, as: .target(allowsUnreplicated: allowsUnreplicated))
        var isEmpty = true
        for table in MovedTable.allCases where isEmpty { isEmpty = try rows.rowCount(of: table) == 0 }
        copiedDigest = isEmpty ? nil : try PostgresMoveTarget.digest(rows)
        if !isEmpty, copiedDigest == nil {
            throw .failed(
                "the database has documents or tokens already, and a move never replaces a store",
                advice: "create a new database, and move to that one")
        }
    }

    /// What an earlier move has recorded.
    private static func digest(_ rows: MoveConnection) throws(StoreMoveFault) -> [UInt8]? {
        try rows.run { () throws(PostgresFault) in
            let table = try rows.connection.run("SELECT to_regclass('caret_copied')::text").first
            if table?.isNull(0) != false { return nil }
            return try rows.connection.run("SELECT digest FROM caret_copied").first?.bytes(0)
        }
    }

    package func write(_ row: MovedRow, to table: MovedTable) throws(StoreMoveFault) {
        if table != waitingTable { try send() }
        waitingTable = table
        waiting.append(row)
        waitingBytes += row.reduce(0) { sum, value in
            if case .bytes(let bytes) = value { sum + bytes.count } else { sum + 8 }
        }
        if waiting.count >= PostgresMoveTarget.mostRows || waitingBytes >= PostgresMoveTarget.mostBytes {
            try send()
        }
    }

    private func send() throws(StoreMoveFault) {
        if waiting.isEmpty { return }
        let columns = waitingTable.columns
        let names = columns.map { $0.name(in: .postgres) }
        let selected = zip(columns, names).map { column, name in
            column.kind == .optionalNumber ? "nullif(\(name), \(PostgresMoveTarget.missing))" : name
        }
        let list = names.joined(separator: ", ")
        let overriding = names[0] == "id" ? "OVERRIDING SYSTEM VALUE " : ""
        let lists = columns.indices.map { index in
            columns[index].kind == .bytes
                ? PostgresValue.arrayOfBytes(waiting.map { $0[index].bytes })
                : .integers(waiting.map { $0[index].number ?? PostgresMoveTarget.missing })
        }
        try rows.run { () throws(PostgresFault) in
            _ = try rows.connection.run(
                """
                INSERT INTO \(waitingTable.rawValue) (\(list)) \(overriding)
                SELECT \(selected.joined(separator: ", "))
                FROM unnest(\(SQLDialect.parameters(columns.count))) AS rows (\(list))
                """, lists)
        }
        waiting = []
        waitingBytes = 0
    }

    package func finish(_ identity: StoreIdentity, digest: [UInt8]) throws(StoreMoveFault) {
        try send()
        try rows.run { () throws(PostgresFault) in
            // An administrator may have removed the rows of an earlier move, but not its record.
            try rows.connection.execute(
                "CREATE TABLE IF NOT EXISTS caret_copied (digest bytea NOT NULL); DELETE FROM caret_copied")
            try rows.connection.run("INSERT INTO caret_copied VALUES ($1)", [.bytes(digest)])
            try rows.connection.run(
                "UPDATE store SET generation = $1", [.integer(Int64(bitPattern: identity.generation))])
            for table in MovedTable.numbered + [.author] {
                let highest = try rows.connection.run("SELECT coalesce(max(id), 0) FROM \(table.rawValue)")
                    .first?.integer(0)
                let last = max(highest ?? 0, identity.lastNumbers[table] ?? 0)
                if last == 0 { continue }
                try rows.connection.run(
                    "SELECT setval(pg_get_serial_sequence('\(table.rawValue)', 'id'), $1)", [.integer(last)])
            }
        }
        rows.shared.generation.renew(to: identity.generation)
    }

    package func publish() throws(StoreMoveFault) {
        do throws(PostgresFault) {
            // A commit waits for the standbys only if it has written something.
            try rows.connection.run("UPDATE caret_copied SET digest = digest")
            try rows.connection.commit()
        } catch {
            throw .unfinished(
                "PostgreSQL did not confirm the copy, so it may be there or not: \(error)",
                advice: MoveNote.advice)
        }
        if let warning = rows.connection.takeWarning() {
            throw .unfinished(
                "the copy is in PostgreSQL, but perhaps not on its standbys: \(warning)",
                advice: MoveNote.advice)
        }
        // Only makes queries faster, so a failure does not matter.
        _ = try? rows.connection.execute("ANALYZE")
    }
}
