import CaretFormat
import CaretLog

/// The progress of a store: its generation, its number of commits, and the number of checkpoints that its
/// file certainly contains.
package struct StoreProgress: Equatable {
    package var generation: UInt64
    var commits: Int64
    /// The file's header has at least this checkpoint number, even without its log and after a power cut.
    var checkpoints: Int64
}

/// The only row of the table `store`.
package struct StoreRow: Equatable {
    package var progress: StoreProgress
    /// When this file was made as a backup; nil if it is not a backup.
    var backup: Int64?

    /// Why the commit counter does not belong to this database; nil if it does.
    func renewal(_ counter: CommitCounter.Reading) -> Renewal? {
        if let backup { return .backup(at: backup) }
        switch counter {
        // A new store has no counter yet.
        case .none: return progress.commits == 0 ? nil : .noCounter
        case .unreadable: return .noCounter
        case .progress(let known):
            if known.generation != progress.generation { return .otherGeneration }
            if known.commits > progress.commits {
                return .behind(commits: progress.commits, known: known.commits)
            }
            return nil
        }
    }

    /// `checkpoints` is the number in the counter.
    package static func read(_ database: Database, checkpoints: Int64 = 0) throws(DatabaseFault) -> StoreRow?
    {
        try database.first("SELECT generation, commits, backup FROM store") { row in
            let progress = StoreProgress(
                generation: UInt64(bitPattern: row.integer(0)), commits: row.integer(1),
                checkpoints: checkpoints)
            return StoreRow(progress: progress, backup: row.isNull(2) ? nil : row.integer(2))
        }
    }

    /// Leaves the other columns of the row as they are.
    func write(_ database: Database) throws(DatabaseFault) {
        try database.run(
            """
            INSERT INTO store (one, generation, commits, backup) VALUES (1, ?, ?, ?)
            ON CONFLICT (one) DO UPDATE SET
                generation = excluded.generation, commits = excluded.commits, backup = excluded.backup
            """,
            .integer(Int64(bitPattern: progress.generation)), .integer(progress.commits), .integer(backup))
    }
}
