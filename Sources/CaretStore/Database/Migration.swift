import CaretFormat
import CaretLog

/// One step of the schema: a file of `migrations/`.
package struct Migration: Sendable {
    package let number: Int64
    package let sql: [UInt8]

    package init(number: Int64, sql: [UInt8]) {
        self.number = number
        self.sql = sql
    }

    /// All steps in order. A test compares them with the folder. The build embeds each file as a constant,
    /// whose name has an underscore instead of the first digit.
    package static let all = [
        Migration(number: 1, sql: PackageResources._001_documents_sql),
        Migration(number: 2, sql: PackageResources._002_tokens_sql),
        Migration(number: 3, sql: PackageResources._003_token_ends_sql),
        Migration(number: 4, sql: PackageResources._004_erasure_sql),
        Migration(number: 5, sql: PackageResources._005_tags_sql),
        Migration(number: 6, sql: PackageResources._006_ended_tokens_sql),
        Migration(number: 7, sql: PackageResources._007_sign_outs_sql),
        Migration(number: 8, sql: PackageResources._008_links_sql),
        Migration(number: 9, sql: PackageResources._009_notes_sql),
    ]

    /// The application ID in the header of Caret's databases: "Care".
    static let applicationID: Int64 = 0x4361_7265
}

/// Brings a database to the schema of this build.
struct Migrator {
    let migrations: [Migration]

    /// Applies the missing migrations, each in its own transaction. Call `refuseUnknown` before.
    func migrate(_ database: Database, onEvent: (StoreEvent) -> Void) throws(OpeningFault) {
        let applied = try applied(in: database).map(\.number)
        for migration in migrations where !applied.contains(migration.number) {
            try apply(migration, to: database, onEvent)
        }
    }

    /// Refuses a database of a later version, or with other migrations than this build has.
    func refuseUnknown(in database: Database) throws(OpeningFault) {
        let (applied, known) = (try applied(in: database), migrations.last?.number ?? 0)
        if let newest = applied.last, newest.number > known {
            throw .schemaTooNew(found: newest.number, known: known)
        }
        for (one, migration) in zip(applied, migrations) where one.checksum != checksum(migration) {
            throw .migrationChanged(migration: migration.number)
        }
    }

    /// Marks an empty file as a database of Caret to which no migration was applied yet.
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

    /// Refuses a database whose schema differs from the schema of this build. Changes nothing.
    func requireAll(in database: Database) throws(OpeningFault) {
        try refuseUnknown(in: database)
        let (newest, known) = (try applied(in: database).last?.number ?? 0, migrations.last?.number ?? 0)
        if newest < known { throw .schemaTooOld(found: newest, known: known) }
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
        _ migration: Migration, to database: Database, _ onEvent: (StoreEvent) -> Void
    ) throws(OpeningFault) {
        try database.transaction { () throws(OpeningFault) in
            onEvent(.migrating(migration.number))
            do throws(DatabaseFault) {
                try database.execute(String(decoding: migration.sql, as: UTF8.self))
                try database.run(
                    "INSERT INTO schema_migration VALUES (?, ?)", .integer(migration.number),
                    .bytes(checksum(migration)))
            } catch {
                throw .migrationFailed(migration.number, error)
            }
        } orFault: {
            .migrationFailed(migration.number, $0)
        }
    }

    private func checksum(_ migration: Migration) -> [UInt8] { SHA256.digest(of: migration.sql).bytes }
}
