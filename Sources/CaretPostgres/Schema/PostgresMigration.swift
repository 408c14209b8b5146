import CaretFormat
import CaretLog

/// One step of the schema: a file of `migrations/postgres/`.
package struct PostgresMigration: Sendable {
    package let number: Int64
    package let sql: [UInt8]
    /// Servers that know the schema up to this number can use the database after this step, too. If that is not even the
    /// schema before this one, all servers must stop for the step.
    package let oldest: Int64

    package init(number: Int64, sql: [UInt8], oldest: Int64) {
        self.number = number
        self.sql = sql
        self.oldest = oldest
    }

    /// All steps in order. A test compares them with the folder. The build embeds each file as a constant, whose name
    /// has an underscore instead of the first digit.
    package static let all = [
        PostgresMigration(number: 1, sql: PackageResources._001_documents_sql, oldest: 1),
        PostgresMigration(number: 2, sql: PackageResources._002_node_reports_sql, oldest: 1),
        PostgresMigration(number: 3, sql: PackageResources._003_ended_tokens_sql, oldest: 1),
        PostgresMigration(number: 4, sql: PackageResources._004_place_sql, oldest: 1),
        PostgresMigration(number: 5, sql: PackageResources._005_sign_outs_sql, oldest: 1),
        PostgresMigration(number: 6, sql: PackageResources._006_links_sql, oldest: 1),
        PostgresMigration(number: 7, sql: PackageResources._007_notes_sql, oldest: 1),
    ]

    fileprivate var checksum: [UInt8] { SHA256.digest(of: sql).bytes }
}

/// Brings a database to the schema of this build. Several servers may do this at once: they take turns.
struct PostgresMigrator {
    private typealias Applied = (number: Int64, checksum: [UInt8], oldest: Int64)

    let migrations: [PostgresMigration]
    let onEvent: @Sendable (PostgresEvent) -> Void

    /// How long a migration may take, in milliseconds.
    private static let patience: Int32 = 600_000
    /// The number of the lock that migrations take: "Care".
    private static let lock: Int64 = 0x4361_7265

    /// Applies the missing migrations, all in one transaction. Refuses a database of a later version that needs later
    /// servers, and one with other migrations than this build has.
    func migrate(_ connection: PostgresConnection) throws(PostgresOpeningFault) {
        var problem: PostgresOpeningFault?
        do throws(PostgresFault) {
            // This commit does not wait for the standbys. The next one does, and holds no lock on the tables.
            try execute(
                "BEGIN; SET LOCAL synchronous_commit = local; SELECT pg_advisory_xact_lock(\(PostgresMigrator.lock))",
                connection)
            try execute(
                """
                CREATE TABLE IF NOT EXISTS schema_migration (
                    number bigint PRIMARY KEY, checksum bytea NOT NULL, oldest bigint)
                """, connection)
            // Version 0.1.0 has recorded no oldest server, and each of its steps suits the ones before.
            let hasOldest =
                try connection.run(
                    """
                    SELECT 1 FROM pg_attribute WHERE attrelid = 'schema_migration'::regclass AND attname = 'oldest'
                    """
                ).count > 0
            if !hasOldest { try execute("ALTER TABLE schema_migration ADD COLUMN oldest bigint", connection) }
            let applied = try connection.run(
                "SELECT number, checksum, coalesce(oldest, 1) FROM schema_migration ORDER BY number"
            ).rows.map { row throws(PostgresFault) -> Applied in
                (try row.integer(0), row.bytes(1), try row.integer(2))
            }
            problem = fault(of: applied)
            if problem == nil { problem = try olderServer(after: applied, connection) }
            if problem == nil {
                for migration in migrations.dropFirst(applied.count) { try apply(migration, connection) }
            }
            try execute(problem == nil ? "COMMIT" : "ROLLBACK", connection)
        } catch {
            let fault = PostgresOpeningFault(error)
            if case .refused = fault { throw .migrationFailed("\(error)") }
            throw fault
        }
        if let problem { throw problem }
    }

    private func fault(of applied: [Applied]) -> PostgresOpeningFault? {
        let known = migrations.last?.number ?? 0
        if let newest = applied.last, applied.contains(where: { $0.oldest > known }) {
            return .schemaTooNew(found: newest.number, known: known)
        }
        for (one, migration) in zip(applied, migrations) where one.checksum != migration.checksum {
            return .migrationChanged(migration: migration.number)
        }
        return nil
    }

    /// A server that still runs, and that does not know a schema that the missing migrations need.
    private func olderServer(
        after applied: [Applied], _ connection: PostgresConnection
    ) throws(PostgresFault) -> PostgresOpeningFault? {
        guard let schema = applied.last?.number,
            migrations.dropFirst(applied.count).contains(where: { $0.oldest > schema }),
            let name = try NodeTable.running(connection)
        else { return nil }
        return .olderServer(name)
    }

    private func apply(
        _ migration: PostgresMigration, _ connection: PostgresConnection
    ) throws(PostgresFault) {
        onEvent(.migrating(migration.number))
        try execute(String(decoding: migration.sql, as: UTF8.self), connection)
        try connection.run(
            "INSERT INTO schema_migration (number, checksum, oldest) VALUES ($1, $2, $3)",
            [.integer(migration.number), .bytes(migration.checksum), .integer(migration.oldest)])
    }

    private func execute(_ sql: String, _ connection: PostgresConnection) throws(PostgresFault) {
        try connection.execute(sql, within: PostgresMigrator.patience)
    }
}
