import CaretFormat
import CaretLog

/// Opens a database: connects, checks the server, brings the schema up to date, and registers this server.
struct StoreOpening {
    let address: PostgresAddress
    let patience: Int32
    let node: String
    let allowsUnreplicated: Bool
    let migrations: [PostgresMigration]
    let clock: StoreClock
    let onEvent: @Sendable (PostgresEvent) -> Void

    func open() throws(PostgresOpeningFault) -> SharedState {
        var host = 0
        for _ in 1..<address.hostCount {
            let connection = try connection(beginningWith: host)
            // A former primary may accept connections, and confirm nothing. Another host may have taken over.
            do throws(PostgresOpeningFault) { return try open(connection) } catch {
                if !connection.hasTimedOut { throw error }
            }
            host = connection.host + 1
        }
        return try open(try connection(beginningWith: host))
    }

    private func connection(beginningWith host: Int) throws(PostgresOpeningFault) -> PostgresConnection {
        do throws(PostgresFault) {
            let new = try PostgresConnection(address, beginningWith: host, patience: patience)
            try PoolerSign.check(
                new, beside: PostgresConnection(address, beginningWith: new.host, patience: patience))
            // Less than the patience for an answer, so that a lock is not taken for a standby that does not confirm.
            try new.execute("SET client_min_messages = warning; SET lock_timeout = \(patience / 2)")
            return new
        } catch {
            throw PostgresOpeningFault(error)
        }
    }

    private func open(_ connection: PostgresConnection) throws(PostgresOpeningFault) -> SharedState {
        let standbys = try ServerCheck.check(connection, allowsUnreplicated: allowsUnreplicated)
        do throws(PostgresOpeningFault) {
            return try migrated(connection)
        } catch {
            // The first commit of a start waits for the standbys.
            if connection.hasTimedOut, !standbys.isEmpty {
                throw .notConfirmed(standbys, seconds: Int(patience / 1_000))
            }
            throw error
        }
    }

    private func migrated(_ connection: PostgresConnection) throws(PostgresOpeningFault) -> SharedState {
        try PostgresMigrator(migrations: migrations, onEvent: onEvent).migrate(connection)
        do throws(PostgresFault) {
            return try registered(connection)
        } catch {
            throw PostgresOpeningFault(error)
        }
    }

    private func registered(_ connection: PostgresConnection) throws(PostgresFault) -> SharedState {
        connection.begin("BEGIN ISOLATION LEVEL READ COMMITTED")
        let node = try NodeTable.number(of: node, connection)
        let cluster = try Cluster(connection)
        let (generation, renewal) = try StoreGeneration.read(connection, cluster)
        try connection.commit()
        let shared = SharedState(
            address, patience: patience, node: node, allowsUnreplicated: allowsUnreplicated,
            generation: Generation(generation), clock: clock, cluster: cluster, isFresh: renewal != .kept,
            host: connection.host, onEvent: onEvent)
        let asked = clock.machineTime
        shared.noteTime(try NodeTable.time(connection), askedAt: asked)
        if renewal == .renewed { onEvent(.renewed(.otherCluster)) }
        return shared
    }
}
