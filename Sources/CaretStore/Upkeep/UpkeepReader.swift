package import CaretCore
package import CaretFormat
package import CaretLog

/// Finds the steps of upkeep that are due and prepares them, through its own connection.
///
/// Use it only on the queue of upkeep.
package struct UpkeepReader {
    private(set) var reader: HistoryReader
    private var database: Database { reader.database }

    package init(_ reader: HistoryReader) { self.reader = reader }

    /// A document that a round visits. `document` is nil if the row is damaged.
    struct VisitedDocument: Sendable {
        let id: DocumentID
        let document: DocumentRow?
    }

    func documents(after id: DocumentID, limit: Int) -> Result<[VisitedDocument], StoreFault> {
        Result { () throws(StoreFault) in
            try database.every(
                "SELECT \(DocumentRow.columns) FROM document WHERE id > ? ORDER BY id LIMIT ?",
                .integer(id.value), .integer(Int64(limit)), read: visitedDocument)
        }
    }

    /// The document with this ID; nil if there is none.
    func visitedDocument(_ id: DocumentID) -> Result<VisitedDocument?, StoreFault> {
        Result { () throws(StoreFault) in
            try database.one(
                "SELECT \(DocumentRow.columns) FROM document WHERE id = ?", .integer(id.value),
                read: visitedDocument)
        }
    }

    private func visitedDocument(_ row: Row) -> VisitedDocument {
        VisitedDocument(
            id: DocumentID(row.integer(0)), document: DocumentRow(row, generation: reader.generation))
    }

    /// The highest document ID that was ever used.
    func lastDocument() -> Result<DocumentID, StoreFault> {
        Result { () throws(StoreFault) in
            DocumentID(
                try database.one("SELECT seq FROM sqlite_sequence WHERE name = 'document'") { $0.integer(0) }
                    ?? 0)
        }
    }

    // MARK: One document's history

    /// The next step for a document; nil if no step is due. `isNew` means that upkeep has not looked at the
    /// document since the last write.
    package mutating func next(
        for id: DocumentID, isIdle: Bool, isNew: Bool
    ) -> Result<DueStep?, StoreFault> {
        reading { reader throws(StoreFault) -> DueStep? in
            let row = try reader.document(id)
            // An earlier run has already done the work for which the document was queued.
            if isNew, !isIdle, row.entry.start == 0, !UpkeepPolicy.isDue(row) { return nil }
            let summaries = try reader.summaries(of: row)
            if try reader.hasTrimmed(row, summaries) { return DueStep(.removeTrimmed, isLast: false) }
            let isSnapshotDue = UpkeepPolicy.isSnapshotDue(row, isIdle: isIdle)
            if let merge = try reader.merge(summaries, of: row, isIdle: isIdle) {
                return DueStep(.merge(merge.replacement), isLast: merge.isLast && !isSnapshotDue)
            }
            if isSnapshotDue { return DueStep(try reader.snapshot(of: row), isLast: !isIdle) }
            let excess = row.unmergedSegments - summaries.count { $0.isUnmerged }
            return excess > 0 ? DueStep(.correctUnmerged(excess: excess), isLast: true) : nil
        }
    }

    /// Prepares a trim that makes the history begin after `revision`; nil if it already begins there.
    package mutating func prepareTrim(
        of id: DocumentID, through revision: Revision
    ) -> Result<TrimPlan?, StoreFault> {
        reading { reader throws(StoreFault) in
            let row = try reader.document(id)
            try reader.check(revision, of: row)
            if revision == row.entry.start { return nil }
            let snapshot = StoredSnapshot(try reader.text(of: row, at: revision), of: row.entry)
            return TrimPlan(snapshot: snapshot, cut: try reader.cut(row, after: snapshot))
        }
    }

    /// The last revision that the settings want trimmed; nil if no trim is due.
    mutating func dueTrim(_ row: DocumentRow, _ settings: StoreSettings, at time: Int64) -> Revision? {
        let found = reading { reader throws(StoreFault) -> Revision? in
            switch settings.keepHistory {
            case .all: return nil
            case .revisions(let count):
                let most = max(0, count)
                let excess = row.entry.head.value - row.entry.start.value - most
                return excess > most / 16 ? Revision(row.entry.head.value - most) : nil
            case .time(let length): return try reader.lastRevision(of: row, before: time.minus(length))
            }
        }
        // If the history cannot be read, the next step for the document reports that.
        return (try? found.get()) ?? nil
    }

    package func pushers(of id: DocumentID, usedBefore time: Int64) -> Result<[Int64], StoreFault> {
        Result { () throws(StoreFault) in
            try database.every(
                // `HistoryReader.hasPusher` relies on this order: the oldest pushers are forgotten first.
                "SELECT author FROM pusher WHERE document = ? AND used < ? ORDER BY used LIMIT ?",
                .integer(id.value),
                .integer(time), .integer(Int64(UpkeepPolicy.pushersAtOnce))
            ) { $0.integer(0) }
        }
    }

    /// The number of pages of the file, and how many of them are free; nil if SQLite cannot read them.
    func space() -> (pages: Int, free: Int)? {
        do throws(StoreFault) {
            let pages = try database.one("PRAGMA page_count") { Int($0.integer(0)) }
            let free = try database.one("PRAGMA freelist_count") { Int($0.integer(0)) }
            guard let pages, let free else { return nil }
            return (pages, free)
        } catch {
            return nil
        }
    }

    mutating func forgetHistory(of document: DocumentID) { reader.forgetHistory(of: document) }

    mutating func reading<Answer>(
        _ body: (inout HistoryReader) throws(StoreFault) -> Answer
    ) -> Result<Answer, StoreFault> {
        Result { () throws(StoreFault) in try reader.reading(body) }
    }
}

extension HistoryReader {
    /// The segments of a document without their content.
    fileprivate func summaries(of row: DocumentRow) throws(StoreFault) -> [SegmentSummary] {
        // For `substr` SQLite would read the whole of a large body. `isPlain` reads only one byte.
        let found = try database.every(
            """
            SELECT id, first, last, length(body), CASE WHEN length(body) < 2048 THEN substr(body, 2, 1) = x'00' END
            FROM segment WHERE document = ? ORDER BY first
            """, .integer(row.entry.id.value)
        ) { row in
            (
                row: row.integer(0), first: Revision(Int(row.integer(1))),
                last: Revision(Int(row.integer(2))), bytes: Int(row.integer(3)),
                isUnmerged: row.isNull(4) ? nil : row.integer(4) == 1
            )
        }
        guard found.allSatisfy({ $0.first > 0 && $0.first <= $0.last && $0.last <= row.entry.head }) else {
            throw .damaged
        }
        var summaries: [SegmentSummary] = []
        summaries.reserveCapacity(found.count)
        for one in found {
            let isUnmerged = if let known = one.isUnmerged { known } else { try isPlain(one.row) }
            summaries.append(
                SegmentSummary(
                    row: one.row, first: one.first, last: one.last, bytes: one.bytes, isUnmerged: isUnmerged))
        }
        return summaries
    }

    func isPlain(_ row: Int64) throws(StoreFault) -> Bool {
        do throws(DatabaseFault) {
            let packing = try database.byte(at: 1, table: "segment", column: "body", row: row)
            return packing == SegmentFormat.Packing.plain.rawValue
        } catch {
            throw .database(error)
        }
    }

    /// Whether there are rows that are older than the start of the history.
    fileprivate func hasTrimmed(_ row: DocumentRow, _ summaries: [SegmentSummary]) throws(StoreFault) -> Bool
    {
        if let first = summaries.first, first.last <= row.entry.start { return true }
        let snapshot = try database.one(
            "SELECT 1 FROM snapshot WHERE document = ? AND revision < ? LIMIT 1",
            .integer(row.entry.id.value),
            .integer(Int64(row.entry.start.value)), read: { _ in true })
        return snapshot == true
    }

    /// The next merge, and whether no other merge is due after it.
    fileprivate mutating func merge(
        _ summaries: [SegmentSummary], of row: DocumentRow, isIdle: Bool
    ) throws(StoreFault) -> (replacement: Replacement, isLast: Bool)? {
        guard let due = MergePlan.next(summaries, after: row.snapshot, isIdle: isIdle), let first = due.first,
            let last = due.last
        else { return nil }
        var changes: [LoggedChange] = []
        var before: Chain?
        try forEachSegment(of: row, from: first.first) { stored throws(StoreFault) in
            before = before ?? stored.before
            changes += stored.segment.changes
            return stored.last < last.last
        }
        guard let before else { throw .damaged }
        let new = try encoded(Segment(first: first.first, changes: changes), after: before)
        let replacement = Replacement(document: row.entry.id, old: Array(due), new: new)
        var after = summaries
        after.replaceSubrange(due.indices, with: [replacement.summary])
        let isLast = MergePlan.next(after, after: row.snapshot, isIdle: isIdle) == nil
        return (replacement, isLast)
    }

    /// Prepares a snapshot at the head. It supersedes the previous snapshot if that snapshot is no longer
    /// worth its space.
    fileprivate mutating func snapshot(of row: DocumentRow) throws(StoreFault) -> UpkeepStep {
        let head = try text(of: row, at: row.entry.head)
        // Later, somebody may push or read at this revision, when the snapshot is superseded.
        cache?.add(head, of: row.entry)
        let snapshot = StoredSnapshot(head, of: row.entry)
        let isWorthIt = try isWorthKeeping(row.snapshot, of: row)
        return .snapshot(
            snapshot, superseded: isWorthIt ? nil : row.snapshot, covered: row.bytesSinceSnapshot)
    }

    /// Whether the history between the snapshot at `revision` and the snapshot before it is long compared
    /// with the snapshot at `revision`.
    private func isWorthKeeping(_ revision: Revision, of row: DocumentRow) throws(StoreFault) -> Bool {
        let (id, at) = (Value.integer(row.entry.id.value), Value.integer(Int64(revision.value)))
        let worth = try database.one(
            """
            SELECT coalesce((SELECT sum(length(body)) FROM segment WHERE document = ?1 AND last <= ?2 AND first >
            coalesce((SELECT max(revision) FROM snapshot WHERE document = ?1 AND revision < ?2), 0)), 0)
            >= ?3 * length(body) FROM snapshot WHERE document = ?1 AND revision = ?2
            """, id, at, .integer(Int64(UpkeepPolicy.snapshotShare))
        ) { $0.integer(0) == 1 }
        return worth ?? true
    }

    /// If the snapshot is inside a segment: the part of that segment after the snapshot.
    fileprivate mutating func cut(
        _ row: DocumentRow, after snapshot: StoredSnapshot
    ) throws(StoreFault) -> Replacement? {
        let at = snapshot.revision
        guard at < row.entry.head else { return nil }
        var found: StoredSegment?
        try forEachSegment(of: row, from: at.next) { stored throws(StoreFault) in
            found = stored
            return false
        }
        guard let found, found.segment.first <= at else { return nil }
        let rest = found.segment.changes[(at.value + 1 - found.segment.first.value)...]
        let old = SegmentSummary(
            row: found.row, first: found.segment.first, last: found.last, bytes: 0, isUnmerged: false)
        let new = try encoded(Segment(first: at.next, changes: Array(rest)), after: snapshot.chain)
        return Replacement(document: row.entry.id, old: [old], new: new)
    }

    /// The last revision up to which every change is older than `time`; nil if the first change is not older.
    fileprivate mutating func lastRevision(
        of row: DocumentRow, before time: Int64
    ) throws(StoreFault) -> Revision? {
        let (head, begin) = (row.entry.head, row.entry.start)
        // Find the first segment with a change at `time` or later. All changes before that segment are older,
        // even if the clock was set back afterwards.
        let found = try database.one(
            "SELECT min(first) FROM segment WHERE document = ? AND last > ? AND time >= ?",
            .integer(row.entry.id.value), .integer(Int64(begin.value)), .integer(time)
        ) { $0.isNull(0) ? nil : Int($0.integer(0)) }
        guard let found, let first = found else { return head }
        guard first > 0 else { throw .damaged }
        var last = Revision(first - 1)
        try forEachSegment(of: row, from: Revision(first)) { stored throws(StoreFault) in
            last = Revision(last.value + stored.segment.changes.prefix { $0.time < time }.count)
            return false
        }
        return last > begin ? last : nil
    }

    mutating func encoded(
        _ segment: Segment, after before: Chain, packing: SegmentFormat.Packing = .deflated
    ) throws(StoreFault) -> EncodedSegment {
        var authors: [Int64] = []
        authors.reserveCapacity(segment.changes.count)
        var last: (pusher: Pusher, number: Int64)?
        for change in segment.changes {
            if last?.pusher != change.pusher {
                guard let number = try number(of: change.pusher) else { throw .damaged }
                last = (change.pusher, number)
            }
            if let last { authors.append(last.number) }
        }
        var columns = SegmentColumns()
        return EncodedSegment(segment, after: before, packing: packing, authors: authors, in: &columns)
    }
}
