import CaretCore
package import CaretFormat
package import CaretLog

/// Writes documents and their histories through the only writing connection. The caller begins and ends the
/// transaction.
///
/// Use it only on the thread of its connection. A call that throws a refusal has written nothing.
package struct HistoryWriter: SQLWriter {
    let database: Database
    private let shared: Generation
    private(set) var reader: HistoryReader<Database>
    /// The rows of recently used documents, as they are in the current transaction.
    private var knownRows: [DocumentID: DocumentRow] = [:]
    /// Memory for encoding segments.
    private var columns = SegmentColumns()
    /// True if this transaction has written pages without changing a row. SQLite does not count this change.
    var hasWritten = false
    /// The documents that became due for upkeep in this transaction.
    var due: Set<DocumentID> = []

    /// The imported documents that are not published yet. If the process ends before they are published,
    /// upkeep removes them.
    package var unpublished: Set<DocumentID> = []
    /// The value of `unpublished` at the last commit.
    private var unpublishedAtCommit: Set<DocumentID> = []
    /// The documents that were found damaged. The store appends nothing to a history that it cannot read.
    private var damaged: Set<DocumentID> = []

    /// `appendLocked` rebases over at most this number of revisions, because all other writes wait for it.
    private static let maxMissedRevisions = 4096
    /// Enough for the documents that are written to at the same time. A full cache is emptied.
    private static let mostRows = 4096

    /// True if the epochs were created or renewed when the store was opened or later. Then no client can know
    /// a revision in these epochs that the store does not have.
    private var isFresh: Bool
    /// The new generation, if this transaction renews it. It is valid from the commit on.
    private var nextGeneration: UInt64?

    var generation: UInt64 { shared.value }

    package var rows: SQLRows<Database> { reader.rows }

    package init(database: Database, generation: Generation, isFresh: Bool = false) {
        self.database = database
        self.isFresh = isFresh
        shared = generation
        reader = HistoryReader(SQLRows(database, generation))
    }

    /// Call this after the commit. Returns the documents that became due for upkeep.
    package mutating func committed() -> Set<DocumentID> {
        defer { (due, hasWritten, unpublishedAtCommit) = ([], false, unpublished) }
        return due
    }

    /// Call this after a rollback. It discards all state of the transaction.
    package mutating func rolledBack() {
        let (unpublished, damaged) = (unpublishedAtCommit, damaged)
        self = HistoryWriter(database: database, generation: shared, isFresh: isFresh)
        (self.unpublished, unpublishedAtCommit, self.damaged) = (unpublished, unpublished, damaged)
    }

    /// Closes a document to appends until the store is opened again.
    mutating func close(damaged document: DocumentID) { damaged.insert(document) }

    /// Drops what is in memory of a document's history, because the history was rewritten.
    mutating func forgetHistory(of document: DocumentID) { reader.forgetHistory(of: document) }

    /// Returns free pages at the end of the file to the file system.
    mutating func returnFreePages(upTo pages: Int) throws(StoreFault) {
        hasWritten = true
        try database.change("PRAGMA incremental_vacuum(\(pages))")
    }

    // MARK: Epochs

    /// Renews the epochs of all documents at the commit. Returns false if the epochs are new already: then
    /// the database cannot be an older copy.
    mutating func renewEpochs() throws(StoreFault) -> Bool {
        if isFresh { return false }
        let generation = UInt64.random(in: .min ... .max)
        try database.change("UPDATE store SET generation = $1", .integer(Int64(bitPattern: generation)))
        nextGeneration = generation
        return true
    }

    /// Call this after the commit. Returns the new generation if there is one, and makes it the current one.
    mutating func takeNextGeneration() -> UInt64? {
        guard let next = nextGeneration.take() else { return nil }
        isFresh = true
        knownRows = [:]
        shared.renew(to: next)
        return next
    }

    // MARK: Appending

    package mutating func append(_ append: Append) throws(StoreFault) -> AppendOutcome {
        var row: DocumentRow
        do throws(StoreFault) {
            row = try document(append.document)
        } catch {
            guard case .refused(let refusal) = error else { throw error }
            return AppendOutcome(refusal)
        }
        if row.entry.epoch != append.epoch { return .documentGone }
        if row.entry.head != append.expected { return .conflict(head: row.entry.head) }
        if damaged.contains(append.document) { return .documentDamaged }
        guard let newest = append.changes.last else {
            try set(append.lineBreak, in: row)
            return .committed(head: append.expected)
        }
        guard let length = row.entry.length(after: append.changes) else { return .invalidChange }
        let segment = Segment(first: append.expected.next, changes: append.changes.map(\.logged))
        let authors = try authors(of: segment.changes)
        let encoded = EncodedSegment(
            segment, after: row.chain, packing: .plain, authors: authors, in: &columns)
        try self.append(encoded, to: append.document)
        try remember(append.changes, by: authors, from: segment.first, in: append.document)
        row.entry.head = segment.last
        row.entry.length = length
        row.entry.updated = newest.logged.time
        if let lineBreak = append.lineBreak { row.entry.lineBreak = lineBreak }
        row.chain = encoded.after
        row.unmergedSegments += 1
        row.bytesSinceSnapshot += segment.changes.reduce(0) { $0 + $1.weight }
        try row.writeHead(database)
        keep(row)
        if UpkeepPolicy.isDue(row) { due.insert(append.document) }
        return .committed(head: segment.last)
    }

    mutating func appendLocked(
        _ append: Append, rebase: ([LoggedChange]) -> [PushedChange]
    ) throws(StoreFault) -> (missed: [LoggedChange], outcome: AppendOutcome) {
        let missed: [LoggedChange]
        let head: Revision
        do throws(StoreFault) {
            let row = try document(append.document)
            head = row.entry.head
            if row.entry.epoch != append.epoch { return ([], .documentGone) }
            let count = head.value - append.expected.value
            if append.expected < row.entry.start || count < 0 || count > HistoryWriter.maxMissedRevisions {
                return ([], .conflict(head: head))
            }
            missed = try reader.changes(of: row, after: append.expected, limit: .max)
        } catch {
            guard case .refused(let refusal) = error else { throw error }
            return ([], AppendOutcome(refusal))
        }
        let rebased = Append(
            document: append.document, epoch: append.epoch, expected: head, changes: rebase(missed),
            lineBreak: append.lineBreak)
        return (missed, try self.append(rebased))
    }

    // MARK: Documents

    /// A document that is not deleted, or an imported one that is not published yet.
    package mutating func document(_ id: DocumentID) throws(StoreFault) -> DocumentRow {
        if let known = knownRows[id] { return known }
        let row = unpublished.contains(id) ? try rows.document(id) : try reader.document(id)
        keep(row)
        return row
    }

    package func anyDocument(_ id: DocumentID) throws(StoreFault) -> DocumentRow { try rows.document(id) }

    package mutating func create(
        _ name: DocumentName, _ history: InitialHistory?, at time: Int64
    ) throws(StoreFault) -> CreateResult {
        if let entry = try rows.entry(named: name) { return .exists(entry) }
        let epoch = Epoch(generation: generation, document: .random(in: .min ... .max))
        let row = DocumentRow(
            DocumentEntry(
                id: try nextDocument(), name: name, epoch: epoch, head: 0, start: 0, length: .zero,
                updated: time, lineBreak: history?.lineBreak ?? .lf))
        guard let history, !history.changes.isEmpty else {
            try insert(row)
            return .created(row.entry)
        }
        // Checked before anything is written.
        if row.entry.length(after: history.changes) == nil { return .invalidChange }
        try insert(row)
        let outcome = try append(history.append(to: row.entry))
        precondition(
            outcome == .committed(head: Revision(history.changes.count)),
            "a new document refuses its first revisions: \(outcome)")
        return .created(try document(row.entry.id).entry)
    }

    /// Writes the row of a new document.
    mutating func insert(_ row: DocumentRow) throws(StoreFault) {
        try row.insert(into: database)
        keep(row)
    }

    /// The ID for a new document. A row's checksum covers its ID, so the ID must be known before the row is inserted.
    package func nextDocument() throws(StoreFault) -> DocumentID {
        DocumentID(try rows.lastDocument().value + 1)
    }

    // MARK: Rows

    private mutating func keep(_ row: DocumentRow) {
        if knownRows.count >= HistoryWriter.mostRows { knownRows = [:] }
        knownRows[row.entry.id] = row
    }

    package mutating func save(_ row: DocumentRow) throws(StoreFault) {
        try row.update(database)
        // Few calls save a whole row, so the next call may read it again.
        knownRows[row.entry.id] = nil
    }

    package mutating func saveName(_ row: DocumentRow) throws(StoreFault) -> Bool {
        try save(row)
        return true
    }

    /// Faster than the method of the same name, because each append calls it.
    private func append(_ segment: EncodedSegment, to id: DocumentID) throws(StoreFault) {
        try database.write(
            "INSERT INTO segment (document, first, last, time, body, before, after) VALUES (?, ?, ?, ?, ?, ?, ?)"
        ) { row in
            row.next(id.value)
            row.next(segment.first.value)
            row.next(segment.last.value)
            row.next(segment.time)
            row.next(segment.body)
            row.next(segment.before.value)
            row.next(segment.after.value)
        }
    }

    /// The number of each change's author. New authors get a row.
    private mutating func authors(of changes: [LoggedChange]) throws(StoreFault) -> [Int64] {
        var authors: [Int64] = []
        authors.reserveCapacity(changes.count)
        for change in changes { authors.append(try number(of: change.pusher)) }
        return authors
    }

    private mutating func number(of pusher: Pusher) throws(StoreFault) -> Int64 {
        if let known = try reader.number(of: pusher) { return known }
        try database.change(
            "INSERT INTO author (user, client) VALUES ($1, $2)", .bytes(pusher.user.utf8),
            .bytes(pusher.client.utf8))
        return database.lastRow
    }

    /// Stores the last push of each pusher.
    private func remember(
        _ changes: [PushedChange], by authors: [Int64], from first: Revision, in id: DocumentID
    ) throws(StoreFault) {
        var highest: [Int64: Int] = [:]
        // A single change needs no dictionary.
        if changes.count > 1 { for (index, author) in authors.enumerated() { highest[author] = index } }
        for index in changes.indices where highest[authors[index], default: index] == index {
            let (logged, digest) = (changes[index].logged, changes[index].digest)
            let entry = PusherEntry(
                seq: logged.seq, revision: Revision(first.value + index), digest: digest, used: logged.time)
            try PusherRow(document: id, author: authors[index], pusher: logged.pusher, entry: entry).write(
                database)
        }
    }
}

// The rows that every append writes.
extension DocumentRow {
    /// Writes the columns that an append changes. The other columns must be unchanged.
    fileprivate func writeHead(_ database: Database) throws(StoreFault) {
        try database.write(
            """
            UPDATE document SET head = ?, utf8 = ?, utf16 = ?, scalars = ?, updated = ?, line_break = ?, chain = ?,
            loose = ?, behind = ?, sum = ? WHERE id = ?
            """
        ) { row in
            row.next(entry.head.value)
            row.next(entry.length.utf8)
            row.next(entry.length.utf16)
            row.next(entry.length.scalars)
            row.next(entry.updated)
            row.next(entry.lineBreak.stored)
            row.next(chain.value)
            row.next(unmergedSegments)
            row.next(bytesSinceSnapshot)
            row.next(sum)
            row.next(entry.id.value)
        }
    }
}

extension PusherRow {
    /// Writes the row, and replaces an older row of the same author in the same document.
    fileprivate func write(_ database: Database) throws(StoreFault) {
        try database.write(
            """
            INSERT INTO pusher (document, author, seq, revision, digest, used, sum) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (document, author) DO UPDATE SET seq = excluded.seq, revision = excluded.revision,
            digest = excluded.digest, used = excluded.used, sum = excluded.sum
            """
        ) { row in
            row.next(document.value)
            row.next(author)
            row.next(entry.seq)
            row.next(entry.revision.value)
            row.next(entry.digest)
            row.next(entry.used)
            row.next(sum)
        }
    }
}
