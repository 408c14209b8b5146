package import CaretCore
package import CaretFormat
package import CaretLog

// The part of upkeep that writes to the database.
extension HistoryWriter {
    /// Stores a snapshot of the history. Deletes the superseded snapshot at `old`, unless the history now
    /// begins at `old`. Subtracts `covered` from the size of the changes after the newest snapshot.
    package mutating func keep(
        _ snapshot: StoredSnapshot, superseding old: Revision? = nil, covering covered: Int = 0
    ) throws(StoreFault) {
        var row = try document(snapshot.document)
        try reader.check(snapshot.revision, of: row)
        // The text may be from before a redaction.
        if snapshot.epoch != row.entry.epoch.document { throw .refused(.wrongText) }
        try write(snapshot)
        if let old, old > row.entry.start {
            try database.write(
                "DELETE FROM snapshot WHERE document = ? AND revision = ?",
                [.integer(snapshot.document.value), .integer(Int64(old.value))])
        }
        if snapshot.revision <= row.snapshot { return }
        row.snapshot = snapshot.revision
        row.bytesSinceSnapshot = max(0, row.bytesSinceSnapshot - covered)
        try save(row)
    }

    func write(_ snapshot: StoredSnapshot) throws(StoreFault) {
        try database.write(
            "INSERT OR REPLACE INTO snapshot (document, \(StoredSnapshot.columns)) VALUES (?, ?, ?, ?, ?)",
            [
                .integer(snapshot.document.value), .integer(Int64(snapshot.revision.value)),
                .bytes(snapshot.body), .bytes(snapshot.digest.bytes), .bytes(snapshot.chain.value.bytes),
            ])
    }

    /// Replaces segments by one segment merged from them. Returns false if the old segments have changed
    /// meanwhile.
    package mutating func replace(_ replacement: Replacement) throws(StoreFault) -> Bool {
        var row = try document(replacement.document)
        guard let oldest = replacement.old.first, let newest = replacement.old.last else { return true }
        let (from, to) = (
            Value.integer(Int64(oldest.first.value)), Value.integer(Int64(newest.first.value))
        )
        // The index has all columns of this query, so SQLite does not read the rows themselves.
        let found = try database.every(
            "SELECT id, first FROM segment WHERE document = ? AND first BETWEEN ? AND ? ORDER BY first",
            .integer(replacement.document.value), from, to
        ) { ($0.integer(0), $0.integer(1)) }
        // If the oldest segment was trimmed, merging it again would keep the trimmed changes.
        guard row.entry.start < oldest.last,
            found.elementsEqual(replacement.old, by: { $0 == ($1.row, Int64($1.first.value)) })
        else { return false }
        // The index does not have the column `last`. Read it only for the newest segment, because every other
        // segment ends where the next segment begins. Its chain value shows that the history was not
        // rewritten: a new row can have the number of a deleted one.
        let end = try database.one("SELECT last, after FROM segment WHERE id = ?", .integer(newest.row)) {
            (last: $0.integer(0), chain: Digest(bytes: $0.bytes(1)))
        }
        guard let end, end.last == Int64(newest.last.value), end.chain == replacement.new.after.value else {
            return false
        }
        // Delete the old segments first, because the new segment has the same index key as the oldest. Both
        // steps are in one transaction.
        try database.write(
            "DELETE FROM segment WHERE document = ? AND first BETWEEN ? AND ?",
            [.integer(replacement.document.value), from, to])
        try insert(replacement.new, of: replacement.document)
        let written = try database.one(
            "SELECT body FROM segment WHERE id = ?", .integer(database.lastRow), read: { $0.bytes(0) })
        guard written == replacement.new.body else { throw .database(.notWritten) }
        row.unmergedSegments = max(0, row.unmergedSegments - replacement.unmergedCount)
        try save(row)
        return true
    }

    /// Makes the history begin at a snapshot. `removeTrimmed` removes the earlier rows later, in steps.
    /// Returns false if the segments or the start have changed since the plan was made.
    package mutating func trim(_ plan: TrimPlan) throws(StoreFault) -> Bool {
        let (id, start) = (plan.snapshot.document, plan.snapshot.revision)
        let entry = try document(id).entry
        if entry.start >= start || entry.epoch.document != plan.snapshot.epoch { return false }
        if let cut = plan.cut {
            if try !replace(cut) { return false }
        } else if try isInside(start, of: id) {
            return false
        }
        try keep(plan.snapshot)
        var row = try document(id)
        row.entry.start = start
        try save(row)
        try TagTable(database: database).removeTrimmed(of: id, start: start)
        due.insert(id)
        return true
    }

    /// Whether one segment has both this revision and the next one.
    private func isInside(_ revision: Revision, of id: DocumentID) throws(StoreFault) -> Bool {
        try database.one(
            "SELECT 1 FROM segment WHERE document = ?1 AND first <= ?2 AND last > ?2 LIMIT 1",
            .integer(id.value), .integer(Int64(revision.value)), read: { _ in true }) ?? false
    }

    /// Removes some of the segments and snapshots that are older than the start of the history.
    package mutating func removeTrimmed(of id: DocumentID) throws(StoreFault) {
        let start = Value.integer(Int64(try document(id).entry.start.value))
        _ = try removeSome("segment", "id", "length(body)", of: id, where: "last <= ?2", start)
        _ = try removeSome("snapshot", "revision", "length(body)", of: id, where: "revision < ?2", start)
    }

    /// Does one step of purging a document that was deleted at `time` or before.
    mutating func purge(_ id: DocumentID, deletedBy time: Int64) throws(StoreFault) -> PurgeResult {
        var row = try reader.rows.document(id)
        guard let deleted = row.entry.deleted, deleted <= time, !unpublished.contains(id) else {
            return .kept
        }
        if deleted > 0 {
            row.entry.deleted = 0
            try save(row)
        }
        for (table, key, bytes) in [
            ("segment", "id", "length(body)"), ("snapshot", "revision", "length(body)"),
            ("pusher", "author", "64"), ("tag", "revision", "64"),
        ] {
            if try removeSome(table, key, bytes, of: id, where: "?2 = 0", .integer(0)) { return .begun }
        }
        try database.write("DELETE FROM document WHERE id = ?", [.integer(id.value)])
        return .done
    }

    /// Removes some rows of a document, but not so many that the writer is delayed. Returns false if the
    /// document had no such rows.
    private func removeSome(
        _ table: String, _ key: String, _ bytes: String, of id: DocumentID, where condition: String,
        _ value: Value
    ) throws(StoreFault) -> Bool {
        let rows = try database.every(
            "SELECT \(key), \(bytes) FROM \(table) WHERE document = ?1 AND \(condition) LIMIT ?3",
            .integer(id.value), value, .integer(Int64(UpkeepPolicy.rowsAtOnce))
        ) { (key: $0.integer(0), bytes: Int($0.integer(1))) }
        var sum = 0
        for (index, row) in rows.enumerated() {
            sum += row.bytes
            if index > 0 && sum > UpkeepPolicy.bytesAtOnce { break }
            try database.write(
                "DELETE FROM \(table) WHERE document = ? AND \(key) = ?",
                [.integer(id.value), .integer(row.key)])
        }
        return !rows.isEmpty
    }

    /// Subtracts `excess` from the count of unmerged segments, which was too high.
    mutating func correctUnmerged(of id: DocumentID, by excess: Int) throws(StoreFault) {
        var row = try document(id)
        row.unmergedSegments = max(0, row.unmergedSegments - excess)
        try save(row)
    }

    /// Returns free pages at the end of the file to the file system.
    mutating func returnFreePages(upTo pages: Int) throws(StoreFault) {
        hasWritten = true
        try database.write("PRAGMA incremental_vacuum(\(pages))", [])
    }

    /// Forgets the given pushers of a document, except those who pushed at `time` or later.
    package func forget(_ authors: [Int64], of id: DocumentID, usedBefore time: Int64) throws(StoreFault) {
        for author in authors {
            try database.write(
                "DELETE FROM pusher WHERE document = ? AND author = ? AND used < ?",
                [.integer(id.value), .integer(author), .integer(time)])
        }
    }
}
