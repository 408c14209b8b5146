import CaretFormat
import CaretLog

/// Opens a database: connects, checks the server, brings the schema up to date, and registers this server.
struct StoreOpening {
    let address: PostgresAddress
    let patience: Int32
    let node: String
    let allowsUnreplicated: Bool
    let migrations: [PostgresMigration]
    let onEvent: @Sendable (PostgresEvent) -> Void

    func open() throws(PostgresOpeningFault) -> SharedState {
        let connection: PostgresConnection
        do throws(PostgresFault) {
            connection = try PostgresConnection(address, patience: patience)
            try connection.execute(
                "SET client_min_messages = warning; SET synchronous_commit = on")
        } catch {
            throw .cannotConnect("\(error)")
        }
        try ServerCheck.check(connection, allowsUnreplicated: allowsUnreplicated)
        try PostgresMigrator(migrations: migrations, onEvent: onEvent).migrate(connection)
        do throws(PostgresFault) {
            return try registered(connection)
        } catch {
            throw .cannotConnect("\(error)")
        }
    }

    private func registered(_ connection: PostgresConnection) throws(PostgresFault) -> SharedState {
        let node = try connection.run(
            """
            INSERT INTO node (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = excluded.name
            RETURNING number
            """, [.text(node)]
        ).first?.integer(0)
        guard let node else { throw .lost("PostgreSQL returned no row of an insertion") }
        let cluster = try Cluster(connection)
        let (generation, renewal) = try generation(connection, cluster)
        let shared = SharedState(
            address, patience: patience, node: node, generation: Generation(generation), cluster: cluster,
            isFresh: renewal != .kept, onEvent: onEvent)
        if renewal == .renewed { onEvent(.renewed(.otherCluster)) }
        return shared
    }

    private enum Renewal {
        case kept
        case created
        case renewed
    }

    /// The generation of the store. If the database is in another cluster, or on another timeline, it may have been
    /// restored from a copy, and no running server can say that nothing is missing. Then the generation is renewed.
    private func generation(
        _ connection: PostgresConnection, _ cluster: Cluster
    ) throws(PostgresFault) -> (UInt64, Renewal) {
        let new = UInt64.random(in: .min ... .max)
        let values: [PostgresValue] = [
            .integer(Int64(bitPattern: new)), .integer(cluster.identifier), .integer(cluster.timeline),
        ]
        let created = try connection.run(
            "INSERT INTO store (generation, cluster, timeline) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            values)
        if created.changes > 0 { return (new, .created) }
        let renewed = try connection.run(
            """
            UPDATE store SET generation = $1, cluster = $2, timeline = $3 WHERE cluster <> $2 OR timeline <> $3
            """, values)
        if renewed.changes > 0 { return (new, .renewed) }
        let row = try connection.run("SELECT generation FROM store").first
        guard let row else { throw .lost("the row of the store is missing") }
        return (UInt64(bitPattern: row.integer(0)), .kept)
    }
}
