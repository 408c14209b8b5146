package import CaretFormat
import CaretLog
import Glibc

/// The new store, in a data folder. Locks the folder until the end of the move.
///
/// The database has a temporary name until it is published. If the process is killed before, the next move replaces it.
package final class SQLiteMoveTarget: MoveTarget {
    private let folder: DataFolder
    package let rows: SQLiteMovableRows
    package let copiedDigest: [UInt8]?

    private var database: Database { rows.connection }

    /// The folder must exist, and must not have a store, unless a move has copied it there.
    package init(_ path: String) throws(StoreMoveFault) {
        do throws(OpeningFault) { folder = try DataFolder(path) } catch { throw StoreMoveFault(error) }
        if let (database, digest) = try SQLiteMoveTarget.copy(in: folder) {
            (rows, copiedDigest) = (SQLiteMovableRows(connection: database), digest)
            return
        }
        copiedDigest = nil
        if let file = folder.firstFileOfStore() {
            throw .failed(
                "\(file) exists, and a move never replaces a store", advice: "move to a new or empty folder")
        }
        do throws(OpeningFault) {
            rows = SQLiteMovableRows(connection: try folder.createNewDatabase())
            try Migrator(migrations: Migration.all).migrate(rows.connection) { _ in }
        } catch {
            throw StoreMoveFault(error)
        }
        try run { database throws(DatabaseFault) in try database.execute("BEGIN") }
    }

    /// A published copy, and the digest of what was copied; nil if there is none.
    private static func copy(in folder: DataFolder) throws(StoreMoveFault) -> (Database, [UInt8])? {
        guard access(folder.databasePath, F_OK) == 0 else { return nil }
        do throws(OpeningFault) {
            let database = try folder.openForChecking()
            do throws(DatabaseFault) {
                let isCopy = try database.first("SELECT 1 FROM sqlite_schema WHERE name = 'caret_copied'") {
                    _ in true
                }
                if isCopy == nil { return nil }
                let digest = try database.first("SELECT digest FROM caret_copied") { $0.bytes(0) }
                return digest.map { (database, $0) }
            } catch {
                throw .database(error)
            }
        } catch {
            throw StoreMoveFault(error)
        }
    }

    /// Removes the database, unless it was published and has its final name.
    deinit { unlink(folder.newDatabasePath) }

    package func write(_ row: MovedRow, to table: MovedTable) throws(StoreMoveFault) {
        try rows.run { () throws(StoreFault) in
            try MovedRowWriter(database: database).insert(row, into: table)
        }
    }

    package func finish(_ identity: StoreIdentity, digest: [UInt8]) throws(StoreMoveFault) {
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
            try database.execute("CREATE TABLE caret_copied (digest BLOB NOT NULL) STRICT")
            try database.run("INSERT INTO caret_copied VALUES (?)", .bytes(digest))
            try database.execute("COMMIT")
        }
    }

    package func publish() throws(StoreMoveFault) {
        do throws(OpeningFault) {
            if copiedDigest == nil { try folder.publishNewDatabase() } else { try folder.syncDatabase() }
        } catch {
            if access(folder.newDatabasePath, F_OK) == 0 { throw StoreMoveFault(error) }
            throw .unfinished(
                "the copy is in the folder, but perhaps not on its disk: \(error)", advice: MoveNote.advice)
        }
    }

    private func run(_ body: (Database) throws(DatabaseFault) -> Void) throws(StoreMoveFault) {
        do throws(DatabaseFault) { try body(database) } catch { throw StoreMoveFault(error) }
    }
}
