package import CaretFormat
import CaretLog
import Glibc

// A redaction deletes rows, and SQLite leaves their content in the unused parts of its files. Earlier merges
// and snapshots of the same document have left such parts, too. So the store rewrites its files.
extension SQLiteUpkeepWrites {
    /// How often the log is tried to be emptied, with a pause between. A read that began before keeps it.
    private static let attempts = 100
    private static let pause = Duration.milliseconds(100)

    /// Erases what an earlier process has left, for example because it was killed.
    func eraseRest() async {
        calls.begin()
        defer { calls.end() }
        _ = await eraseAll()
    }

    /// Rewrites the database, and empties its log. Returns false if the disk is full or has failed, or if a
    /// read keeps the log for too long. Upkeep then tries it again.
    func eraseAll() async -> Bool {
        guard await writes.perform({ $0.rewriteDatabase() }) else { return false }
        for _ in 0..<Self.attempts where !calls.isClosing {
            if await writes.perform({ $0.emptyLog() }) {
                let result = await writes.run { writer throws(StoreFault) in
                    try writer.database.change("UPDATE store SET erasure = NULL")
                }
                guard case .success = result else { return false }
                onEvent(.erased)
                return true
            }
            try? await Task.sleep(for: Self.pause)  // Fails only if the store is being closed.
        }
        return false
    }
}

extension Database {
    /// Whether removed text may remain in unused parts of the files.
    func isErasureDue() throws(DatabaseFault) -> Bool {
        try first("SELECT erasure IS NOT NULL FROM store") { $0.integer(0) == 1 } ?? false
    }
}

extension HistoryWriter {
    /// Like `redact`. The files are rewritten later.
    package mutating func redact(_ plan: RedactionPlan, at time: Int64) throws(StoreFault) -> Bool {
        if try !redact(plan) { return false }
        try database.change("UPDATE store SET erasure = $1", .integer(time))
        forgetHistory(of: plan.old.id)
        return true
    }
}

extension GroupCommit {
    /// Writes the database again, without its unused parts. Returns false if the disk is full or has failed.
    mutating func rewriteDatabase() -> Bool {
        // The new copy may be larger than the memory, so it is a file in this folder, without a name.
        let folder = folder.path.replacing("'", with: "''")
        return perform(.erasing) { writer throws(DatabaseFault) in
            try writer.database.execute(
                """
                PRAGMA temp_store_directory = '\(folder)'; PRAGMA temp_store = FILE; PRAGMA cache_spill = ON;
                """)
            // Nothing else needs these settings, so an error here is the error of `VACUUM`.
            defer { try? writer.database.execute("PRAGMA temp_store = MEMORY; PRAGMA cache_spill = OFF") }
            try writer.database.execute("VACUUM")
            return true
        }
    }

    /// Copies the whole log into the database, and makes the log empty. Returns false if a read still needs
    /// the log.
    mutating func emptyLog() -> Bool {
        perform(.emptyingLog) { _ throws(DatabaseFault) in true } && checkpointWhole()
    }

    private func isLogEmpty() -> Bool {
        var found = stat()
        return stat(folder.databasePath + "-wal", &found) == 0 && found.st_size == 0
    }

    private mutating func checkpointWhole() -> Bool {
        checkpoint(.emptying)
        return isLogEmpty()
    }
}
