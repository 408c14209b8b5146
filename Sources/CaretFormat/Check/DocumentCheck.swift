import CaretCore
package import CaretLog

/// Checks documents, and collects what it finds: each row, chain, snapshot, pusher and tag. It changes nothing.
///
/// Use it only on the thread or queue of its connection.
package struct DocumentCheck<Rows: HistoryRows> {
    package typealias Fault = Rows.Fault

    private var reader: HistoryReader<Rows>
    package var report = CheckReport()

    private var rows: Rows { reader.rows }

    package init(_ rows: Rows) { reader = HistoryReader(rows) }

    /// Checks one document on one snapshot of the database. Reports nothing if the document was removed
    /// meanwhile.
    package mutating func check(_ id: DocumentID) {
        var name: DocumentName?
        do throws(Fault) {
            let rows = rows
            try rows.reading { () throws(Fault) in
                let row = try rows.document(id)
                name = row.entry.name
                report.documents += 1
                if row.entry.deleted == 0 { return }
                checkName(row)
                checkTags(row)
                try checkPushers(row, try checkHistory(row))
            }
        } catch {
            switch error.historyRefusal {
            case .refused(.gone): return
            case .refused(.damaged): report.addFinding(name == nil ? .row : .history, in: id, name)
            case .refused(.full), .refused(.failed), .refused(.away), .ahead, .trimmed, .wrongText:
                report.addFinding(error.unreadReason.map { .unread($0) } ?? .row, in: id)
            }
        }
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

    /// Replays the history from its start, and compares it with every snapshot. Returns each pusher's last
    /// push in the history.
    private mutating func checkHistory(_ row: DocumentRow) throws(Fault) -> NewestPushes {
        let snapshots = try rows.snapshots(of: row.entry, from: row.entry.start)
        report.snapshots += snapshots.count
        // The text cannot be read without the newest snapshot.
        if row.snapshot > 0, !snapshots.contains(where: { $0?.revision == row.snapshot }) {
            report.addFinding(.snapshot(row.snapshot.value), in: row.entry.id, row.entry.name)
        }
        // The replay begins with the snapshot at the start, so do not compare that one.
        var waiting = snapshots.drop { $0?.revision == row.entry.start }
        var (replay, pushes) = (
            Replay<Fault>(try reader.text(of: row, at: row.entry.start)), NewestPushes()
        )
        if row.entry.start < row.entry.head {
            let begin = row.entry.start.next
            var wrong: [Int] = []
            defer {
                for revision in wrong {
                    report.addFinding(.snapshot(revision), in: row.entry.id, row.entry.name)
                }
            }
            try reader.forEachSegment(of: row, from: begin) { stored throws(Fault) in
                while let next = waiting.first {
                    guard let next else { throw .damaged }
                    if next.revision > stored.last { break }
                    try replay.apply(stored, through: next.revision)
                    if !next.matches(replay.checked) { wrong.append(next.revision.value) }
                    waiting.removeFirst()
                }
                try replay.apply(stored, through: stored.last)
                pushes.add(stored.segment)
                return true
            }
        }
        report.revisions += row.entry.head.value - row.entry.start.value
        let checked = replay.checked
        guard waiting.isEmpty, checked.chain == row.chain, checked.snapshot.text.length == row.entry.length
        else {
            throw .damaged
        }
        return pushes
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
