import CaretCore
import CaretLog

/// Changes documents and their histories through the one connection that writes, inside a transaction of its caller.
///
/// Confined with its connection. What it refuses it has not begun to write.
struct HistoryWriter {
    let database: Database
    let generation: UInt64
    private(set) var reader: HistoryReader
    /// The documents that were written last, as they stand in the transaction.
    private var rows: [DocumentID: DocumentRow] = [:]
    /// Where segments are taken apart.
    private var columns = SegmentColumns()
    /// Something was written in this transaction that SQLite does not count as a row.
    private(set) var hasWritten = false
    /// The documents that have become due for upkeep in this transaction.
    var due: Set<DocumentID> = []

    /// The documents that have begun to arrive and are not published; whoever ends before that leaves them to upkeep.
    var arriving: Set<DocumentID> = []
    /// Those of them that the last commit knew of.
    private var arrivingAtCommit: Set<DocumentID> = []
    /// The documents whose histories were found damaged: nothing is appended to what cannot be read.
    private var damaged: Set<DocumentID> = []

    /// More revisions than this are not read and moved over while every other writer waits.
    private static let mostMissed = 4096
    /// Enough for the documents that are hot at one time; when there are more it begins anew.
    private static let mostRows = 4096

    init(database: Database, generation: UInt64) {
        self.database = database
        self.generation = generation
        reader = HistoryReader(database: database, generation: generation)
    }

    /// The transaction was committed; answers with the documents that have become due in it.
    mutating func committed() -> Set<DocumentID> {
        defer { (due, hasWritten, arrivingAtCommit) = ([], false, arriving) }
        return due
    }

    /// The transaction was undone, and with it whatever is known here.
    mutating func rolledBack() {
        let (arriving, damaged) = (arrivingAtCommit, damaged)
        self = HistoryWriter(database: database, generation: generation)
        (self.arriving, arrivingAtCommit, self.damaged) = (arriving, arriving, damaged)
    }

    /// Closes a document to appends, until the store is opened again.
    mutating func close(damaged document: DocumentID) { damaged.insert(document) }

    // MARK: Appending

    mutating func append(_ append: Append) throws(StoreFault) -> AppendOutcome {
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
    func nextDocument() throws(StoreFault) -> DocumentID { DocumentID(try lastDocument() + 1) }

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

    // MARK: What upkeep does

    /// Keeps a snapshot that was made of the history as it is. With it goes an older one that it makes superfluous,
    /// unless history begins there by now. `covered` of the bytes behind the newest snapshot are behind it no longer.
    mutating func keep(
        _ snapshot: StoredSnapshot, superseding old: Revision? = nil, covering covered: Int = 0
    ) throws(StoreFault) {
        var row = try document(snapshot.document)
        try reader.check(snapshot.revision, of: row)
        try write(snapshot)
        if let old, old > row.entry.start, old < snapshot.revision {
            try database.write(
                "DELETE FROM snapshot WHERE document = ? AND revision = ?",
                [.integer(snapshot.document.value), .integer(Int64(old.value))])
        }
        if snapshot.revision <= row.snapshot { return }
        row.snapshot = snapshot.revision
        row.behind = max(0, row.behind - covered)
        try save(row)
    }

    func write(_ snapshot: StoredSnapshot) throws(StoreFault) {
        try database.write(
            "INSERT OR REPLACE INTO snapshot (document, \(StoredSnapshot.columns)) VALUES (?, ?, ?, ?, ?)",
            [
                .integer(snapshot.document.value), .integer(Int64(snapshot.revision.value)),
                .bytes(snapshot.body), .bytes(snapshot.digest.bytes), .bytes(snapshot.chain.value.bytes),
            ])
    }

    /// Puts one segment in the place of those that it was made of. False where they are no longer there.
    mutating func replace(_ replacement: Replacement) throws(StoreFault) -> Bool {
        var row = try document(replacement.document)
        guard let oldest = replacement.old.first, let newest = replacement.old.last else { return true }
        let (from, to) = (
            Value.integer(Int64(oldest.first.value)), Value.integer(Int64(newest.first.value))
        )
        // The index has these, so the rows themselves are not read.
        let found = try database.every(
            "SELECT id, first FROM segment WHERE document = ? AND first BETWEEN ? AND ? ORDER BY first",
            .integer(replacement.document.value), from, to
        ) { ($0.integer(0), $0.integer(1)) }
        guard found.elementsEqual(replacement.old, by: { $0 == ($1.row, Int64($1.first.value)) }) else {
            return false
        }
        // Each ends where the next one begins.
        let end = try database.one("SELECT last FROM segment WHERE id = ?", .integer(newest.row)) {
            $0.integer(0)
        }
        guard end == Int64(newest.last.value) else { return false }
        // The new one takes the place of the first in the index, so the old ones go first; all is one transaction.
        try database.write(
            "DELETE FROM segment WHERE document = ? AND first BETWEEN ? AND ?",
            [.integer(replacement.document.value), from, to])
        try insert(replacement.new, of: replacement.document)
        let written = try database.one(
            "SELECT body FROM segment WHERE id = ?", .integer(database.lastRow), read: { $0.bytes(0) })
        guard written == replacement.new.body else { throw .database(.notWritten) }
        row.loose = max(0, row.loose - replacement.loose)
        try save(row)
        return true
    }

    /// Makes history begin at a snapshot. What stands in front of it is removed by and by. False where the segment
    /// that is cut is no longer there.
    mutating func trim(_ plan: TrimPlan) throws(StoreFault) -> Bool {
        let (id, start) = (plan.snapshot.document, plan.snapshot.revision)
        if try document(id).entry.start >= start { return true }
        if let cut = plan.cut {
            if try !replace(cut) { return false }
        } else if try isInside(start, of: id) {
            return false
        }
        try keep(plan.snapshot)
        var row = try document(id)
        row.entry.start = start
        try save(row)
        due.insert(id)
        return true
    }

    /// Whether a segment has revisions on both sides of this one's end.
    private func isInside(_ revision: Revision, of id: DocumentID) throws(StoreFault) -> Bool {
        try database.one(
            "SELECT 1 FROM segment WHERE document = ?1 AND first <= ?2 AND last > ?2 LIMIT 1",
            .integer(id.value), .integer(Int64(revision.value)), read: { _ in true }) ?? false
    }

    /// Removes some of the segments and snapshots that stand in front of the history.
    mutating func removeTrimmed(of id: DocumentID) throws(StoreFault) {
        let start = Value.integer(Int64(try document(id).entry.start.value))
        _ = try removeSome("segment", "id", "length(body)", of: id, where: "last <= ?2", start)
        _ = try removeSome("snapshot", "revision", "length(body)", of: id, where: "revision < ?2", start)
    }

    /// How far the removal of a deleted document has come.
    enum Purging {
        /// It lives, or was deleted later than was said.
        case kept
        case begun
        case done
    }

    /// Begins or goes on to remove a document that was deleted at `time` or before.
    mutating func purge(_ id: DocumentID, deletedBy time: Int64) throws(StoreFault) -> Purging {
        var row = try reader.anyDocument(id)
        guard let deleted = row.entry.deleted, deleted <= time, !arriving.contains(id) else { return .kept }
        if deleted > 0 {
            row.entry.deleted = 0
            try save(row)
        }
        for (table, key, bytes) in [
            ("segment", "id", "length(body)"), ("snapshot", "revision", "length(body)"),
            ("pusher", "author", "64"),
        ] {
            if try removeSome(table, key, bytes, of: id, where: "?2 = 0", .integer(0)) { return .begun }
        }
        try database.write("DELETE FROM document WHERE id = ?", [.integer(id.value)])
        return .done
    }

    /// Removes rows of a document, as many as do not hold the writer up; whether there were any.
    private func removeSome(
        _ table: String, _ key: String, _ bytes: String, of id: DocumentID, where condition: String,
        _ value: Value
    ) throws(StoreFault) -> Bool {
        let rows = try database.every(
            "SELECT \(key), \(bytes) FROM \(table) WHERE document = ?1 AND \(condition) LIMIT ?3",
            .integer(id.value), value, .integer(Int64(UpkeepPolicy.rowsAtOnce))
        ) { (key: $0.integer(0), bytes: Int($0.integer(1))) }
        var sum = 0
        for (index, row) in rows.enumerated() {
            sum += row.bytes
            if index > 0 && sum > UpkeepPolicy.bytesAtOnce { break }
            try database.write(
                "DELETE FROM \(table) WHERE document = ? AND \(key) = ?",
                [.integer(id.value), .integer(row.key)])
        }
        return !rows.isEmpty
    }

    /// Takes back what `loose` says too much.
    mutating func correctLoose(of id: DocumentID, by excess: Int) throws(StoreFault) {
        var row = try document(id)
        row.loose = max(0, row.loose - excess)
        try save(row)
    }

    /// Gives free pages at the end of the file back.
    mutating func giveBack(pages: Int) throws(StoreFault) {
        hasWritten = true
        try database.write("PRAGMA incremental_vacuum(\(pages))", [])
    }

    /// Forgets pushers of a document that were last seen before `time`.
    func forget(_ authors: [Int64], of id: DocumentID, usedBefore time: Int64) throws(StoreFault) {
        for author in authors {
            try database.write(
                "DELETE FROM pusher WHERE document = ? AND author = ? AND used < ?",
                [.integer(id.value), .integer(author), .integer(time)])
        }
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

    private func insert(_ segment: EncodedSegment, of id: DocumentID) throws(StoreFault) {
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
