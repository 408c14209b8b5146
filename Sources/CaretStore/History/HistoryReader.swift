import CaretCore
import CaretLog

/// Reads documents and their histories through one connection, and checks every chain on the way.
///
/// Confined with its connection.
struct HistoryReader {
    let database: Database
    let generation: UInt64

    /// A text with the chain value that stands at its revision.
    struct Checked {
        var snapshot: Snapshot
        var chain: Chain
    }

    func document(_ id: DocumentID) throws(StoreFault) -> DocumentRow {
        try row("id = ? AND deleted IS NULL", .integer(id.value))
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
        // Whichever is later begins the page; nothing sorts between a prefix and its own names.
        let start = max(prefix, after ?? prefix)
        let rows = try database.every(
            """
            SELECT \(DocumentRow.columns) FROM document
            WHERE deleted IS NULL AND name >= ? AND name <> ? ORDER BY name LIMIT ?
            """, .bytes(start.utf8), after.map { .bytes($0.utf8) } ?? .bytes([]), .integer(Int64(limit) + 1)
        ) { DocumentRow($0, generation: generation) }
        // A damaged row has no name to be listed by.
        let entries = rows.compactMap { $0?.entry }.filter { $0.name.bytes.hasPrefix(prefix) }
        return Listing(entries: Array(entries.prefix(limit)), hasMore: entries.count > limit)
    }

    func pusher(_ pusher: Pusher, in id: DocumentID) throws(StoreFault) -> PusherAnswer {
        let head = try document(id).entry.head
        let entry = try database.one(
            """
            SELECT seq, revision, digest, used FROM pusher JOIN author ON author.id = pusher.author
            WHERE document = ? AND user = ? AND client = ?
            """, .integer(id.value), .bytes(pusher.user.utf8), .bytes(pusher.client.utf8)
        ) { row in
            Digest(bytes: row.bytes(2)).map {
                PusherEntry(
                    seq: row.integer(0), revision: Revision(Int(row.integer(1))), digest: $0,
                    used: row.integer(3))
            }
        }
        if case .some(nil) = entry { throw .damaged }
        return PusherAnswer(entry: entry ?? nil, head: head)
    }

    /// The changes after `revision`, as many as fit `limit` bytes of text, but at least one where there is one.
    func changes(
        of document: DocumentRow, after revision: Revision, limit: Int
    ) throws(StoreFault) -> [LoggedChange] {
        var changes: [LoggedChange] = []
        var (bytes, next) = (0, revision.next)
        while next <= document.entry.head {
            let segment = try segment(of: document, holding: next)
            for change in segment.changes[(next.value - segment.first.value)...] {
                bytes += change.edits.reduce(0) { $0 + $1.edit.inserted.utf8 }
                if bytes > limit, !changes.isEmpty { return changes }
                changes.append(change)
            }
            next = segment.last.next
        }
        return changes
    }

    /// The text at a revision that is kept.
    func text(of document: DocumentRow, at revision: Revision) throws(StoreFault) -> Checked {
        try check(revision, of: document)
        var checked = try newestSnapshot(of: document, through: revision)
        while checked.snapshot.revision < revision {
            let segment = try segment(of: document, holding: checked.snapshot.revision.next)
            var (text, at) = (checked.snapshot.text, checked.snapshot.revision)
            for change in segment.changes[(at.value + 1 - segment.first.value)...] where at < revision {
                at = at.next
                checked.chain.extend(by: change, at: at)
                // A change that does not fit its text is damage, whatever it is that does not.
                guard let change = try? change.change, (try? text.apply(change)) != nil else {
                    throw .damaged
                }
            }
            checked.snapshot = Snapshot(revision: at, text: text)
        }
        if revision == document.entry.head && checked.chain != document.chain { throw .damaged }
        return checked
    }

    func check(_ revision: Revision, of document: DocumentRow) throws(StoreFault) {
        if revision > document.entry.head { throw .refused(.ahead(head: document.entry.head)) }
        if revision < document.entry.start { throw .refused(.trimmed(start: document.entry.start)) }
    }

    private func newestSnapshot(
        of document: DocumentRow, through revision: Revision
    ) throws(StoreFault) -> Checked {
        let found = try database.one(
            """
            SELECT revision, body, digest, chain FROM snapshot
            WHERE document = ? AND revision <= ? ORDER BY revision DESC LIMIT 1
            """, .integer(document.entry.id.value), .integer(Int64(revision.value))
        ) { row in (Revision(Int(row.integer(0))), row.bytes(1), row.bytes(2), Digest(bytes: row.bytes(3))) }
        guard let found else {
            if document.entry.start > 0 { throw .damaged }
            return Checked(
                snapshot: Snapshot(revision: 0, text: Text()), chain: Chain(of: document.entry.epoch))
        }
        guard let chain = found.3, let text = SnapshotFormat.decoded(found.1, digest: found.2) else {
            throw .damaged
        }
        return Checked(snapshot: Snapshot(revision: found.0, text: text), chain: Chain(chain))
    }

    /// The segment that holds a revision, with its own chain checked from end to end.
    func segment(of document: DocumentRow, holding revision: Revision) throws(StoreFault) -> Segment {
        let found = try database.one(
            """
            SELECT first, last, body, before, after FROM segment
            WHERE document = ? AND first <= ? ORDER BY first DESC LIMIT 1
            """, .integer(document.entry.id.value), .integer(Int64(revision.value))
        ) { row in
            (
                Int(row.integer(0)), Int(row.integer(1)), row.bytes(2), Digest(bytes: row.bytes(3)),
                row.bytes(4)
            )
        }
        guard let found, let before = found.3 else { throw .damaged }
        let changes = try decoded(found.2)
        let segment = Segment(first: Revision(found.0), changes: changes)
        var chain = Chain(before)
        chain.extend(by: segment)
        guard chain.value.bytes == found.4, segment.last.value == found.1, segment.last >= revision else {
            throw .damaged
        }
        return segment
    }

    private func decoded(_ body: [UInt8]) throws(StoreFault) -> [LoggedChange] {
        var pushers: [Int64: Pusher] = [:]
        do throws(SegmentFault) {
            for number in try SegmentFormat.authors(in: body) {
                do throws(StoreFault) { pushers[number] = try author(number) } catch {
                    throw .unknownAuthor(number)
                }
            }
            return try SegmentFormat.decoded(body, pushers: pushers)
        } catch {
            throw .damaged
        }
    }

    private func author(_ number: Int64) throws(StoreFault) -> Pusher? {
        try database.one("SELECT user, client FROM author WHERE id = ?", .integer(number)) { row in
            Pusher(user: ByteString(utf8: row.bytes(0)), client: ByteString(utf8: row.bytes(1)))
        }
    }
}
