package import CaretFormat
package import CaretLog

/// The connection of a move. The copy is one transaction.
///
/// The transaction locks the tables. So no server can start on the database, and a running server cannot write. When the
/// transaction ends, the old database has a fence.
package final class MoveConnection: SQLMovableRows {
    /// Which store the database holds. The old one gets no new text, so it needs no standby.
    enum Role {
        case source
        case target(allowsUnreplicated: Bool)
    }

    package let connection: PostgresConnection
    let shared: SharedState
    /// The note of a move from this database that has not ended. Its fence is down until the transaction ends.
    let unfinishedMove: String?

    /// The longest time of a statement, in milliseconds. The commit of a large store takes longest.
    private static let patience: Int32 = 600_000

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

    package static func fault(_ fault: PostgresFault) -> StoreMoveFault {
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

    package func check(_ progress: (CheckProgress) -> Void) -> CheckReport {
        var check = StoreCheck(SQLRows(connection, shared.generation))
        return check.run(progress)
    }
}
