import CaretCore
package import CaretFormat
import CaretLog

/// Reads documents and their histories through one connection, and checks every chain.
///
/// Use it only on the thread or queue of its connection. Put calls that must see the same state into one
/// `reading`.
package struct HistoryReader {
    let database: Database
    private let shared: Generation
    private var authors = AuthorCache()
    /// The last two segments that were read and found sound, the newest last. Clients read histories page by
    /// page, in both directions. If a page has changes of two segments, the store need not decode either of
    /// them again for the next page.
    private var recentSegments: [StoredSegment] = []
    /// What the readers of the store remember together; nil for a reader that must read everything.
    let cache: HistoryCache?

    var generation: UInt64 { shared.value }

    package init(database: Database, generation: Generation, cache: HistoryCache? = nil) {
        self.database = database
        self.cache = cache
        shared = generation
    }

    /// Runs `body` on one snapshot of the database.
    mutating func reading<Answer>(
        _ body: (inout HistoryReader) throws(StoreFault) -> Answer
    ) throws(StoreFault) -> Answer {
        let database = database
        return try database.reading(
            { () throws(StoreFault) in try body(&self) }, orFault: StoreFault.database)
    }

    /// Drops what is in memory of a document's history, because the history was rewritten.
    mutating func forgetHistory(of document: DocumentID) {
        recentSegments = []
        cache?.forget(document)
    }

    // MARK: Documents

    /// A document that is not deleted.
    func document(_ id: DocumentID) throws(StoreFault) -> DocumentRow {
        let row = try anyDocument(id)
        if row.entry.deleted != nil { throw .gone }
        return row
    }

    /// A document, deleted or not.
    func anyDocument(_ id: DocumentID) throws(StoreFault) -> DocumentRow {
        try row("id = ?", .integer(id.value))
    }

    func document(named name: DocumentName) throws(StoreFault) -> DocumentRow {
        try row("name = ? AND deleted IS NULL", .bytes(name.bytes.utf8))
    }

    private func row(_ condition: String, _ value: Value) throws(StoreFault) -> DocumentRow {
        let found = try database.one("SELECT \(DocumentRow.columns) FROM document WHERE \(condition)", value)
        {
            DocumentRow($0, generation: generation)
        }
        guard let found else { throw .gone }
        guard let row = found else { throw .damaged }
        return row
    }

    func list(prefix: ByteString, after: ByteString?, limit: Int) throws(StoreFault) -> Listing {
        // The page starts at `prefix` or `after`, whichever is later. No other name sorts between a prefix
        // and the names that begin with it.
        let start = max(prefix, after ?? prefix)
        var page = ListingPage(limit)
        try database.forEach(
            """
            SELECT \(DocumentRow.columns) FROM document
            WHERE deleted IS NULL AND name >= ? AND name <> ? ORDER BY name
            """, [.bytes(start.utf8), after.map { .bytes($0.utf8) } ?? .bytes([])],
            orFault: StoreFault.database
        ) { (row: Row) throws(StoreFault) in
            guard row.bytes(1).starts(with: prefix.utf8) else { return false }
            return page.append(DocumentRow(row, generation: generation))
        }
        return page.listing
    }

    func deleted(prefix: ByteString, after: DocumentID?, limit: Int) throws(StoreFault) -> Listing {
        var page = ListingPage(limit)
        // Leaves out documents that are being purged, because they cannot be undeleted.
        try database.forEach(
            """
            SELECT \(DocumentRow.columns) FROM document
            WHERE deleted > 0 AND id > ? AND substr(name, 1, ?) = ? ORDER BY id
            """, [.integer(after?.value ?? 0), .integer(Int64(prefix.utf8.count)), .bytes(prefix.utf8)],
            orFault: StoreFault.database
        ) { (row: Row) throws(StoreFault) in page.append(DocumentRow(row, generation: generation)) }
        return page.listing
    }

    func pusher(_ pusher: Pusher, in id: DocumentID) throws(StoreFault) -> PusherAnswer {
        let head = try document(id).entry.head
        let found = try database.one(
            """
            SELECT \(PusherRow.columns) FROM author JOIN pusher ON author.id = pusher.author
            WHERE user = ? AND client = ? AND document = ?
            """, .bytes(pusher.user.utf8), .bytes(pusher.client.utf8), .integer(id.value)
        ) { PusherRow($0, of: pusher, in: id) }
        if case .some(nil) = found { throw .damaged }
        let entry = found??.entry
        // Both rows were written in one transaction. So if the pusher's push is after the head, one row is
        // out of date.
        if let entry, entry.revision > head { throw .damaged }
        return PusherAnswer(entry: entry, head: head)
    }

    // MARK: Histories

    /// The changes after `revision`, with at most `limit` bytes together. Returns at least one change, unless
    /// `revision` is the head.
    mutating func changes(
        of document: DocumentRow, after revision: Revision, limit: Int
    ) throws(StoreFault) -> [LoggedChange] {
        var changes: [LoggedChange] = []
        if revision == document.entry.head { return changes }
        var bytes = 0
        try forEachSegment(of: document, from: revision.next) { stored throws(StoreFault) in
            let skipped = max(0, revision.value + 1 - stored.segment.first.value)
            let new = stored.segment.changes[skipped...]
            var end = new.startIndex
            while end < new.endIndex {
                bytes += new[end].weight
                // The first change is returned even if it exceeds the limit.
                if bytes > limit, !changes.isEmpty || end > new.startIndex { break }
                end += 1
            }
            changes += new[..<end]
            return end == new.endIndex
        }
        return changes
    }

    /// The text at a revision of the kept history.
    mutating func text(of document: DocumentRow, at revision: Revision) throws(StoreFault) -> CheckedText {
        try check(revision, of: document)
        let isHead = revision == document.entry.head
        let start = try newestSnapshot(of: document, through: revision)
        var (replay, pushes) = (Replay<StoreFault>(start), NewestPushes())
        if start.snapshot.revision < revision {
            try forEachSegment(of: document, from: start.snapshot.revision.next) {
                stored throws(StoreFault) in
                try replay.apply(stored, through: revision)
                if isHead { pushes.add(stored.segment) }
                return isHead || stored.last < revision
            }
        } else if !isHead, revision > 0 {
            // The snapshot can be sound but have a wrong revision number. A comparison with the chain of the
            // next segment shows that.
            try forEachSegment(of: document, from: revision.next) { stored throws(StoreFault) in
                try replay.apply(stored, through: revision)
                return false
            }
        } else if isHead {
            try checkEnd(of: document, &pushes)
        }
        let checked = replay.checked
        if isHead {
            guard checked.chain == document.chain, checked.snapshot.text.length == document.entry.length
            else {
                throw .damaged
            }
            try check(pushes, of: document)
        }
        return checked
    }

    func check(_ revision: Revision, of document: DocumentRow) throws(StoreFault) {
        if revision > document.entry.head { throw .refused(.ahead(head: document.entry.head)) }
        if revision < document.entry.start { throw .refused(.trimmed(start: document.entry.start)) }
    }

    /// The revision of the newest snapshot at `revision` or before; 0 if there is none.
    func newestSnapshotRevision(
        of document: DocumentRow, through revision: Revision
    ) throws(StoreFault) -> Revision {
        let found = try database.one(
            "SELECT max(revision) FROM snapshot WHERE document = ? AND revision <= ?",
            .integer(document.entry.id.value), .integer(Int64(revision.value))
        ) { $0.isNull(0) ? 0 : $0.integer(0) }
        return Revision(Int(found ?? 0))
    }

    func newestSnapshot(
        of document: DocumentRow, through revision: Revision
    ) throws(StoreFault) -> CheckedText {
        let found = try database.one(
            """
            SELECT \(StoredSnapshot.columns) FROM snapshot
            WHERE document = ? AND revision <= ? ORDER BY revision DESC LIMIT 1
            """, .integer(document.entry.id.value), .integer(Int64(revision.value))
        ) { StoredSnapshot($0, of: document.entry) }
        guard let found else {
            if document.snapshot > 0 && document.snapshot <= revision || document.entry.start > 0 {
                throw .damaged
            }
            return CheckedText(
                snapshot: Snapshot(revision: 0, text: TextBuffer()), chain: Chain(of: document.entry.epoch))
        }
        guard let stored = found, let text = stored.text else { throw .damaged }
        return CheckedText(snapshot: Snapshot(revision: stored.revision, text: text), chain: stored.chain)
    }

    /// Calls `body` with the segments of a document until `body` returns false. Starts with the segment that
    /// has `revision`. Checks the content of each segment, and that it continues the previous segment. The
    /// last segment must end at the head.
    mutating func forEachSegment(
        of document: DocumentRow, from revision: Revision,
        _ body: (StoredSegment) throws(StoreFault) -> Bool
    ) throws(StoreFault) {
        let (id, from) = (Value.integer(document.entry.id.value), Value.integer(Int64(revision.value)))
        // The last revision checked so far, and the chain after it; nil before the first segment.
        var reached: (last: Revision, chain: Chain)?
        var isStopped = false
        try database.forEach(
            """
            SELECT \(StoredSegment.columns) FROM segment WHERE document = ?1
            AND first >= (SELECT max(first) FROM segment WHERE document = ?1 AND first <= ?2) ORDER BY first
            """, [id, from], orFault: StoreFault.database
        ) { row throws(StoreFault) in
            let stored = try segment(row)
            if let reached {
                guard stored.segment.first == reached.last.next, stored.before == reached.chain else {
                    throw .damaged
                }
            } else {
                guard stored.segment.first <= revision, stored.last >= revision else { throw .damaged }
            }
            reached = (stored.last, stored.after)
            isStopped = try !body(stored)
            return !isStopped
        }
        if isStopped { return }
        guard let reached, reached.last == document.entry.head, reached.chain == document.chain else {
            throw .damaged
        }
    }

    /// Decodes and checks a row of `segment`.
    private mutating func segment(_ row: Row) throws(StoreFault) -> StoredSegment {
        guard let before = Digest(bytes: row.bytes(4)), let after = Digest(bytes: row.bytes(5)) else {
            throw .damaged
        }
        let time = row.integer(6)
        // The two chain values determine the content, so a segment with the same values need not be decoded
        // again.
        let known = recentSegments.first { $0.after.value == after && $0.before.value == before }
        let (first, last) = (row.integer(1), row.integer(2))
        if let known {
            guard first == Int64(known.segment.first.value), last == Int64(known.last.value),
                time == known.time
            else { throw .damaged }
            return StoredSegment(
                row: row.integer(0), segment: known.segment, last: known.last, time: known.time,
                before: known.before, after: known.after)
        }
        guard first > 0, last >= first, last < Int64(Int32.max) * Int64(Int32.max) else { throw .damaged }
        let body = row.bytes(3)
        let changes = try decoded(body)
        let stored = StoredSegment(
            row: row.integer(0), segment: Segment(first: Revision(Int(first)), changes: changes),
            last: Revision(Int(last)), time: time, before: Chain(before), after: Chain(after))
        try check(stored, body)
        recentSegments = recentSegments.suffix(1) + [stored]
        return stored
    }

    /// Checks that a segment is sound. The chain over its changes takes three quarters of the time to read a
    /// large segment, so it is computed only once for each stored body.
    private func check(_ stored: StoredSegment, _ body: [UInt8]) throws(StoreFault) {
        guard let cache, stored.segment.changes.count >= HistoryCache.leastChanges else {
            if !stored.isSound { throw .damaged }
            return
        }
        let fingerprint = stored.fingerprint(body)
        if cache.isSound(fingerprint) { return }
        guard stored.isSound else { throw .damaged }
        cache.remember(sound: fingerprint)
    }

    private mutating func decoded(_ body: [UInt8]) throws(StoreFault) -> [LoggedChange] {
        do throws(SegmentFault) {
            return try SegmentFormat.decoded(body) { number throws(SegmentFault) in
                // If the author cannot be read, treat the author as unknown.
                guard let pusher = try? author(number) else { throw .unknownAuthor(number) }
                return pusher
            }
        } catch {
            throw .damaged
        }
    }

    /// The number of a pusher; nil if the store does not know the pusher.
    mutating func number(of pusher: Pusher) throws(StoreFault) -> Int64? {
        if let known = authors[pusher] { return known }
        let found = try database.one(
            "SELECT id FROM author WHERE user = ? AND client = ?", .bytes(pusher.user.utf8),
            .bytes(pusher.client.utf8)
        ) { $0.integer(0) }
        if let found { authors.keep(pusher, found) }
        return found
    }

    private mutating func author(_ number: Int64) throws(StoreFault) -> Pusher? {
        if let known = authors[number] { return known }
        let found = try database.one("SELECT user, client FROM author WHERE id = ?", .integer(number)) {
            row in
            Pusher(user: ByteString(utf8: row.bytes(0)), client: ByteString(utf8: row.bytes(1)))
        }
        if let found { authors.keep(found, number) }
        return found
    }
}

/// Collects a page of documents. It skips damaged rows, so that a page with only damaged rows does not end
/// the listing.
private struct ListingPage {
    private let limit: Int
    private var entries: [DocumentEntry] = []
    private var hasMore = false
    private var damaged = 0
    /// The number of damaged rows since the last entry. If the next sound row does not fit this page, the
    /// damaged rows before it are counted on the next page.
    private var damagedSinceLastEntry = 0

    init(_ limit: Int) { self.limit = max(0, limit) }

    /// Adds the next row; returns false if the page is full.
    mutating func append(_ row: DocumentRow?) -> Bool {
        guard let row else {
            damagedSinceLastEntry += 1
            return true
        }
        if entries.count == limit {
            (hasMore, damagedSinceLastEntry) = (true, 0)
            return false
        }
        entries.append(row.entry)
        damaged += damagedSinceLastEntry
        damagedSinceLastEntry = 0
        return true
    }

    var listing: Listing {
        Listing(entries: entries, hasMore: hasMore, damaged: damaged + damagedSinceLastEntry)
    }
}
