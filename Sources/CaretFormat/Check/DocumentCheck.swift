import CaretCore
package import CaretLog

/// Checks documents, and collects what it finds: each row, chain, snapshot, pusher, tag and note. It changes nothing.
///
/// Use it only on the thread or queue of its connection.
package struct DocumentCheck<Connection: SQLConnection> {
    package typealias Fault = Connection.Fault

    private var reader: HistoryReader<Connection>
    package var report = CheckReport()
    /// The history whose check has begun; nil between two documents.
    private var history: CheckedHistory?

    private var rows: SQLRows<Connection> { reader.rows }

    package init(_ rows: SQLRows<Connection>) { reader = HistoryReader(rows) }

    /// Checks one document.
    package mutating func check(_ id: DocumentID) { while !step(id) {} }

    /// Does the next step of checking a document, on one snapshot of the database, so that other calls can run
    /// between the steps. Returns whether it was the last one. Reports nothing if the document was removed meanwhile.
    package mutating func step(_ id: DocumentID) -> Bool {
        var name: DocumentName?
        do throws(Fault) {
            let rows = rows
            let isDone = try rows.connection.reading { () throws(Fault) in
                let row = try rows.document(id)
                name = row.entry.name
                return try step(row)
            }
            if isDone { end() }
            return isDone
        } catch {
            end()
            switch error.historyRefusal {
            case .refused(.gone): break
            case .refused(.damaged): report.addFinding(name == nil ? .row : .history, in: id, name)
            case .refused(.full), .refused(.failed), .refused(.away), .ahead, .trimmed, .wrongText:
                report.addFinding(error.unreadReason.map { .unread($0) } ?? .row, in: id)
            }
            return true
        }
    }

    private mutating func step(_ row: DocumentRow) throws(Fault) -> Bool {
        if history == nil { report.documents += 1 }
        if row.entry.deleted == 0 { return true }
        if history == nil {
            checkName(row)
            checkTags(row)
            checkNotes(row)
        }
        // After a redaction, or a trim of what comes next, the check of the history begins again.
        if history?.continues(in: row) != true { try begin(row) }
        if try replay(row) { return false }
        if let history { try checkPushers(row, history.pushes) }
        return true
    }

    /// Ends the check of a document, and reports what was found in its history.
    private mutating func end() {
        guard let history = history.take() else { return }
        report.snapshots += history.snapshots
        report.revisions += history.revisions
        for revision in history.wrong { report.addFinding(.snapshot(revision), in: history.id, history.name) }
    }

    /// Checks that a search by the document's name finds the document.
    private mutating func checkName(_ row: DocumentRow) {
        if row.entry.deleted != nil { return }
        let found = Result { () throws(Fault) in try rows.document(named: row.entry.name).entry.id }
        if case .success(row.entry.id) = found { return }
        report.addFinding(.row, in: row.entry.id, row.entry.name)
    }

    private mutating func checkTags(_ row: DocumentRow) {
        let kept = row.entry.start...row.entry.head
        let tags = Result { () throws(Fault) in try rows.tags(of: row.entry.id) }
        if case .success(let tags) = tags, tags.allSatisfy({ kept.contains($0.revision) }) { return }
        report.addFinding(.tag, in: row.entry.id, row.entry.name)
    }

    private mutating func checkNotes(_ row: DocumentRow) {
        // A server of an earlier version may have trimmed the text of a place.
        let (id, kept) = (row.entry.id, 0...row.entry.head)
        let found = Result { () throws(Fault) in (try rows.notebook(of: id), try rows.notes(of: id))
        }
        if case .success((let book, let notes)) = found, book.counts(notes),
            notes.allSatisfy({ $0.movingPlace.map { kept.contains($0.revision) } != false })
        {
            return
        }
        report.addFinding(.note, in: id, row.entry.name)
    }

    // MARK: Histories

    private struct CheckedHistory {
        let id: DocumentID
        let name: DocumentName
        let epoch: UInt64
        var replay: Replay<Fault>
        var pushes = NewestPushes()
        /// The snapshots that were not compared yet. A damaged one is nil.
        var waiting: ArraySlice<StoredSnapshot?>
        /// The number of all snapshots.
        let snapshots: Int
        /// The revisions of missing and of wrong snapshots.
        var wrong: [Int] = []
        /// The number of revisions, if all of them were checked.
        var revisions = 0

        func continues(in row: DocumentRow) -> Bool {
            epoch == row.entry.epoch.document && row.entry.start <= replay.checked.snapshot.revision
        }
    }

    /// Begins with the text at the start of the history.
    private mutating func begin(_ row: DocumentRow) throws(Fault) {
        let snapshots = try rows.snapshots(of: row.entry, from: row.entry.start)
        history = CheckedHistory(
            id: row.entry.id, name: row.entry.name, epoch: row.entry.epoch.document,
            replay: Replay(try reader.text(of: row, at: row.entry.start)),
            // The replay begins with the snapshot at the start, so do not compare that one.
            waiting: snapshots.drop { $0?.revision == row.entry.start }, snapshots: snapshots.count)
        // The text cannot be read without the newest snapshot.
        if row.snapshot > 0, !snapshots.contains(where: { $0?.revision == row.snapshot }) {
            history?.wrong.append(row.snapshot.value)
        }
    }

    /// Replays the next changes, and compares the texts with the snapshots. Returns whether there are more.
    private mutating func replay(_ row: DocumentRow) throws(Fault) -> Bool {
        guard var found = history else { return false }
        defer { history = found }
        let reached = found.replay.checked.snapshot.revision
        var left = TextReplay.changesPerStep
        if reached < row.entry.head {
            try reader.forEachSegment(of: row, from: reached.next) { stored throws(Fault) in
                while let next = found.waiting.first {
                    guard let next else { throw .damaged }
                    if next.revision > stored.last { break }
                    try found.replay.apply(stored, through: next.revision)
                    if !next.matches(found.replay.checked) { found.wrong.append(next.revision.value) }
                    found.waiting.removeFirst()
                }
                try found.replay.apply(stored, through: stored.last)
                found.pushes.add(stored.segment)
                left -= stored.segment.changes.count
                return left > 0 || stored.last == row.entry.head
            }
        }
        let checked = found.replay.checked
        if checked.snapshot.revision < row.entry.head { return true }
        found.revisions = row.entry.head.value - row.entry.start.value
        guard found.waiting.isEmpty, checked.chain == row.chain,
            checked.snapshot.text.length == row.entry.length
        else { throw .damaged }
        return false
    }

    private mutating func checkPushers(_ row: DocumentRow, _ pushes: NewestPushes) throws(Fault) {
        var (count, damaged, known) = (0, false, Set<Pusher>())
        try rows.forEachPusher(of: row.entry.id) { pusher, entry throws(Fault) in
            count += 1
            if entry.map({ !$0.isLast(of: pusher, in: pushes, of: row.entry) }) ?? true { damaged = true }
            known.insert(pusher)
            // Check that a lookup of the pusher gives the same row.
            if row.entry.deleted == nil {
                let found = Result { () throws(Fault) in try reader.pusher(pusher, in: row.entry.id).entry }
                if (try? found.get()) != entry { damaged = true }
            }
        }
        for (pusher, newest) in pushes.newest where !damaged && !known.contains(pusher) {
            // If a pusher has no row, the pusher was forgotten or the row was lost.
            damaged = try rows.hasPusher(of: row.entry.id, usedBefore: newest.time)
        }
        report.pushers += count
        if damaged { report.addFinding(.pusher, in: row.entry.id, row.entry.name) }
    }
}

extension PusherEntry {
    /// Whether the entry has the pusher's last push. If that push was trimmed, the entry cannot be checked.
    fileprivate func isLast(of pusher: Pusher, in pushes: NewestPushes, of document: DocumentEntry) -> Bool {
        guard let newest = pushes.newest[pusher] else { return revision <= document.start }
        return NewestPushes.Push(seq: seq, revision: Int64(revision.value), time: used) == newest
    }
}

extension StoredSnapshot {
    /// Whether the snapshot has this text and this chain value.
    fileprivate func matches(_ checked: CheckedText) -> Bool {
        chain == checked.chain && text == checked.snapshot.text
    }
}
