package import CaretFormat
package import CaretLog

/// The connection of a move. The copy is one transaction.
///
/// The transaction locks the tables. So no server can start on the database, and a running server cannot write. When the
/// transaction ends, the old database has a fence.
package final class MoveConnection: MovableRows {
    /// Which store the database holds. The old one gets no new text, so it needs no standby.
    enum Role {
        case source
        case target(allowsUnreplicated: Bool)
    }

    let connection: PostgresConnection
    let shared: SharedState
    /// The note of a move from this database that has not ended. Its fence is down until the transaction ends.
    let unfinishedMove: String?

    /// The longest time of a statement, in milliseconds. The commit of a large store takes longest.
    private static let patience: Int32 = 600_000
    /// The number of rows to read at once. Rows with a body can be large.
    private static let (manyRows, fewRows): (Int64, Int64) = (1_000, 32)

    /// Connects, brings the schema up to date, and begins the transaction.
    init(_ address: PostgresAddress, as role: Role) throws(StoreMoveFault) {
        do throws(PostgresFault) {
            connection = try PostgresConnection(
                address, beginningWith: 0, patience: MoveConnection.patience)
            try PoolerSign.check(connection, address, patience: MoveConnection.patience)
            try connection.execute(
                """
                SET client_min_messages = warning; SET lock_timeout = '5s'; SET statement_timeout = 0;
                SET idle_in_transaction_session_timeout = 0
                """)
        } catch {
            throw .failed("\(PostgresOpeningFault(error))")
        }
        let allowsUnreplicated: Bool
        let isSource: Bool
        switch role {
        case .source:
            try MoveConnection.requireStore(connection)
            (isSource, allowsUnreplicated) = (true, true)
        case .target(let isAllowed): (isSource, allowsUnreplicated) = (false, isAllowed)
        }
        do throws(PostgresOpeningFault) {
            try ServerCheck.check(connection, allowsUnreplicated: allowsUnreplicated)
            try PostgresMigrator(migrations: PostgresMigration.all, onEvent: { _ in }).migrate(connection)
        } catch {
            throw .failed("\(error)")
        }
        do throws(PostgresFault) {
            try MoveConnection.lock(connection)
            unfinishedMove = isSource ? try MoveFence.unfinishedMove(connection) : nil
            if unfinishedMove != nil { try MoveFence.lower(connection) }
            shared = try MoveConnection.state(connection, address)
        } catch {
            throw MoveConnection.fault(error)
        }
        try requireNoServer()
    }

    /// Without this check, a wrong address would count as an empty store, and get its tables.
    private static func requireStore(_ connection: PostgresConnection) throws(StoreMoveFault) {
        do throws(PostgresFault) {
            let table = try connection.run("SELECT to_regclass('store')::text").first
            if table?.isNull(0) == false { return }
        } catch {
            throw fault(error)
        }
        throw .failed("there is no store in the database", advice: "check the address of the old store")
    }

    /// Begins the transaction. The advisory lock lasts longer: it keeps other moves away until the connection ends. No
    /// server has the number 0.
    private static func lock(_ connection: PostgresConnection) throws(PostgresFault) {
        try connection.execute(
            """
            SELECT pg_advisory_lock(hashtext(\(BusConnection.channel)), 0);
            BEGIN; LOCK TABLE \(MoveFence.tables.joined(separator: ", ")) IN EXCLUSIVE MODE
            """)
    }

    private static func state(
        _ connection: PostgresConnection, _ address: PostgresAddress
    ) throws(PostgresFault) -> SharedState {
        let cluster = try Cluster(connection)
        let (generation, _) = try StoreGeneration.read(connection, cluster)
        return SharedState(
            address, patience: patience, node: 0, allowsUnreplicated: true,
            generation: Generation(generation), clock: StoreClock(StoreSettings().now), cluster: cluster,
            isFresh: false, host: connection.host,
            onEvent: { _ in })
    }

    /// If a server whose connection is cut comes back, `MoveFence` refuses its writes.
    private func requireNoServer() throws(StoreMoveFault) {
        let running = try run { () throws(PostgresFault) in try NodeTable.running(connection) }
        guard let running else { return }
        throw .failed("the server \(running) uses the database", advice: "stop all servers first")
    }

    /// Runs `body`, and turns its fault into words.
    func run<Answer>(_ body: () throws(PostgresFault) -> Answer) throws(StoreMoveFault) -> Answer {
        do throws(PostgresFault) { return try body() } catch { throw MoveConnection.fault(error) }
    }

    private static func fault(_ fault: PostgresFault) -> StoreMoveFault {
        if case .server(let error) = fault {
            switch MoveFence.State(rawValue: error.state) {
            case .moved: return .failed(error.message)
            case .moving: return .failed(error.message, advice: MoveNote.advice)
            case nil: break
            }
            if error.isLocked {
                return .failed(
                    "another program uses the database", advice: "stop all servers and other programs first")
            }
        }
        return .failed("\(fault)")
    }

    // MARK: Rows

    package func rowCount(of table: MovedTable) throws(StoreMoveFault) -> Int {
        try run { () throws(PostgresFault) in
            Int(try connection.run("SELECT count(*) FROM \(table.rawValue)").first?.integer(0) ?? 0)
        }
    }

    package func forEachRow(
        of table: MovedTable, _ body: (MovedRow) throws(StoreMoveFault) -> Void
    ) throws(StoreMoveFault) {
        let columns = table.columns
        let key = columns.prefix(table.keyCount)
        let (names, places) = (
            key.map(\.name).joined(separator: ", "),
            (1...table.keyCount).map { "$\($0)" }.joined(separator: ", ")
        )
        let limit = columns.contains { $0.name == "body" } ? MoveConnection.fewRows : MoveConnection.manyRows
        // Before every key.
        var last = key.map { $0.kind == .bytes ? PostgresValue.bytes([]) : .integer(.min) }
        while true {
            let page = try run { () throws(PostgresFault) in
                try connection.run(
                    """
                    SELECT \(columns.map(\.name).joined(separator: ", ")) FROM \(table.rawValue)
                    WHERE (\(names)) > (\(places)) ORDER BY \(names) LIMIT \(limit)
                    """, last)
            }
            for row in page.rows {
                let values = try run { () throws(PostgresFault) in try row.values(of: columns) }
                last = values.prefix(table.keyCount).map(PostgresValue.init)
                try body(values)
            }
            if page.count < limit { return }
        }
    }

    package func check(_ progress: (CheckProgress) -> Void) -> CheckReport {
        var check = PostgresCheck(
            PostgresRows(source: .transaction(connection, shared)), of: nil, isStopped: { false })
        return check.run(progress)
    }
}

extension PostgresRow {
    fileprivate func values(of columns: [MovedTable.Column]) throws(PostgresFault) -> MovedRow {
        try columns.enumerated().map { index, column throws(PostgresFault) in
            let index = Int32(index)
            switch column.kind {
            case .number: return .number(try integer(index))
            case .bytes: return .bytes(bytes(index))
            case .optionalNumber: return try optionalInteger(index).map { .number($0) } ?? .null
            }
        }
    }
}

extension PostgresValue {
    fileprivate init(_ value: MovedValue) {
        switch value {
        case .number(let number): self = .integer(number)
        case .bytes(let bytes): self = .bytes(bytes)
        case .null: self = .null
        }
    }
}
