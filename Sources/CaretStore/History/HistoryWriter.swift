import CaretCore
package import CaretLog

/// Changes documents and their histories through the one connection that writes, inside a transaction of its caller.
///
/// Confined with its connection. What it refuses it has not begun to write.
package struct HistoryWriter {
    let database: Database
    private let shared: Generation
    private(set) var reader: HistoryReader
    /// The documents that were written last, as they stand in the transaction.
    private var rows: [DocumentID: DocumentRow] = [:]
    /// Where segments are taken apart.
    private var columns = SegmentColumns()
    /// Something was written in this transaction that SQLite does not count as a row.
    var hasWritten = false
    /// The documents that have become due for upkeep in this transaction.
    var due: Set<DocumentID> = []

    /// The documents that have begun to arrive and are not published; whoever ends before that leaves them to upkeep.
    package var arriving: Set<DocumentID> = []
    /// Those of them that the last commit knew of.
    private var arrivingAtCommit: Set<DocumentID> = []
    /// The documents whose histories were found damaged: nothing is appended to what cannot be read.
    private var damaged: Set<DocumentID> = []

    /// More revisions than this are not read and moved over while every other writer waits.
    private static let mostMissed = 4096
    /// Enough for the documents that are hot at one time; when there are more it begins anew.
    private static let mostRows = 4096

    /// The epochs were made or renewed since the store was opened: no client can know more of them than the store.
    private var isFresh: Bool
    /// What is the generation once the transaction is committed.
    private var nextGeneration: UInt64?

    var generation: UInt64 { shared.value }

    package init(database: Database, generation: Generation, isFresh: Bool = false) {
        self.database = database
        self.isFresh = isFresh
        shared = generation
        reader = HistoryReader(database: database, generation: generation)
    }

    /// The transaction was committed; answers with the documents that have become due in it.
    package mutating func committed() -> Set<DocumentID> {
        defer { (due, hasWritten, arrivingAtCommit) = ([], false, arriving) }
        return due
    }

    /// The transaction was undone, and with it whatever is known here.
    package mutating func rolledBack() {
        let (arriving, damaged) = (arrivingAtCommit, damaged)
        self = HistoryWriter(database: database, generation: shared, isFresh: isFresh)
        (self.arriving, arrivingAtCommit, self.damaged) = (arriving, arriving, damaged)
    }

    /// Closes a document to appends, until the store is opened again.
    mutating func close(damaged document: DocumentID) { damaged.insert(document) }

    // MARK: Epochs

    /// Renews the epochs of all documents, from the commit on; false where none can have been put back.
    mutating func renewEpochs() throws(StoreFault) -> Bool {
        if isFresh { return false }
        if nextGeneration != nil { return true }
        let generation = UInt64.random(in: .min ... .max)
        do throws(DatabaseFault) {
            try database.run("UPDATE store SET generation = ?", .integer(Int64(bitPattern: generation)))
        } catch {
            throw .database(error)
        }
        nextGeneration = generation
        return true
    }

    /// The transaction was committed: answers with the generation that it has brought, which holds from now on.
    mutating func takeNextGeneration() -> UInt64? {
        guard let next = nextGeneration.take() else { return nil }
        isFresh = true
        rows = [:]
        shared.renew(to: next)
        return next
    }

    // MARK: Appending

    package mutating func append(_ append: Append) throws(StoreFault) -> AppendOutcome {
        var row: DocumentRow
        do throws(StoreFault) {
            row = try document(append.document)
        } catch {
            return try error.appendOutcome()
        }
        if row.entry.epoch != append.epoch { return .gone }
        if row.entry.head != append.expected { return .conflict(head: row.entry.head) }
        if damaged.contains(append.document) { return .damaged }
        guard let newest = append.changes.last else { return try setLineBreak(append, row) }
        guard let length = row.entry.length(after: append.changes) else { return .unfit }
        let segment = Segment(first: append.expected.next, changes: append.changes.map(\.logged))
        let authors = try authors(of: segment.changes)
        let encoded = EncodedSegment(
            segment, after: row.chain, packing: .plain, authors: authors, in: &columns)
        try insert(encoded, of: append.document)
        try remember(append.changes, by: authors, from: segment.first, in: append.document)
        row.entry.head = segment.last
        row.entry.length = length
        row.entry.updated = newest.logged.time
        if let lineBreak = append.lineBreak { row.entry.lineBreak = lineBreak }
        row.chain = encoded.after
        row.loose += 1
        row.behind += segment.changes.reduce(0) { $0 + $1.weight }
        try row.writeHead(database)
        keep(row)
        if UpkeepPolicy.isDue(row) { due.insert(append.document) }
        return .committed(head: segment.last)
    }

    /// An append without changes, which may still have a line break.
    private mutating func setLineBreak(_ append: Append, _ row: DocumentRow) throws(StoreFault)
        -> AppendOutcome
    {
        if let lineBreak = append.lineBreak, lineBreak != row.entry.lineBreak {
            var row = row
            row.entry.lineBreak = lineBreak
            try save(row)
        }
        return .committed(head: append.expected)
    }

    mutating func appendLocked(
        _ append: Append, rebase: ([LoggedChange]) -> [PushedChange]
    ) throws(StoreFault) -> (missed: [LoggedChange], outcome: AppendOutcome) {
        let missed: [LoggedChange]
        let head: Revision
        do throws(StoreFault) {
            let row = try document(append.document)
            head = row.entry.head
            if row.entry.epoch != append.epoch { return ([], .gone) }
            let count = head.value - append.expected.value
            if append.expected < row.entry.start || count < 0 || count > HistoryWriter.mostMissed {
                return ([], .conflict(head: head))
            }
            missed = try reader.changes(of: row, after: append.expected, limit: .max)
        } catch {
            return ([], try error.appendOutcome())
        }
        let rebased = Append(
            document: append.document, epoch: append.epoch, expected: head, changes: rebase(missed),
            lineBreak: append.lineBreak)
        return (missed, try self.append(rebased))
    }

    // MARK: Documents

    /// A document that is not deleted, or that is arriving.
    mutating func document(_ id: DocumentID) throws(StoreFault) -> DocumentRow {
        if let known = rows[id] { return known }
        let row = arriving.contains(id) ? try reader.anyDocument(id) : try reader.document(id)
        keep(row)
        return row
    }

    mutating func create(_ name: DocumentName, at time: Int64, epoch: UInt64) throws(StoreFault) -> Creation {
        do throws(StoreFault) {
            return .exists(try reader.document(named: name).entry)
        } catch {
            guard case .refused(.refused(.gone)) = error else { throw error }
        }
        let row = DocumentRow(
            DocumentEntry(
                id: try nextDocument(), name: name, epoch: Epoch(generation: generation, document: epoch),
                head: 0, start: 0, length: .zero, updated: time, lineBreak: .lf))
        try insert(row)
        return .created(row.entry)
    }

    /// Writes the row of a new document.
    mutating func insert(_ row: DocumentRow) throws(StoreFault) {
        try database.write(
            "INSERT INTO document (\(DocumentRow.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [.integer(row.entry.id.value)] + row.values)
        keep(row)
    }

    /// The identity of a new document.
    package func nextDocument() throws(StoreFault) -> DocumentID { DocumentID(try lastDocument() + 1) }

    /// The highest identity that was ever given, which the sum of a new row must name.
    private func lastDocument() throws(StoreFault) -> Int64 {
        try database.one("SELECT seq FROM sqlite_sequence WHERE name = 'document'") { $0.integer(0) } ?? 0
    }

    mutating func rename(_ id: DocumentID, to name: DocumentName) throws(StoreFault) -> Renaming {
        var row = try document(id)
        if try isTaken(name) { return .exists }
        row.entry.name = name
        try save(row)
        return .renamed
    }

    mutating func delete(_ id: DocumentID, at time: Int64) throws(StoreFault) {
        var row = try document(id)
        // 0 is a document that is being removed.
        row.entry.deleted = max(time, 1)
        try save(row)
    }

    mutating func undelete(_ id: DocumentID) throws(StoreFault) -> Undeletion {
        var row = try reader.anyDocument(id)
        guard let deleted = row.entry.deleted else { return .live }
        if deleted == 0 { throw .gone }
        if try isTaken(row.entry.name) { return .exists }
        row.entry.deleted = nil
        try save(row)
        return .undeleted(row.entry)
    }

    // MARK: Rows

    private mutating func keep(_ row: DocumentRow) {
        if rows.count >= HistoryWriter.mostRows { rows = [:] }
        rows[row.entry.id] = row
    }

    mutating func save(_ row: DocumentRow) throws(StoreFault) {
        try database.write(
            """
            UPDATE document SET name = ?, epoch = ?, head = ?, start = ?, utf8 = ?, utf16 = ?, scalars = ?, updated = ?,
            line_break = ?, chain = ?, snapshot = ?, loose = ?, behind = ?, deleted = ?, sum = ? WHERE id = ?
            """, row.values + [.integer(row.entry.id.value)])
        if row.entry.deleted == nil { keep(row) } else { rows[row.entry.id] = nil }
    }

    func isTaken(_ name: DocumentName) throws(StoreFault) -> Bool {
        try database.one(
            "SELECT 1 FROM document WHERE name = ? AND deleted IS NULL", .bytes(name.bytes.utf8),
            read: { _ in true })
            ?? false
    }

    func insert(_ segment: EncodedSegment, of id: DocumentID) throws(StoreFault) {
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

    /// The number of each change's author, who is made known.
    private mutating func authors(of changes: [LoggedChange]) throws(StoreFault) -> [Int64] {
        var (authors, last): ([Int64], Pusher?) = ([], nil)
        authors.reserveCapacity(changes.count)
        for change in changes {
            // Whoever pushes mostly pushes several.
            if let last, last == change.pusher {
                authors.append(authors[authors.count - 1])
            } else {
                authors.append(try number(of: change.pusher))
                last = change.pusher
            }
        }
        return authors
    }

    private mutating func number(of pusher: Pusher) throws(StoreFault) -> Int64 {
        if let known = try reader.number(of: pusher) { return known }
        try database.write(
            "INSERT INTO author (user, client) VALUES (?, ?)",
            [.bytes(pusher.user.utf8), .bytes(pusher.client.utf8)])
        return database.lastRow
    }

    /// Of each pusher only the highest push is remembered.
    private func remember(
        _ changes: [PushedChange], by authors: [Int64], from first: Revision, in id: DocumentID
    ) throws(StoreFault) {
        var highest: [Int64: Int] = [:]
        // One author alone needs no table.
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

extension StoreFault {
    /// The outcome of an append that met this before it wrote; a fault of the database is thrown on.
    fileprivate func appendOutcome() throws(StoreFault) -> AppendOutcome {
        switch self {
        case .refused(.refused(.gone)): .gone
        case .refused(.refused(.damaged)): .damaged
        case .refused(.refused(.full)): .full
        case .refused(.refused(.failed)): .failed
        case .refused(.ahead(let head)): .conflict(head: head)
        case .refused(.trimmed), .refused(.wrongText), .database: throw self
        }
    }
}
