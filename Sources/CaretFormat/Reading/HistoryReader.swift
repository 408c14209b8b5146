package import CaretCore
package import CaretLog

/// Reads documents and their histories through one connection, and checks every chain.
///
/// Use it only on the thread or queue of its connection. Put calls that must see the same state into one
/// `reading`.
package struct HistoryReader<Connection: SQLConnection> {
    package typealias Fault = Connection.Fault

    package let rows: SQLRows<Connection>
    package private(set) var authors: AuthorCache
    /// The generation of the store when `authors` were read. An older copy of the store has fewer authors.
    private var generationOfAuthors: UInt64
    /// The last two segments that were read and found sound, the newest last. Clients read histories page by
    /// page, in both directions. If a page has changes of two segments, the store need not decode either of
    /// them again for the next page.
    private var recentSegments: [StoredSegment] = []
    /// What the readers of the store remember together; nil for a reader that must read everything.
    package let cache: HistoryCache?

    package init(
        _ rows: SQLRows<Connection>, cache: HistoryCache? = nil, authors: AuthorCache = AuthorCache()
    ) {
        self.rows = rows
        self.cache = cache
        self.authors = authors
        generationOfAuthors = rows.generation
    }

    /// Runs `body` on one snapshot of the database.
    package mutating func reading<Answer>(
        _ body: (inout HistoryReader) throws(Fault) -> Answer
    ) throws(Fault) -> Answer {
        let rows = rows
        return try rows.connection.reading { () throws(Fault) in try body(&self) }
    }

    /// Drops what is in memory of a document's history, because the history was rewritten.
    package mutating func forgetHistory(of document: DocumentID) {
        recentSegments = []
        cache?.forget(document)
    }

    // MARK: Documents

    /// A document that is not deleted.
    package func document(_ id: DocumentID) throws(Fault) -> DocumentRow {
        let row = try rows.document(id)
        if row.entry.deleted != nil { throw .gone }
        return row
    }

    package func list(prefix: ByteString, after: ByteString?, limit: Int) throws(Fault) -> Listing {
        // The page starts at `prefix` or `after`, whichever is later. No other name sorts between a prefix
        // and the names that begin with it.
        var page = ListingPage(limit)
        try rows.forEachDocument(from: max(prefix, after ?? prefix), without: after) { name, row in
            name.hasPrefix(prefix) && page.append(row)
        }
        return page.listing
    }

    package func deleted(prefix: ByteString, after: DocumentID?, limit: Int) throws(Fault) -> Listing {
        var page = ListingPage(limit)
        try rows.forEachDeleted(prefix: prefix, after: after ?? DocumentID(0)) { page.append($0) }
        return page.listing
    }

    package func pusher(_ pusher: Pusher, in id: DocumentID) throws(Fault) -> PusherAnswer {
        let document = try document(id).entry
        return PusherAnswer(entry: try self.pusher(pusher, of: document), head: document.head)
    }

    package func pusher(_ pusher: Pusher, of document: DocumentEntry) throws(Fault) -> PusherEntry? {
        let entry = try rows.entry(of: pusher, in: document.id)
        // Both rows were written in one transaction. So if the pusher's push is after the head, one row is
        // out of date.
        if let entry, entry.revision > document.head { throw .damaged }
        return entry
    }

    // MARK: Histories

    /// The changes after `revision`, with at most `limit` bytes together. Returns at least one change, unless
    /// `revision` is the head.
    package mutating func changes(
        of document: DocumentRow, after revision: Revision, limit: Int
    ) throws(Fault) -> [LoggedChange] {
        var changes: [LoggedChange] = []
        if revision == document.entry.head { return changes }
        var bytes = 0
        try forEachSegment(of: document, from: revision.next) { stored throws(Fault) in
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

    /// The changes after `revision`, and the head of the document.
    package mutating func slice(
        of document: DocumentRow, after revision: Revision, limit: Int
    ) throws(Fault) -> HistorySlice {
        try check(revision, of: document)
        let changes = try changes(of: document, after: revision, limit: limit)
        return HistorySlice(
            segment: Segment(first: revision.next, changes: changes), head: document.entry.head)
    }

    /// The text at a revision of the kept history.
    package mutating func text(of document: DocumentRow, at revision: Revision) throws(Fault) -> CheckedText {
        try check(revision, of: document)
        let isHead = revision == document.entry.head
        // The pushers' rows are compared with all changes since the newest snapshot.
        let start =
            isHead
            ? try newestSnapshot(of: document, through: revision)
            : try nearestText(of: document, through: revision)
        var (replay, pushes) = (Replay<Fault>(start), NewestPushes())
        if start.snapshot.revision < revision {
            try forEachSegment(of: document, from: start.snapshot.revision.next) {
                stored throws(Fault) in
                try replay.apply(stored, through: revision)
                if isHead { pushes.add(stored.segment) }
                return isHead || stored.last < revision
            }
        } else if !isHead, revision > 0 {
            // The snapshot can be sound but have a wrong revision number. A comparison with the chain of the
            // next segment shows that.
            try forEachSegment(of: document, from: revision.next) { stored throws(Fault) in
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

    package func check(_ revision: Revision, of document: DocumentRow) throws(Fault) {
        try rows.check(revision, of: document.entry)
    }

    /// The text of the newest snapshot, or a later text that is in memory.
    private func nearestText(
        of document: DocumentRow, through revision: Revision
    ) throws(Fault) -> CheckedText {
        if let known = cache?.rung(of: document.entry, through: revision) {
            let stored = try rows.newestSnapshotRevision(of: document.entry.id, through: revision)
            // The rows up to the text may have been trimmed.
            if known.snapshot.revision >= max(stored, document.entry.start) { return known }
        }
        return try newestSnapshot(of: document, through: revision)
    }

    package func newestSnapshot(
        of document: DocumentRow, through revision: Revision
    ) throws(Fault) -> CheckedText {
        guard let stored = try rows.newestSnapshot(of: document.entry, through: revision) else {
            if document.snapshot > 0 && document.snapshot <= revision || document.entry.start > 0 {
                throw .damaged
            }
            return CheckedText(
                snapshot: Snapshot(revision: 0, text: TextBuffer()), chain: Chain(of: document.entry.epoch))
        }
        guard let text = stored.text else { throw .damaged }
        return CheckedText(snapshot: Snapshot(revision: stored.revision, text: text), chain: stored.chain)
    }

    /// Calls `body` with the segments of a document until `body` returns false. Starts with the segment that
    /// has `revision`. Checks the content of each segment, and that it continues the previous segment. The
    /// last segment must end at the head.
    package mutating func forEachSegment(
        of document: DocumentRow, from revision: Revision,
        _ body: (StoredSegment) throws(Fault) -> Bool
    ) throws(Fault) {
        // The last revision checked so far, and the chain after it; nil before the first segment.
        var reached: (last: Revision, chain: Chain)?
        var isStopped = false
        try rows.forEachSegment(of: document.entry.id, from: revision) { row, content throws(Fault) in
            let stored = try segment(row, content)
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
    private mutating func segment(
        _ row: SegmentRow, _ content: () -> [UInt8]
    ) throws(Fault) -> StoredSegment {
        // The two chain values determine the content, so a segment with the same values need not be decoded
        // again.
        let known = recentSegments.first { $0.after.value == row.after && $0.before.value == row.before }
        if let known {
            guard row.first == Int64(known.segment.first.value), row.last == Int64(known.last.value),
                row.time == known.time
            else { throw .damaged }
            return StoredSegment(
                segment: known.segment, last: known.last, time: known.time,
                before: known.before, after: known.after)
        }
        guard row.first > 0, row.last >= row.first, row.last < Int64(Int32.max) * Int64(Int32.max) else {
            throw .damaged
        }
        let body = content()
        let changes = try decoded(body)
        let stored = StoredSegment(
            segment: Segment(first: Revision(Int(row.first)), changes: changes),
            last: Revision(Int(row.last)), time: row.time, before: Chain(row.before),
            after: Chain(row.after))
        try check(stored, body)
        recentSegments = recentSegments.suffix(1) + [stored]
        return stored
    }

    /// Checks that a segment is sound. The chain over its changes takes three quarters of the time to read a
    /// large segment, so it is computed only once for each stored body.
    private func check(_ stored: StoredSegment, _ body: [UInt8]) throws(Fault) {
        guard let cache, stored.segment.changes.count >= HistoryCache.leastChanges else {
            if !stored.isSound { throw .damaged }
            return
        }
        let fingerprint = stored.fingerprint(body)
        if cache.isSound(fingerprint) { return }
        guard stored.isSound else { throw .damaged }
        cache.remember(sound: fingerprint)
    }

    private mutating func decoded(_ body: [UInt8]) throws(Fault) -> [LoggedChange] {
        // Why an author could not be read, for example because the connection was lost. The segment is sound then.
        var fault: Fault?
        do throws(SegmentFault) {
            return try SegmentFormat.decoded(body) { number throws(SegmentFault) in
                do throws(Fault) {
                    if let pusher = try author(number) { return pusher }
                } catch {
                    fault = error
                }
                throw .unknownAuthor(number)
            }
        } catch {
            throw fault ?? .damaged
        }
    }

    /// The number of a pusher; nil if the store does not know the pusher.
    package mutating func number(of pusher: Pusher) throws(Fault) -> Int64? {
        forgetOutdatedAuthors()
        if let known = authors[pusher] { return known }
        let found = try rows.number(of: pusher)
        if let found { authors.keep(pusher, found) }
        return found
    }

    private mutating func forgetOutdatedAuthors() {
        if generationOfAuthors == rows.generation { return }
        (authors, generationOfAuthors) = (AuthorCache(), rows.generation)
    }

    private mutating func author(_ number: Int64) throws(Fault) -> Pusher? {
        forgetOutdatedAuthors()
        if let known = authors[number] { return known }
        let found = try rows.author(number)
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
