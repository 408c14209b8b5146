package import CaretFormat
import CaretLog

/// The old store, in a data folder. Locks the folder until the end of the move.
package final class SQLiteMoveSource: MoveSource {
    private let folder: DataFolder
    package let rows: SQLiteMovableRows
    package let identity: StoreIdentity
    package let unfinishedMove: String?

    /// Open and close the store with `SQLiteStore` before, unless a move of it has not ended. That updates the schema
    /// and empties the log.
    package init(_ path: String) throws(StoreMoveFault) {
        do throws(OpeningFault) {
            folder = try DataFolder(path)
            unfinishedMove = DataFolder.unfinishedMove(in: path)
            rows = SQLiteMovableRows(connection: try folder.openForMoving())
        } catch {
            throw StoreMoveFault(error)
        }
        do throws(DatabaseFault) {
            identity = try SQLiteMoveSource.identity(of: rows.connection)
        } catch {
            throw StoreMoveFault(error)
        }
    }

    private static func identity(of database: Database) throws(DatabaseFault) -> StoreIdentity {
        guard let row = try StoreRow.read(database) else {
            throw DatabaseFault(code: 0, message: "the row of the store is missing")
        }
        let numbers = try database.all("SELECT name, seq FROM sqlite_sequence") { row in
            (MovedTable(rawValue: row.text(0)), row.integer(1))
        }
        let known = numbers.compactMap { name, number in name.map { ($0, number) } }
        return StoreIdentity(
            generation: row.progress.generation,
            lastNumbers: Dictionary(known, uniquingKeysWith: { first, _ in first }))
    }

    /// The connection can stay open, because it only reads.
    package func blockServers(_ note: MoveNote) throws(StoreMoveFault) {
        do throws(OpeningFault) { try folder.hideDatabase(note) } catch { throw StoreMoveFault(error) }
    }

    package func unblockServers() throws(StoreMoveFault) {
        do throws(OpeningFault) { try folder.restoreDatabase() } catch { throw StoreMoveFault(error) }
    }

    package func retire(_ note: MoveNote) throws(StoreMoveFault) {
        do throws(OpeningFault) { try folder.retireDatabase(note) } catch {
            throw .unfinished(
                "the documents were moved, but the old folder could not be marked: \(error)",
                advice: "run the same caret move again to finish it")
        }
    }
}
