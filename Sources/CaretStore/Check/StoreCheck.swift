import CaretCore
import CaretFormat
package import CaretLog

/// Reads a whole store: every page, row, chain, snapshot and pusher. It changes nothing.
///
/// Use it only on the thread or queue of its connection.
package struct StoreCheck {
    private var reader: HistoryReader
    private var report = CheckReport()
    private var database: Database { reader.database }

    private let isStopped: @Sendable () -> Bool

    /// `database` must be a connection for reading.
    package init(_ database: Database, isStopped: @escaping @Sendable () -> Bool = { false })
        throws(DatabaseFault)
    {
        self.isStopped = isStopped
        let row = try StoreRow.read(database)
        reader = HistoryReader(database: database, generation: Generation(row?.progress.generation ?? 0))
    }

    /// Checks one document, or the file and all documents.
    package mutating func run(_ document: DocumentID?, progress: (CheckProgress) -> Void) -> CheckReport {
        if let document { check(document) } else { checkAll(progress) }
        return report
    }

    /// Runs `body`. If `body` throws, adds a finding. The check continues with the other parts.
    private mutating func attempt(
        _ document: DocumentID? = nil, _ body: (inout StoreCheck) throws(StoreFault) -> Void
    ) {
        do throws(StoreFault) {
            try body(&self)
        } catch {
            switch error {
            case .database(let fault): report.addFinding(.unread(fault.message), in: document)
            case .refused: report.addFinding(.row, in: document)
            }
        }
    }

    private mutating func checkAll(_ progress: (CheckProgress) -> Void) {
        attempt { check throws(StoreFault) in
            for message in try check.database.every("PRAGMA integrity_check(20)", read: { $0.text(0) })
            where message != "ok" {
                check.report.addFinding(.file(message))
            }
        }
        var all = 0
        attempt { check throws(StoreFault) in
            all = try check.database.one("SELECT count(*) FROM document") { Int($0.integer(0)) } ?? 0
        }
        checkDocuments { report in
            progress(
                CheckProgress(documents: report.documents, allDocuments: all, revisions: report.revisions))
        }
        for table in ["segment", "snapshot", "pusher", "tag"] {
            attempt { check throws(StoreFault) in
                let orphans = try check.database.one(
                    "SELECT 1 FROM \(table) WHERE document NOT IN (SELECT id FROM document) LIMIT 1",
                    read: { _ in true })
                if orphans == true { check.report.addFinding(.orphans(table)) }
            }
        }
        checkTokens()
        if isStopped() { report.addFinding(.stopped) }
    }

    /// Checks the tokens page by page.
    private mutating func checkTokens() {
        var page = TokenListing(items: [], hasMore: true)
        while page.hasMore, !isStopped() {
            let last = page.items.last?.id
            page = TokenListing(items: [], hasMore: false)
            attempt { check throws(StoreFault) in
                page = try TokenTable(database: check.database).list(
                    after: last, limit: 64, weighing: 1 << 20)
            }
            report.tokens += page.items.count
            for case .damaged(let token) in page.items { report.addFinding(.token(token)) }
        }
    }

    /// Checks the documents in the order of their IDs, and continues after unreadable ones.
    private mutating func checkDocuments(_ progress: (CheckReport) -> Void) {
        var last: Int64 = 0
        while !isStopped() {
            var page: [Int64]?
            attempt { check throws(StoreFault) in
                page = try check.database.every(
                    "SELECT id FROM document WHERE id > ? ORDER BY id LIMIT 64", .integer(last)
                ) { $0.integer(0) }
            }
            guard let page else { return checkEach(after: last) }
            guard let end = page.last else { return }
            for id in page where !isStopped() { check(DocumentID(id)) }
            last = end
            progress(report)
        }
    }

    /// Tries every document ID that was ever used, because the table cannot be read in order.
    private mutating func checkEach(after last: Int64) {
        var most = last
        attempt { check throws(StoreFault) in
            most =
                try check.database.one("SELECT seq FROM sqlite_sequence WHERE name = 'document'") {
                    $0.integer(0)
                } ?? last
        }
        for id in last..<max(last, most) where !isStopped() { check(DocumentID(id + 1)) }
    }

    /// Checks one document on one snapshot of the database. Reports nothing if the document was removed
    /// meanwhile.
    private mutating func check(_ id: DocumentID) {
        var name: DocumentName?
        do throws(StoreFault) {
            let database = database
            try database.reading(
                { () throws(StoreFault) in
                    let row = try reader.anyDocument(id)
                    name = row.entry.name
                    report.documents += 1
                    if row.entry.deleted == 0 { return }
                    checkName(row)
                    checkTags(row)
                    try checkPushers(row, try checkHistory(row))
                }, orFault: StoreFault.database)
        } catch {
            switch error.historyRefusal {
            case .refused(.gone): return
            case .refused(.damaged): report.addFinding(name == nil ? .row : .history, in: id, name)
            case .refused(.full), .refused(.failed), .refused(.away), .ahead, .trimmed, .wrongText:
                attempt(id) { _ throws(StoreFault) in throw error }
            }
        }
    }

    /// Checks that a search by the document's name finds the document.
    private mutating func checkName(_ row: DocumentRow) {
        if row.entry.deleted != nil { return }
        let found = Result { () throws(StoreFault) in try reader.document(named: row.entry.name).entry.id }
        if case .success(row.entry.id) = found { return }
        report.addFinding(.row, in: row.entry.id, row.entry.name)
    }

    private mutating func checkTags(_ row: DocumentRow) {
        let kept = row.entry.start...row.entry.head
        let tags = Result { () throws(StoreFault) in
            try TagTable(database: database).tags(of: row.entry.id)
        }
        if case .success(let tags) = tags, tags.allSatisfy({ kept.contains($0.revision) }) { return }
        report.addFinding(.tag, in: row.entry.id, row.entry.name)
    }

    /// Replays the history from its start, and compares it with every snapshot. Returns each pusher's last
    /// push in the history.
    private mutating func checkHistory(_ row: DocumentRow) throws(StoreFault) -> NewestPushes {
        let snapshots = try database.every(
            "SELECT \(StoredSnapshot.columns) FROM snapshot WHERE document = ? AND revision >= ? ORDER BY revision",
            .integer(row.entry.id.value), .integer(Int64(row.entry.start.value))
        ) { StoredSnapshot($0, of: row.entry) }
        report.snapshots += snapshots.count
        // The text cannot be read without the newest snapshot.
        if row.snapshot > 0, !snapshots.contains(where: { $0?.revision == row.snapshot }) {
            report.addFinding(.snapshot(row.snapshot.value), in: row.entry.id, row.entry.name)
        }
        // The replay begins with the snapshot at the start, so do not compare that one.
        var waiting = snapshots.drop { $0?.revision == row.entry.start }
        var (replay, pushes) = (
            Replay<StoreFault>(try reader.text(of: row, at: row.entry.start)), NewestPushes()
        )
        if row.entry.start < row.entry.head {
            let begin = row.entry.start.next
            var wrong: [Int] = []
            defer {
                for revision in wrong {
                    report.addFinding(.snapshot(revision), in: row.entry.id, row.entry.name)
                }
            }
            try reader.forEachSegment(of: row, from: begin) { stored throws(StoreFault) in
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

    private mutating func checkPushers(_ row: DocumentRow, _ pushes: NewestPushes) throws(StoreFault) {
        var (count, damaged, known) = (0, false, Set<Pusher>())
        let columns = PusherRow.columns.split(separator: ", ").map { "pusher.\($0)" }.joined(separator: ", ")
        try database.forEach(
            """
            SELECT \(columns), user, client FROM pusher LEFT JOIN author ON author.id = pusher.author
            WHERE document = ?
            """, [.integer(row.entry.id.value)], orFault: StoreFault.database
        ) { (found: Row) throws(StoreFault) in
            count += 1
            let who = Pusher(
                user: ByteString(utf8: found.bytes(6)), client: ByteString(utf8: found.bytes(7)))
            let pusher = PusherRow(found, of: who, in: row.entry.id)
            if pusher.map({ !$0.isLast(in: pushes, of: row.entry) }) ?? true { damaged = true }
            known.insert(who)
            // Check that a lookup of the pusher gives the same row.
            if row.entry.deleted == nil {
                let found = Result { () throws(StoreFault) in try reader.pusher(who, in: row.entry.id).entry }
                if (try? found.get()) != pusher?.entry { damaged = true }
            }
            return true
        }
        for (pusher, newest) in pushes.newest where !damaged && !known.contains(pusher) {
            // If a pusher has no row, the pusher was forgotten or the row was lost.
            damaged = try reader.hasPusher(of: row.entry.id, usedBefore: newest.time)
        }
        report.pushers += count
        if damaged { report.addFinding(.pusher, in: row.entry.id, row.entry.name) }
    }
}

extension PusherRow {
    /// Whether the row has the pusher's last push. If that push was trimmed, the row cannot be checked.
    fileprivate func isLast(in pushes: NewestPushes, of document: DocumentEntry) -> Bool {
        guard let newest = pushes.newest[pusher] else { return entry.revision <= document.start }
        let own = NewestPushes.Push(
            seq: entry.seq, revision: Int64(entry.revision.value), time: entry.used)
        return own == newest
    }
}

extension StoredSnapshot {
    /// Whether the snapshot has this text and this chain value.
    fileprivate func matches(_ checked: CheckedText) -> Bool {
        chain == checked.chain && text == checked.snapshot.text
    }
}
