package import CaretFormat
import CaretLog

/// The old store, in a database. Locks the tables until the end of the move.
package final class PostgresMoveSource: MoveSource {
    package let rows: MoveConnection
    package let identity: StoreIdentity

    package init(_ address: PostgresAddress) throws(StoreMoveFault) {
        let move = try MoveConnection(address, as: .source)
        rows = move
        identity = try move.run { () throws(PostgresFault) in
            var numbers: [MovedTable: Int64] = [:]
            for table in MovedTable.numbered {
                let last = try move.connection.run(
                    """
                    SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('\(table.rawValue)', 'id')::regclass),
                        0)
                    """
                ).first?.integer(0)
                numbers[table] = last ?? 0
            }
            return StoreIdentity(generation: move.shared.generation.value, lastNumbers: numbers)
        }
    }

    package var unfinishedMove: String? { rows.unfinishedMove }

    /// Ends the transaction and its locks. The triggers refuse servers from now on.
    package func blockServers(_ note: MoveNote) throws(StoreMoveFault) {
        try rows.run { () throws(PostgresFault) in
            try MoveFence.raise(note, rows.connection)
            try rows.connection.commit()
            // Without the fence after a failover, servers could use both stores.
            if let warning = rows.connection.takeWarning() { throw .notReplicated(warning) }
        }
    }

    package func unblockServers() throws(StoreMoveFault) {
        try rows.run { () throws(PostgresFault) in
            try MoveFence.lower(rows.connection)
            // After `blockServers`, there is no transaction any more.
            try rows.connection.commit()
        }
    }

    package func retire(_ note: MoveNote) throws(StoreMoveFault) {
        do throws(PostgresFault) { try MoveFence.keep(note, rows.connection) } catch {
            throw .unfinished(
                "the documents were moved, but the old database could not be marked: \(error)",
                advice: "run the same caret move again to finish it")
        }
    }
}
