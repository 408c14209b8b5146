import CaretFormat
import CaretLog

/// The table of the servers that use the database.
struct NodeTable {
    let connection: PostgresConnection
    /// The number of this server.
    let node: Int64

    /// The time of PostgreSQL, in milliseconds.
    private static let now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
    /// A server that was killed is listed this long, in milliseconds.
    private static let listed = 86_400_000
    /// More servers are not listed.
    private static let most = 1_000

    /// The number of the server with this name, which gets one if it has none.
    static func number(of name: String, _ connection: PostgresConnection) throws(PostgresFault) -> Int64 {
        let row = try connection.run(
            """
            INSERT INTO node (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = excluded.name
            RETURNING number
            """, [.text(name)]
        ).first
        guard let row else { throw .lost("PostgreSQL returned no row of an insertion") }
        return try row.integer(0)
    }

    /// The name of a server that runs: each one holds an advisory lock with its number, unless its connection is cut. Until
    /// the end of the transaction, holds the locks of the servers that do not run.
    static func running(_ connection: PostgresConnection) throws(PostgresFault) -> String? {
        try connection.run(
            """
            SELECT name FROM node
            WHERE NOT pg_try_advisory_xact_lock(hashtext(\(BusConnection.channel)), number::integer) LIMIT 1
            """
        ).first?.text(0)
    }

    /// PostgreSQL's time.
    static func time(_ connection: PostgresConnection) throws(PostgresFault) -> Int64 {
        guard let row = try connection.run("SELECT \(now)").first else {
            throw .lost("PostgreSQL does not tell its time")
        }
        return try row.integer(0)
    }

    /// Writes the report. Returns PostgreSQL's list of synchronous standbys, and its time; nil if the row is missing.
    func write(_ report: NodeReport) throws(PostgresFault) -> (standbys: String, time: Int64)? {
        let row = try connection.run(
            """
            UPDATE node SET address = $2, version = $3, started = $4, connections = $5, documents = $6,
                seen = \(NodeTable.now) WHERE number = $1 RETURNING current_setting('synchronous_standby_names'),
                \(NodeTable.now), \(BusConnection.withoutWaiting)
            """,
            [
                .integer(node), .text(report.address), .text(report.version), .integer(report.started),
                .integer(Int64(report.load.connections)), .integer(Int64(report.load.documents)),
            ]
        ).first
        guard let row else { return nil }
        return (row.text(0), try row.integer(1))
    }

    /// Records that this server has stopped.
    func leave() throws(PostgresFault) {
        try connection.run(
            "UPDATE node SET seen = NULL WHERE number = $1 RETURNING \(BusConnection.withoutWaiting)",
            [.integer(node)])
    }

    func others() throws(PostgresFault) -> [NodeEntry] {
        try connection.run(
            """
            SELECT name, address, version, started, connections, documents, greatest(\(NodeTable.now) - seen, 0)
            FROM node WHERE number <> $1 AND seen > \(NodeTable.now) - \(NodeTable.listed)
            ORDER BY name COLLATE "C" LIMIT \(NodeTable.most)
            """, [.integer(node)]
        ).rows.map { row throws(PostgresFault) in
            let load = NodeLoad(connections: try row.count(4), documents: try row.count(5))
            let report = NodeReport(
                address: row.text(1), version: row.text(2), started: try row.integer(3), load: load)
            return NodeEntry(name: row.text(0), report: report, silence: try row.integer(6))
        }
    }
}
