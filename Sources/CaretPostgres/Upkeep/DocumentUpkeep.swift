import CaretCore
import CaretFormat
import CaretLog

// The writes of upkeep. Each method first locks the document's row, so no append changes the history meanwhile.
extension DocumentWriter {
    // MARK: Snapshots and segments

    /// Stores a snapshot of the history. Deletes the superseded snapshot at `old`, unless the history now
    /// begins at `old`. Subtracts `covered` from the size of the changes after the newest snapshot.
    func keep(
        _ snapshot: StoredSnapshot, superseding old: Revision? = nil, covering covered: Int = 0
    ) throws(PostgresFault) {
        var row = try document(snapshot.document)
        let (head, start) = (row.entry.head, row.entry.start)
        if snapshot.revision > head { throw .refused(.ahead(head: head)) }
        if snapshot.revision < start { throw .refused(.trimmed(start: start)) }
        // The text may be from before a redaction.
        if snapshot.epoch != row.entry.epoch.document { throw .refused(.wrongText) }
        try write(snapshot)
        if let old, old > start {
            try run(
                "DELETE FROM snapshot WHERE document = $1 AND revision = $2",
                .integer(snapshot.document.value), .integer(Int64(old.value)))
        }
        if snapshot.revision <= row.snapshot { return }
        row.snapshot = snapshot.revision
        row.bytesSinceSnapshot = max(0, row.bytesSinceSnapshot - covered)
        try save(row)
    }

    func write(_ snapshot: StoredSnapshot) throws(PostgresFault) {
        try run(
            """
            INSERT INTO snapshot (document, \(PostgresRows.snapshotColumns)) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (document, revision) DO UPDATE SET body = excluded.body, digest = excluded.digest,
            chain = excluded.chain
            """, .integer(snapshot.document.value), .integer(Int64(snapshot.revision.value)),
            .bytes(snapshot.body), .bytes(snapshot.digest.bytes), .bytes(snapshot.chain.value.bytes))
    }

    func insert(_ segment: EncodedSegment, of id: DocumentID) throws(PostgresFault) {
        try run(
            """
            INSERT INTO segment (document, first, last, time, body, before, after)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """, .integer(id.value), .integer(Int64(segment.first.value)),
            .integer(Int64(segment.last.value)), .integer(segment.time), .bytes(segment.body),
            .bytes(segment.before.value.bytes), .bytes(segment.after.value.bytes))
    }

    /// Replaces segments by one segment merged from them. Returns false if the old segments have changed
    /// meanwhile.
    func replace(_ replacement: Replacement) throws(PostgresFault) -> Bool {
        var row = try document(replacement.document)
        guard let oldest = replacement.old.first, let newest = replacement.old.last else { return true }
        let (id, from, to) = (
            PostgresValue.integer(replacement.document.value), PostgresValue.integer(oldest.row),
            PostgresValue.integer(newest.row)
        )
        // If the oldest segment was trimmed, merging it again would keep the trimmed changes.
        guard row.entry.start < oldest.last else { return false }
        let found = try run(
            """
            SELECT first, last, after FROM segment WHERE document = $1 AND first BETWEEN $2 AND $3 ORDER BY first
            """, id, from, to
        ).rows.map { row throws(PostgresFault) in
            (first: try row.integer(0), last: try row.integer(1), after: row.bytes(2))
        }
        // The chain value at the end shows that the history was not rewritten.
        guard
            found.elementsEqual(
                replacement.old,
                by: { $0.first == Int64($1.first.value) && $0.last == Int64($1.last.value) }),
            found.last?.after == replacement.new.after.value.bytes
        else { return false }
        try run("DELETE FROM segment WHERE document = $1 AND first BETWEEN $2 AND $3", id, from, to)
        try insert(replacement.new, of: replacement.document)
        let written = try run(
            "SELECT body FROM segment WHERE document = $1 AND first = $2", id,
            .integer(Int64(replacement.new.first.value))
        ).first?.bytes(0)
        guard written == replacement.new.body else { throw .damaged }
        row.unmergedSegments = max(0, row.unmergedSegments - replacement.unmergedCount)
        try save(row)
        return true
    }

    /// Subtracts `excess` from the count of unmerged segments, which was too high.
    func correctUnmerged(of id: DocumentID, by excess: Int) throws(PostgresFault) {
        var row = try document(id)
        row.unmergedSegments = max(0, row.unmergedSegments - excess)
        try save(row)
    }

    // MARK: Trimming and purging

    /// Makes the history begin at a snapshot. `removeTrimmed` removes the earlier rows later, in steps.
    /// Returns false if the segments or the start have changed since the plan was made.
    func trim(_ plan: TrimPlan) throws(PostgresFault) -> Bool {
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
        try run(
            "DELETE FROM tag WHERE document = $1 AND revision < $2", .integer(id.value),
            .integer(Int64(start.value)))
        return true
    }

    /// Whether one segment has both this revision and the next one.
    private func isInside(_ revision: Revision, of id: DocumentID) throws(PostgresFault) -> Bool {
        try run(
            "SELECT 1 FROM segment WHERE document = $1 AND first <= $2 AND last > $2 LIMIT 1",
            .integer(id.value), .integer(Int64(revision.value))
        ).count > 0
    }

    /// Removes some of the segments and snapshots that are older than the start of the history.
    func removeTrimmed(of id: DocumentID) throws(PostgresFault) {
        let start = Int64(try document(id).entry.start.value)
        _ = try removeSome("segment", "first", of: id, where: "last <= $2", start)
        _ = try removeSome("snapshot", "revision", of: id, where: "revision < $2", start)
    }

    /// Does one step of purging a document that was deleted at `time` or before.
    func purge(_ id: DocumentID, deletedBy time: Int64) throws(PostgresFault) -> PurgeResult {
        var row = try anyDocument(id)
        guard let deleted = row.entry.deleted, deleted <= time else { return .kept }
        if deleted > 0 {
            row.entry.deleted = 0
            try save(row)
        }
        for (table, key) in [
            ("segment", "first"), ("snapshot", "revision"), ("pusher", "author"), ("tag", "revision"),
        ] {
            if try removeSome(table, key, of: id, where: "$2 = 0", 0) { return .begun }
        }
        try run("DELETE FROM document WHERE id = $1", .integer(id.value))
        return .done
    }

    /// Removes some rows of a document, but not so many that others wait long. Returns false if the document had no
    /// such rows.
    private func removeSome(
        _ table: String, _ key: String, of id: DocumentID, where condition: String, _ value: Int64
    ) throws(PostgresFault) -> Bool {
        let result = try run(
            """
            DELETE FROM \(table) WHERE document = $1 AND \(key) IN (
            SELECT \(key) FROM \(table) WHERE document = $1 AND \(condition) ORDER BY \(key) LIMIT $3)
            """, .integer(id.value), .integer(value), .integer(Int64(UpkeepPolicy.rowsAtOnce)))
        return result.changes > 0
    }

    /// Forgets the given pushers of a document, except those who pushed at `time` or later.
    func forget(_ authors: [Int64], of id: DocumentID, usedBefore time: Int64) throws(PostgresFault) {
        _ = try document(id)
        try run(
            "DELETE FROM pusher WHERE document = $1 AND author = ANY($2) AND used < $3", .integer(id.value),
            .integers(authors), .integer(time))
    }

    // MARK: Redaction

    /// Replaces a document's history by one without a passage. Returns false if the document has changed
    /// since the plan was made.
    func redact(_ plan: RedactionPlan) throws(PostgresFault) -> Bool {
        var row = try document(plan.old.id)
        guard row.entry.epoch.document == plan.old.epoch.document, row.entry.head == plan.old.head,
            row.entry.start == plan.old.start
        else { return false }
        let id = PostgresValue.integer(plan.old.id.value)
        try run("DELETE FROM segment WHERE document = $1", id)
        try run("DELETE FROM snapshot WHERE document = $1", id)
        for segment in plan.segments { try insert(segment, of: plan.old.id) }
        for snapshot in plan.snapshots { try write(snapshot) }
        row.entry.epoch = Epoch(generation: shared.generation.value, document: plan.epoch)
        (row.entry.length, row.chain) = (plan.length, plan.chain)
        row.snapshot = plan.snapshots.map(\.revision).max() ?? 0
        try save(row)
        return true
    }
}
