package import CaretCore
package import CaretLog

/// Finds the steps of upkeep that are due and prepares them, through its own connection.
///
/// Use it only on the queue of upkeep.
package struct UpkeepReader<Connection: SQLConnection> {
    package typealias Fault = Connection.Fault

    package var reader: HistoryReader<Connection>
    private var rows: SQLRows<Connection> { reader.rows }

    package init(_ reader: HistoryReader<Connection>) { self.reader = reader }

    func documents(after id: DocumentID, limit: Int) -> Result<[VisitedDocument], Fault> {
        Result { () throws(Fault) in try rows.documents(after: id, limit: limit) }
    }

    /// The document with this ID; nil if there is none.
    func visitedDocument(_ id: DocumentID) -> Result<VisitedDocument?, Fault> {
        Result { () throws(Fault) in try rows.visitedDocument(id) }
    }

    /// The highest document ID that was ever used.
    func lastDocument() -> Result<DocumentID, Fault> {
        Result { () throws(Fault) in try rows.lastDocument() }
    }

    // MARK: One document's history

    /// The next step for a document; nil if no step is due. `isNew` means that upkeep has not looked at the
    /// document since the last write.
    package mutating func next(
        for id: DocumentID, isIdle: Bool, isNew: Bool
    ) -> Result<Unpacked<DueStep>?, Fault> {
        reading { reader throws(Fault) -> Unpacked<DueStep>? in
            let row = try reader.document(id)
            // An earlier run has already done the work for which the document was queued.
            if isNew, !isIdle, row.entry.start == 0, !UpkeepPolicy.isDue(row) { return nil }
            let summaries = try reader.summaries(of: row)
            if try reader.hasTrimmed(row, summaries) {
                return Unpacked { DueStep(.removeTrimmed, isLast: false) }
            }
            if let notes = try reader.dueNotes(of: row) {
                return Unpacked { DueStep(.moveNotes(notes), isLast: false) }
            }
            let isSnapshotDue = UpkeepPolicy.isSnapshotDue(row, isIdle: isIdle)
            if let merge = try reader.merge(summaries, of: row, isIdle: isIdle, isSnapshotDue: isSnapshotDue)
            {
                return merge
            }
            if isSnapshotDue { return try reader.snapshot(of: row, isLast: !isIdle) }
            let excess = row.unmergedSegments - summaries.count { $0.isUnmerged }
            return excess > 0 ? Unpacked { DueStep(.correctUnmerged(excess: excess), isLast: true) } : nil
        }
    }

    /// Does the next step of a replay; nil after the last one, and if it fails, because what needs the text then fails too.
    mutating func step(_ replay: TextReplay) -> TextReplay? {
        var replay = replay
        let text = Result { () throws(Fault) in try replay.step(&reader) }
        if case .success(nil) = text { return replay }
        return nil
    }

    /// The notes to move next, so that no place is before `revision`. Nil if there are none.
    mutating func notes(
        of id: DocumentID, before revision: Revision
    ) -> Result<[MovedNote]?, Fault> {
        reading { reader throws(Fault) in
            try reader.movedNotes(of: try reader.document(id), before: revision)
        }
    }

    /// Prepares a trim that makes the history begin after `revision`; nil if it already begins there.
    package mutating func prepareTrim(
        of id: DocumentID, through revision: Revision
    ) -> Result<Unpacked<TrimPlan>?, Fault> {
        reading { reader throws(Fault) in
            let row = try reader.document(id)
            try reader.check(revision, of: row)
            if revision == row.entry.start { return nil }
            let start = try reader.text(of: row, at: revision)
            let cut = try reader.cut(row, after: start)
            return Unpacked {
                TrimPlan(snapshot: StoredSnapshot(start, of: row.entry), cut: cut?.packed())
            }
        }
    }

    /// The last revision that the settings want trimmed; nil if no trim is due.
    mutating func dueTrim(_ row: DocumentRow, _ settings: StoreSettings, at time: Int64) -> Revision? {
        let found = reading { reader throws(Fault) -> Revision? in
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

    /// The authors to forget next: the oldest ones first, so that `HistoryReader` can tell which were forgotten.
    package func pushers(of id: DocumentID, usedBefore time: Int64) -> Result<[Int64], Fault> {
        Result { () throws(Fault) in
            try rows.authors(of: id, usedBefore: time, limit: UpkeepPolicy.pushersAtOnce)
        }
    }

    package mutating func forgetHistory(of document: DocumentID) { reader.forgetHistory(of: document) }

    package mutating func reading<Answer>(
        _ body: (inout HistoryReader<Connection>) throws(Fault) -> Answer
    ) -> Result<Answer, Fault> {
        Result { () throws(Fault) in try reader.reading(body) }
    }
}

extension HistoryReader {
    /// The segments of a document without their content.
    fileprivate func summaries(of row: DocumentRow) throws(Fault) -> [SegmentSummary] {
        let found = try rows.summaries(of: row.entry.id)
        guard found.allSatisfy({ $0.first > 0 && $0.first <= $0.last && $0.last <= row.entry.head }) else {
            throw .damaged
        }
        return found
    }

    /// Whether there are rows that are older than the start of the history.
    fileprivate func hasTrimmed(_ row: DocumentRow, _ summaries: [SegmentSummary]) throws(Fault) -> Bool {
        if let first = summaries.first, first.last <= row.entry.start { return true }
        return try rows.hasSnapshot(of: row.entry.id, before: row.entry.start)
    }

    /// The notes to move next, because many revisions or a snapshot came after their places. Damaged notes stay where
    /// they are, so that they do not hold up the history.
    fileprivate mutating func dueNotes(of row: DocumentRow) throws(Fault) -> [MovedNote]? {
        let oldest = max(row.snapshot.value, row.entry.head.value - NotePlace.mostBehind)
        do throws(Fault) { return try movedNotes(of: row, before: Revision(oldest)) } catch {
            if case .refused(.damaged) = error.historyRefusal { return nil }
            throw error
        }
    }

    /// The next merge. It is the last step if no other merge and no snapshot is due after it.
    fileprivate mutating func merge(
        _ summaries: [SegmentSummary], of row: DocumentRow, isIdle: Bool, isSnapshotDue: Bool
    ) throws(Fault) -> Unpacked<DueStep>? {
        guard let due = MergePlan.next(summaries, after: row.snapshot, isIdle: isIdle), let first = due.first,
            let last = due.last
        else { return nil }
        var changes: [LoggedChange] = []
        var before: Chain?
        try forEachSegment(of: row, from: first.first) { stored throws(Fault) in
            before = before ?? stored.before
            changes += stored.segment.changes
            return stored.last < last.last
        }
        guard let before else { throw .damaged }
        let new = try unpacked(Segment(first: first.first, changes: changes), after: before)
        return Unpacked {
            let replacement = Replacement(document: row.entry.id, old: Array(due), new: new.packed())
            var after = summaries
            after.replaceSubrange(due.indices, with: [replacement.summary])
            let isLastMerge = MergePlan.next(after, after: row.snapshot, isIdle: isIdle) == nil
            return DueStep(.merge(replacement), isLast: isLastMerge && !isSnapshotDue)
        }
    }

    /// Prepares a snapshot at the head. It supersedes the previous snapshot if that snapshot is no longer
    /// worth its space.
    fileprivate mutating func snapshot(
        of row: DocumentRow, isLast: Bool
    ) throws(Fault) -> Unpacked<DueStep> {
        let head = try text(of: row, at: row.entry.head)
        // Later, somebody may push or read at this revision, when the snapshot is superseded.
        cache?.add(head, of: row.entry)
        // An old snapshot is worth its space if the history before it is long.
        let isWorthIt =
            try rows.isHistoryLong(
                before: row.snapshot, of: row.entry.id, share: UpkeepPolicy.snapshotShare) ?? true
        return Unpacked {
            let step = UpkeepStep.snapshot(
                StoredSnapshot(head, of: row.entry), superseded: isWorthIt ? nil : row.snapshot,
                covered: row.bytesSinceSnapshot)
            return DueStep(step, isLast: isLast)
        }
    }

    /// If the snapshot is inside a segment: the part of that segment after the snapshot.
    fileprivate mutating func cut(
        _ row: DocumentRow, after start: CheckedText
    ) throws(Fault) -> Unpacked<Replacement>? {
        let at = start.snapshot.revision
        guard at < row.entry.head else { return nil }
        var found: StoredSegment?
        try forEachSegment(of: row, from: at.next) { stored throws(Fault) in
            found = stored
            return false
        }
        guard let found, found.segment.first <= at else { return nil }
        let rest = found.segment.changes[(at.value + 1 - found.segment.first.value)...]
        let old = SegmentSummary(
            first: found.segment.first, last: found.last, bytes: 0, isUnmerged: false)
        let new = try unpacked(Segment(first: at.next, changes: Array(rest)), after: start.chain)
        return Unpacked { Replacement(document: row.entry.id, old: [old], new: new.packed()) }
    }

    /// The last revision up to which every change is older than `time`; nil if the first change is not older.
    fileprivate mutating func lastRevision(
        of row: DocumentRow, before time: Int64
    ) throws(Fault) -> Revision? {
        let (head, begin) = (row.entry.head, row.entry.start)
        // Find the first segment with a change at `time` or later. All changes before that segment are older,
        // even if the clock was set back afterwards.
        let found = try rows.firstSegment(of: row.entry.id, after: begin, changedSince: time)
        guard let first = found?.value else { return head }
        guard first > 0 else { throw .damaged }
        var last = Revision(first - 1)
        try forEachSegment(of: row, from: Revision(first)) { stored throws(Fault) in
            last = Revision(last.value + stored.segment.changes.prefix { $0.time < time }.count)
            return false
        }
        return last > begin ? last : nil
    }

    mutating func unpacked(
        _ segment: Segment, after before: Chain, packing: SegmentFormat.Packing = .deflated
    ) throws(Fault) -> Unpacked<EncodedSegment> {
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
        return Unpacked { [authors] in
            var columns = SegmentColumns()
            return EncodedSegment(segment, after: before, packing: packing, authors: authors, in: &columns)
        }
    }
}
