package import CaretLog

/// What a move keeps besides the rows.
package struct StoreIdentity: Equatable, Sendable {
    /// With the same generation, the epochs stay valid, so clients need not reload any text.
    package let generation: UInt64
    /// The highest number that each table of `MovedTable.numbered` has ever used.
    package let lastNumbers: [MovedTable: Int64]

    package init(generation: UInt64, lastNumbers: [MovedTable: Int64]) {
        self.generation = generation
        self.lastNumbers = lastNumbers
    }
}

/// Reads all rows of a store in order, while no server uses the store.
package protocol MovableRows {
    /// Calls `body` with each row of a table, in the order of the key.
    func forEachRow(
        of table: MovedTable, _ body: (MovedRow) throws(StoreMoveFault) -> Void
    ) throws(StoreMoveFault)

    func rowCount(of table: MovedTable) throws(StoreMoveFault) -> Int

    /// Checks everything that is stored. Changes nothing.
    func check(_ progress: (CheckProgress) -> Void) throws(StoreMoveFault) -> CheckReport
}

/// The old store. No server can use it during the move.
package protocol MoveSource {
    associatedtype Rows: MovableRows
    var rows: Rows { get }

    var identity: StoreIdentity { get }

    /// Prepares `retire`. After a failure, servers can use the store as before.
    func prepareToRetire(_ note: MoveNote) throws(StoreMoveFault)

    /// Makes every server refuse this store.
    func retire() throws(StoreMoveFault)
}

/// The new store. Servers see it only after `publish`.
package protocol MoveTarget {
    associatedtype Rows: MovableRows
    var rows: Rows { get }

    func write(_ row: MovedRow, to table: MovedTable) throws(StoreMoveFault)

    /// Writes the rest. Call this after the last row.
    func finish(_ identity: StoreIdentity) throws(StoreMoveFault)

    /// Makes the store visible and durable.
    func publish() throws(StoreMoveFault)
}

/// Tells where the documents are after a move. A server that is started on the old store prints it.
package struct MoveNote: Equatable, Sendable, CustomStringConvertible {
    package let target: String
    /// The day of the move, such as 2026-03-01.
    package let day: String

    package init(target: String, day: String) {
        self.target = target
        self.day = day
    }

    package var description: String { "its documents were moved to \(target) on \(day)" }
}

/// Why a move failed.
package enum StoreMoveFault: Error, Equatable, Sendable {
    /// The old store is damaged. Nothing was moved.
    case damaged(CheckReport)
    /// Nothing was moved, for this reason.
    case failed(String, advice: String?)
    /// The new store is complete, or may be, but the move did not end. The message says what is missing.
    case unfinished(String, advice: String)

    package static func failed(_ message: String) -> StoreMoveFault { .failed(message, advice: nil) }
}
