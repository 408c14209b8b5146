package import CaretFormat
import CaretLog
import Glibc

/// The new store, in a data folder. Locks the folder until the end of the move.
///
/// The database has a temporary name until it is published. If the process is killed, the next move replaces it.
package final class SQLiteMoveTarget: MoveTarget {
    private let folder: DataFolder
    package let rows: SQLiteMovableRows

    private var database: Database { rows.database }

    /// The folder must exist, and must not have a store.
    package init(_ path: String) throws(StoreMoveFault) {
        do throws(OpeningFault) { folder = try DataFolder(path) } catch { throw StoreMoveFault(error) }
        if let file = folder.firstFileOfStore() {
            throw .failed(
                "\(file) exists, and a move never replaces a store", advice: "move to a new or empty folder")
        }
        do throws(OpeningFault) {
            rows = SQLiteMovableRows(database: try folder.createNewDatabase())
            try Migrator(migrations: Migration.all).migrate(rows.database) { _ in }
        } catch {
            throw StoreMoveFault(error)
        }
        try run { database throws(DatabaseFault) in try database.execute("BEGIN") }
    }

    /// Removes the database, unless it was published and has its final name.
    deinit { unlink(folder.newDatabasePath) }

    package func write(_ row: MovedRow, to table: MovedTable) throws(StoreMoveFault) {
        try MovedRowWriter(database: database).insert(row, into: table)
    }

    package func finish(_ identity: StoreIdentity) throws(StoreMoveFault) {
        try run { database throws(DatabaseFault) in
            for table in MovedTable.numbered {
                try database.run("DELETE FROM sqlite_sequence WHERE name = '\(table.rawValue)'")
                try database.run(
                    "INSERT INTO sqlite_sequence (name, seq) VALUES ('\(table.rawValue)', ?)",
                    .integer(identity.lastNumbers[table] ?? 0))
            }
            // With 0 commits, a server treats the database as a new one, and needs no commit counter beside it.
            let progress = StoreProgress(generation: identity.generation, commits: 0, checkpoints: 0)
            try StoreRow(progress: progress, backup: nil).write(database)
            try database.execute("COMMIT")
        }
    }

    package func publish() throws(StoreMoveFault) {
        do throws(OpeningFault) { try folder.publishNewDatabase() } catch { throw StoreMoveFault(error) }
    }

    private func run(_ body: (Database) throws(DatabaseFault) -> Void) throws(StoreMoveFault) {
        do throws(DatabaseFault) { try body(database) } catch { throw StoreMoveFault(error) }
    }
}
