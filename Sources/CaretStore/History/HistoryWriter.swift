import CaretCore
import CaretLog

/// Changes documents and their histories through the one connection that writes, inside a transaction of its caller.
///
/// Confined with its connection.
struct HistoryWriter {
    let database: Database
    let generation: UInt64

    var reader: HistoryReader { HistoryReader(database: database, generation: generation) }

    func append(_ append: Append) throws(StoreFault) -> AppendOutcome {
        let document: DocumentRow
        do throws(StoreFault) {
            document = try reader.document(append.document)
        } catch {
            return try error.appendOutcome()
        }
        if document.entry.epoch != append.epoch { return .gone }
        if document.entry.head != append.expected { return .conflict(head: document.entry.head) }
        if append.changes.isEmpty { return .committed(head: append.expected) }
        let segment = Segment(first: append.expected.next, changes: append.changes.map(\.logged))
        let chain = try insert(segment, of: document.entry.id, after: document.chain)
        for (index, pushed) in append.changes.enumerated() {
            try remember(pushed, at: Revision(segment.first.value + index), in: append.document)
        }
        try update(document.entry, with: segment, append.lineBreak ?? document.entry.lineBreak, chain)
        return .committed(head: segment.last)
    }

    func appendLocked(
        _ append: Append, rebase: ([LoggedChange]) -> [PushedChange]
    ) throws(StoreFault) -> (missed: [LoggedChange], outcome: AppendOutcome) {
        let missed: [LoggedChange]
        let head: Revision
        do throws(StoreFault) {
            let document = try reader.document(append.document)
            head = document.entry.head
            if append.expected < document.entry.start || append.expected > head {
                return ([], .conflict(head: head))
            }
            missed = try reader.changes(of: document, after: append.expected, limit: .max)
        } catch {
            return ([], try error.appendOutcome())
        }
        let rebased = Append(
            document: append.document, epoch: append.epoch, expected: head, changes: rebase(missed),
            lineBreak: append.lineBreak)
        return (missed, try self.append(rebased))
    }

    func create(_ name: DocumentName, at time: Int64, epoch: UInt64) throws(StoreFault) -> Creation {
        do throws(StoreFault) {
            return .exists(try reader.document(named: name).entry)
        } catch {
            guard case .refused(.refused(.gone)) = error else { throw error }
        }
        let own = Epoch(generation: generation, document: epoch)
        try database.write(
            """
            INSERT INTO document (name, epoch, head, start, utf8, utf16, scalars, updated, line_break, chain)
            VALUES (?, ?, 0, 0, 0, 0, 0, ?, 0, ?)
            """, .bytes(name.bytes.utf8), .integer(Int64(bitPattern: epoch)), .integer(time),
            .bytes(Chain(of: own).value.bytes))
        return .created(try reader.document(named: name).entry)
    }

    func rename(_ id: DocumentID, to name: DocumentName) throws(StoreFault) -> Renaming {
        _ = try reader.document(id)
        if try isTaken(name) { return .exists }
        try database.write(
            "UPDATE document SET name = ? WHERE id = ?", .bytes(name.bytes.utf8), .integer(id.value))
        return .renamed
    }

    func delete(_ id: DocumentID, at time: Int64) throws(StoreFault) {
        try database.write(
            "UPDATE document SET deleted = ? WHERE id = ? AND deleted IS NULL", .integer(time),
            .integer(id.value))
        if database.changes == 0 { throw .gone }
    }

    func undelete(_ id: DocumentID) throws(StoreFault) -> Undeletion {
        let found = try database.one(
            "SELECT name, deleted IS NULL FROM document WHERE id = ?", .integer(id.value)
        ) {
            ($0.bytes(0), $0.integer(1) == 1)
        }
        guard let (bytes, isLive) = found else { throw .gone }
        if isLive { return .live }
        // A name that is none belongs to a damaged row.
        guard let name = String(validating: bytes, as: UTF8.self).flatMap({ try? DocumentName($0) }) else {
            throw .damaged
        }
        if try isTaken(name) { return .exists }
        try database.write("UPDATE document SET deleted = NULL WHERE id = ?", .integer(id.value))
        return .undeleted(try reader.document(id).entry)
    }

    func putSnapshot(_ snapshot: Snapshot, of id: DocumentID) throws(StoreFault) {
        let checked = try reader.text(of: reader.document(id), at: snapshot.revision)
        if checked.snapshot.text != snapshot.text { throw .damaged }
        let (body, digest) = SnapshotFormat.encoded(snapshot.text)
        try database.write(
            "INSERT OR REPLACE INTO snapshot (document, revision, body, digest, chain) VALUES (?, ?, ?, ?, ?)",
            .integer(id.value), .integer(Int64(snapshot.revision.value)), .bytes(body), .bytes(digest.bytes),
            .bytes(checked.chain.value.bytes))
    }

    func trim(_ id: DocumentID, through revision: Revision) throws(StoreFault) -> Trimming {
        let document = try reader.document(id)
        try reader.check(revision, of: document)
        let (row, last) = (Value.integer(id.value), Value.integer(Int64(revision.value)))
        let chain = try database.one(
            "SELECT chain FROM snapshot WHERE document = ? AND revision = ?", row, last
        ) { Digest(bytes: $0.bytes(0)) }
        guard let chain else { return .noSnapshot }
        guard let chain else { throw .damaged }
        if revision < document.entry.head {
            try cut(
                reader.segment(of: document, holding: revision.next), of: id, behind: revision, Chain(chain))
        }
        try database.write("DELETE FROM segment WHERE document = ? AND last <= ?", row, last)
        try database.write("DELETE FROM snapshot WHERE document = ? AND revision < ?", row, last)
        try database.write("UPDATE document SET start = ? WHERE id = ?", last, row)
        return .trimmed(start: revision)
    }

    /// Leaves of a segment what stands behind a revision.
    private func cut(
        _ segment: Segment, of id: DocumentID, behind revision: Revision, _ chain: Chain
    ) throws(StoreFault) {
        if segment.first > revision { return }
        try database.write(
            "DELETE FROM segment WHERE document = ? AND first = ?", .integer(id.value),
            .integer(Int64(segment.first.value)))
        let rest = segment.changes[(revision.value + 1 - segment.first.value)...]
        _ = try insert(Segment(first: revision.next, changes: Array(rest)), of: id, after: chain)
    }

    private func isTaken(_ name: DocumentName) throws(StoreFault) -> Bool {
        try database.one(
            "SELECT 1 FROM document WHERE name = ? AND deleted IS NULL", .bytes(name.bytes.utf8),
            read: { _ in true })
            ?? false
    }

    /// Stores a segment behind a chain value, and answers with the value behind it.
    private func insert(_ segment: Segment, of id: DocumentID, after before: Chain) throws(StoreFault)
        -> Chain
    {
        var after = before
        after.extend(by: segment)
        var numbers: [Pusher: Int64] = [:]
        for change in segment.changes where numbers[change.pusher] == nil {
            numbers[change.pusher] = try number(of: change.pusher)
        }
        let body = SegmentFormat.encoded(segment.changes, packing: .plain) { numbers[$0] ?? 0 }
        try database.write(
            "INSERT INTO segment (document, first, last, body, before, after) VALUES (?, ?, ?, ?, ?, ?)",
            .integer(id.value), .integer(Int64(segment.first.value)), .integer(Int64(segment.last.value)),
            .bytes(body), .bytes(before.value.bytes), .bytes(after.value.bytes))
        return after
    }

    private func number(of pusher: Pusher) throws(StoreFault) -> Int64 {
        let (user, client) = (Value.bytes(pusher.user.utf8), Value.bytes(pusher.client.utf8))
        let known = try database.one("SELECT id FROM author WHERE user = ? AND client = ?", user, client) {
            $0.integer(0)
        }
        if let known { return known }
        try database.write("INSERT INTO author (user, client) VALUES (?, ?)", user, client)
        return database.lastRow
    }

    private func remember(_ pushed: PushedChange, at revision: Revision, in id: DocumentID) throws(StoreFault)
    {
        try database.write(
            "INSERT OR REPLACE INTO pusher (document, author, seq, revision, digest, used) VALUES (?, ?, ?, ?, ?, ?)",
            .integer(id.value), .integer(number(of: pushed.logged.pusher)), .integer(pushed.logged.seq),
            .integer(Int64(revision.value)), .bytes(pushed.digest.bytes), .integer(pushed.logged.time))
    }

    private func update(
        _ entry: DocumentEntry, with segment: Segment, _ lineBreak: LineBreak, _ chain: Chain
    ) throws(StoreFault) {
        let length = segment.changes.reduce(entry.length) { $0 + $1.growth }
        try database.write(
            """
            UPDATE document SET head = ?, utf8 = ?, utf16 = ?, scalars = ?, updated = ?, line_break = ?, chain = ?
            WHERE id = ?
            """, .integer(Int64(segment.last.value)), .integer(Int64(length.utf8)),
            .integer(Int64(length.utf16)),
            .integer(Int64(length.scalars)), .integer(segment.changes.last?.time ?? entry.updated),
            .integer(lineBreak.stored), .bytes(chain.value.bytes), .integer(entry.id.value))
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
        case .refused(.trimmed), .database: throw self
        }
    }
}
