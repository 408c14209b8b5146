import CaretLog

/// One step of the schema, as `migrations/` has it.
package struct Migration: Sendable {
    package let number: Int64
    package let sql: [UInt8]

    package init(number: Int64, sql: [UInt8]) {
        self.number = number
        self.sql = sql
    }

    /// All steps in their order. A test compares the list with the folder. The build names each file as a constant,
    /// with an underscore in place of the first digit.
    package static let all = [
        Migration(number: 1, sql: PackageResources._001_documents_sql),
        Migration(number: 2, sql: PackageResources._002_tokens_sql),
    ]

    /// What a file of ours bears in its header: "Care".
    static let applicationID: Int64 = 0x4361_7265
}

/// Brings a database to the schema of this build.
struct Migrator {
    let migrations: [Migration]

    /// Applies what is missing in a file that was not refused, each step in a transaction of its own.
    func migrate(_ database: Database, tell: (StoreEvent) -> Void) throws(OpeningFault) {
        let applied = try applied(in: database).map(\.number)
        for migration in migrations where !applied.contains(migration.number) {
            try apply(migration, to: database, tell)
        }
    }

    /// Refuses a file of a later version, and one whose migrations are others.
    func refuseUnknown(in database: Database) throws(OpeningFault) {
        let (applied, known) = (try applied(in: database), migrations.last?.number ?? 0)
        if let newest = applied.last, newest.number > known {
            throw .newer(found: newest.number, known: known)
        }
        for (one, migration) in zip(applied, migrations) where one.checksum != checksum(migration) {
            throw .changed(migration: migration.number)
        }
    }

    /// Marks an empty file as ours, with nothing applied yet.
    static func begin(_ database: Database) throws(DatabaseFault) {
        try database.execute(
            """
            PRAGMA application_id = \(Migration.applicationID);
            CREATE TABLE schema_migration (
                number   INTEGER PRIMARY KEY,
                checksum BLOB    NOT NULL
            ) STRICT;
            """)
    }

    /// Refuses a file whose schema is not that of this build, and leaves it as it is.
    func requireAll(in database: Database) throws(OpeningFault) {
        try refuseUnknown(in: database)
        let (newest, known) = (try applied(in: database).last?.number ?? 0, migrations.last?.number ?? 0)
        if newest < known { throw .older(found: newest, known: known) }
    }

    private func applied(in database: Database) throws(OpeningFault) -> [(number: Int64, checksum: [UInt8])] {
        do throws(DatabaseFault) {
            return try database.all("SELECT number, checksum FROM schema_migration ORDER BY number") {
                ($0.integer(0), $0.bytes(1))
            }
        } catch {
            throw .database(error)
        }
    }

    private func apply(
        _ migration: Migration, to database: Database, _ tell: (StoreEvent) -> Void
    ) throws(OpeningFault) {
        try database.transaction { () throws(OpeningFault) in
            tell(.migrating(migration.number))
            do throws(DatabaseFault) {
                try database.execute(String(decoding: migration.sql, as: UTF8.self))
                try database.run(
                    "INSERT INTO schema_migration VALUES (?, ?)", .integer(migration.number),
                    .bytes(checksum(migration)))
            } catch {
                throw .migrating(migration.number, error)
            }
        } orFault: {
            .migrating(migration.number, $0)
        }
    }

    private func checksum(_ migration: Migration) -> [UInt8] { SHA256.digest(of: migration.sql).bytes }
}
