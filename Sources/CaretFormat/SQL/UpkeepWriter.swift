package import CaretCore
package import CaretLog

// The writes of upkeep.
extension SQLWriter {
    /// Does a step of upkeep. Returns false if the history has changed since the step was prepared.
    package mutating func run(_ step: UpkeepStep, of document: DocumentID) throws(Fault) -> Bool {
        switch step {
        case .merge(let replacement): return try replace(replacement)
        case .snapshot(let snapshot, let superseded, let covered):
            try keep(snapshot, superseding: superseded, covering: covered)
        case .removeTrimmed: try removeTrimmed(of: document)
        case .moveNotes(let notes): try move(notes, of: document)
        case .correctUnmerged(let excess): try subtractUnmerged(excess, from: document)
        }
        return true
    }

    // MARK: Snapshots and segments

    /// Stores a snapshot of the history. Deletes the superseded snapshot at `old`, unless the history now
    /// begins at `old`. Subtracts `covered` from the size of the changes after the newest snapshot.
    package mutating func keep(
        _ snapshot: StoredSnapshot, superseding old: Revision? = nil, covering covered: Int = 0
    ) throws(Fault) {
        var row = try document(snapshot.document)
        try rows.check(snapshot.revision, of: row.entry)
        // The text may be from before a redaction.
        if snapshot.epoch != row.entry.epoch.document { throw .refused(.wrongText) }
        try write(snapshot)
        if let old, old > row.entry.start {
            try connection.change(
                "DELETE FROM snapshot WHERE document = $1 AND revision = $2", .id(snapshot.document),
                .revision(old))
        }
        if snapshot.revision <= row.snapshot { return }
        row.snapshot = snapshot.revision
        row.bytesSinceSnapshot = max(0, row.bytesSinceSnapshot - covered)
        try save(row)
    }

    package func write(_ snapshot: StoredSnapshot) throws(Fault) {
        try connection.change(
            """
            INSERT INTO snapshot (document, \(StoredSnapshot.columns)) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (document, revision) DO UPDATE SET body = excluded.body, digest = excluded.digest,
            chain = excluded.chain
            """, .id(snapshot.document), .revision(snapshot.revision), .bytes(snapshot.body),
            .digest(snapshot.digest), .digest(snapshot.chain.value))
    }

    package func insert(_ segment: EncodedSegment, of id: DocumentID) throws(Fault) {
        try connection.change(
            """
            INSERT INTO segment (document, first, last, time, body, before, after)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """, .id(id), .revision(segment.first), .revision(segment.last), .integer(segment.time),
            .bytes(segment.body), .digest(segment.before.value), .digest(segment.after.value))
    }

    /// Replaces segments by one segment merged from them. Returns false if the old segments have changed
    /// meanwhile.
    package mutating func replace(_ replacement: Replacement) throws(Fault) -> Bool {
        let (id, new) = (replacement.document, replacement.new)
        let row = try document(id)
        guard let oldest = replacement.old.first, let newest = replacement.old.last else { return true }
        // If the oldest segment was trimmed, merging it again would keep the trimmed changes.
        guard row.entry.start < oldest.last else { return false }
        // The last chain value shows that the history was not rewritten. Only this one is read: the column comes after
        // the body, so SQLite would read the body of each segment.
        let found = try connection.every(
            """
            SELECT first, last, CASE WHEN first = $1 THEN after END FROM segment
            WHERE document = $2 AND first BETWEEN $3 AND $1 ORDER BY first
            """, .revision(newest.first), .id(id), .revision(oldest.first)
        ) { row throws(DamagedRow) in
            (first: try row.revision(0), last: try row.revision(1), after: row.bytes(2))
        }
        guard found.elementsEqual(replacement.old, by: { $0.first == $1.first && $0.last == $1.last }),
            found.last?.after == new.after.value.bytes
        else { return false }
        // The old segments go first, because the new one has the same key as the oldest.
        try connection.change(
            "DELETE FROM segment WHERE document = $1 AND first BETWEEN $2 AND $3", .id(id),
            .revision(oldest.first), .revision(newest.first))
        try insert(new, of: id)
        let written = try connection.one(
            "SELECT body FROM segment WHERE document = $1 AND first = $2", .id(id), .revision(new.first)
        ) { row throws(DamagedRow) in row.bytes(0) }
        guard written == new.body else {
            throw .damagedRow("a merged segment differs from what was written")
        }
        try subtractUnmerged(replacement.unmergedCount, from: row)
        return true
    }

    /// Subtracts from the count of unmerged segments, which may be too high.
    private mutating func subtractUnmerged(_ excess: Int, from id: DocumentID) throws(Fault) {
        try subtractUnmerged(excess, from: try document(id))
    }

    private mutating func subtractUnmerged(_ count: Int, from row: DocumentRow) throws(Fault) {
        var row = row
        row.unmergedSegments = max(0, row.unmergedSegments - count)
        try save(row)
    }

    // MARK: Trimming and purging

    /// Makes the history begin at a snapshot. `removeTrimmed` removes the earlier rows later, in steps.
    /// Returns false if the segments or the start have changed since the plan was made.
    package mutating func trim(_ plan: TrimPlan) throws(Fault) -> Bool {
        let (id, start) = (plan.snapshot.document, plan.snapshot.revision)
        let entry = try document(id).entry
        if entry.start >= start || entry.epoch.document != plan.snapshot.epoch { return false }
        // Somebody has written a note meanwhile.
        if let place = try rows.oldestPlace(of: id), place < start { return false }
        if let cut = plan.cut {
            if try !replace(cut) { return false }
        } else if try isInside(start, of: id) {
            return false
        }
        try keep(plan.snapshot)
        var row = try document(id)
        row.entry.start = start
        try save(row)
        try connection.change(
            "DELETE FROM tag WHERE document = $1 AND revision < $2", .id(id), .revision(start))
        return true
    }

    /// Whether one segment has both this revision and the next one.
    private func isInside(_ revision: Revision, of id: DocumentID) throws(Fault) -> Bool {
        try connection.hasRow(
            "SELECT 1 FROM segment WHERE document = $1 AND first <= $2 AND last > $2 LIMIT 1", .id(id),
            .revision(revision))
    }

    /// Removes some of the segments and snapshots that are older than the start of the history.
    package mutating func removeTrimmed(of id: DocumentID) throws(Fault) {
        let start = SQLValue.revision(try document(id).entry.start)
        _ = try removeSome("segment", "first", "length(body)", of: id, where: "last <= $2", start)
        _ = try removeSome("snapshot", "revision", "length(body)", of: id, where: "revision < $2", start)
    }

    /// Does one step of purging a document that was deleted at `time` or before.
    package mutating func purge(_ id: DocumentID, deletedBy time: Int64) throws(Fault) -> PurgeResult {
        var row = try anyDocument(id)
        guard let deleted = row.entry.deleted, deleted <= time else { return .kept }
        if deleted > 0 {
            row.entry.deleted = 0
            try save(row)
        }
        for (table, key, bytes) in [
            ("segment", "first", "length(body)"), ("snapshot", "revision", "length(body)"),
            ("pusher", "author", "64"), ("tag", "revision", "64"),
            ("note", "number", "length(body) + length(place)"),
        ] {
            if try removeSome(table, key, bytes, of: id, where: "$2 = 0", .integer(0)) { return .begun }
        }
        try connection.change("DELETE FROM notebook WHERE document = $1", .id(id))
        try connection.change("DELETE FROM document WHERE id = $1", .id(id))
        return .done
    }

    /// Removes some rows of a document, but not so many that other calls wait long. Returns false if the
    /// document had no such rows.
    private func removeSome(
        _ table: String, _ key: String, _ bytes: String, of id: DocumentID, where condition: String,
        _ value: SQLValue
    ) throws(Fault) -> Bool {
        var (sum, last): (Int, Int64?) = (0, nil)
        let rows = try connection.every(
            """
            SELECT \(key), CAST(\(bytes) AS bigint) FROM \(table) WHERE document = $1 AND \(condition)
            ORDER BY \(key) LIMIT $3
            """, .id(id), value, .count(UpkeepPolicy.rowsAtOnce)
        ) { row throws(DamagedRow) in (key: try row.integer(0), bytes: try row.count(1)) }
        for row in rows {
            sum += row.bytes
            if last != nil && sum > UpkeepPolicy.bytesAtOnce { break }
            last = row.key
        }
        guard let last else { return false }
        try connection.change(
            "DELETE FROM \(table) WHERE document = $1 AND \(condition) AND \(key) <= $3", .id(id), value,
            .integer(last))
        return true
    }

    /// Forgets the given pushers of a document, except those who pushed at `time` or later.
    package mutating func forget(
        _ authors: [Int64], of id: DocumentID, usedBefore time: Int64
    ) throws(Fault) {
        _ = try document(id)
        try connection.change(
            """
            DELETE FROM pusher WHERE document = $1 AND \(Connection.dialect.isOneOf("author", "$2")) AND used < $3
            """, .id(id), .integers(authors), .integer(time))
    }

    // MARK: Redaction

    /// Replaces a document's history by one without a passage. Returns false if the document has changed
    /// since the plan was made.
    package mutating func redact(_ plan: RedactionPlan) throws(Fault) -> Bool {
        var row = try document(plan.old.id)
        guard row.entry.epoch.document == plan.old.epoch.document, row.entry.head == plan.old.head,
            row.entry.start == plan.old.start
        else { return false }
        try connection.change("DELETE FROM segment WHERE document = $1", .id(plan.old.id))
        try connection.change("DELETE FROM snapshot WHERE document = $1", .id(plan.old.id))
        for segment in plan.segments { try insert(segment, of: plan.old.id) }
        for snapshot in plan.snapshots { try write(snapshot) }
        try redactNotes(of: plan.old.id, plan.passage)
        row.entry.epoch = Epoch(generation: rows.generation, document: plan.epoch)
        (row.entry.length, row.chain) = (plan.length, plan.chain)
        row.snapshot = plan.snapshots.map(\.revision).max() ?? 0
        try save(row)
        return true
    }
}
