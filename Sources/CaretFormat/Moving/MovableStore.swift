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

    /// If a move has begun and not ended, servers refuse this store, and this text says which move. Otherwise nil.
    var unfinishedMove: String? { get }

    /// Makes every server refuse this store until the move ends, also after a crash.
    func blockServers(_ note: MoveNote) throws(StoreMoveFault)

    /// Lets servers use the store again, also if an earlier move has blocked them.
    func unblockServers() throws(StoreMoveFault)

    /// Makes every server refuse this store for good. Call this after `blockServers`.
    func retire(_ note: MoveNote) throws(StoreMoveFault)
}

/// The new store. Servers see it only after `publish`.
package protocol MoveTarget {
    associatedtype Rows: MovableRows
    var rows: Rows { get }

    /// The digest of the rows that an earlier move has copied to this store; nil if the store is empty.
    var copiedDigest: [UInt8]? { get }

    func write(_ row: MovedRow, to table: MovedTable) throws(StoreMoveFault)

    /// Writes the rest, with the digest of all rows. Call this after the last row.
    func finish(_ identity: StoreIdentity, digest: [UInt8]) throws(StoreMoveFault)

    /// Makes the store visible and durable. Throws `failed` only if servers certainly do not see it.
    func publish() throws(StoreMoveFault)
}

/// What a move did.
package struct MoveOutcome: Equatable, Sendable {
    package enum Copy: Equatable, Sendable {
        case made
        /// An earlier move made the copy, and `isChanged` tells whether servers have changed it since then.
        case found(isChanged: Bool)
    }

    /// What the new store has.
    package let report: CheckReport
    package let copy: Copy
}

/// Tells where the documents are during and after a move. A server that is started on the old store prints it.
package struct MoveNote: Equatable, Sendable, CustomStringConvertible {
    package let target: String
    /// The day of the move, such as 2026-03-01.
    package let day: String

    package init(target: String, day: String) {
        self.target = target
        self.day = day
    }

    package var description: String { "\(MoveNote.moved(target)) \(day)" }

    /// What `description` says while the move has not ended.
    package var unfinished: String { "\(MoveNote.moving(target)) \(day) and has not ended" }

    private static func moved(_ target: String) -> String { "its documents were moved to \(target) on" }
    private static func moving(_ target: String) -> String {
        "a move of its documents to \(target) began on"
    }

    /// Whether a stored note belongs to a move to the same target. The final note is stored just before a move ends.
    func hasTarget(of stored: String) -> Bool {
        [MoveNote.moved(target), MoveNote.moving(target)].contains { stored.utf8.starts(with: $0.utf8) }
    }

    /// Tells the operator how a move ends.
    package static let advice =
        "run the same caret move again to finish it, or caret move --from STORE --undo to use the old store again"
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
