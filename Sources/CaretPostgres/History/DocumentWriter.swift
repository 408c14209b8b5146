import CaretCore
import CaretFormat
import CaretLog

/// Writes documents and their histories inside one transaction. Each method first locks the document's row.
struct DocumentWriter {
    let connection: PostgresConnection
    let shared: SharedState

    /// The rule that a live document's name is unique.
    private static let uniqueViolation = "23505"

    // MARK: Rows

    /// A document that is not deleted. Its row stays locked until the end of the transaction.
    func document(_ id: DocumentID) throws(PostgresFault) -> DocumentRow {
        let row = try anyDocument(id)
        if row.entry.deleted != nil { throw .gone }
        return row
    }

    /// A document, deleted or not. Its row stays locked until the end of the transaction.
    func anyDocument(_ id: DocumentID) throws(PostgresFault) -> DocumentRow {
        let found = try run(
            "SELECT \(DocumentRow.columns) FROM document WHERE id = $1 FOR UPDATE", .integer(id.value)
        ).first
        guard let found else { throw .gone }
        return try DocumentRow(found, generation: shared.generation.value)
    }

    func save(_ row: DocumentRow) throws(PostgresFault) {
        let values = row.values + [.integer(DocumentRow.notDeleted), .integer(row.entry.id.value)]
        try connection.run(
            """
            UPDATE document SET name = $1, epoch = $2, head = $3, start = $4, utf8 = $5, utf16 = $6, scalars = $7,
            updated = $8, line_break = $9, chain = $10, snapshot = $11, loose = $12, behind = $13,
            deleted = nullif($14, $15) WHERE id = $16
            """, values)
    }

    @discardableResult
    func run(_ sql: String, _ values: PostgresValue...) throws(PostgresFault) -> PostgresResult {
        try connection.run(sql, values)
    }

    // MARK: Documents

    func create(
        _ name: DocumentName, _ first: FirstRevision?, at time: Int64
    ) throws(PostgresFault) -> CreateResult {
        // Repeats only if another server created and deleted the document meanwhile.
        while true {
            if let entry = try entry(named: name) { return .exists(entry) }
            let epoch = Epoch(generation: shared.generation.value, document: .random(in: .min ... .max))
            let entry = DocumentEntry(
                id: DocumentID(0), name: name, epoch: epoch, head: 0, start: 0, length: .zero, updated: time,
                lineBreak: .lf)
            var row = DocumentRow(entry)
            var append: PreparedAppend?
            if let first {
                append = try prepare(first.append(to: entry), after: row)
                guard let append else { return .invalidChange }
                row = append.row
                (row.unmergedSegments, row.bytesSinceSnapshot) = (1, append.weight)
            }
            let found = try connection.run(
                """
                INSERT INTO document (name, epoch, head, start, utf8, utf16, scalars, updated, line_break, chain,
                snapshot, loose, behind, deleted)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, nullif($14, $15))
                ON CONFLICT (name) WHERE deleted IS NULL DO NOTHING RETURNING id
                """, row.values + [.integer(DocumentRow.notDeleted)]
            ).first
            guard let found else { continue }
            let id = DocumentID(try found.integer(0))
            if let append { try insert(append, of: id) }
            return .created(row.entry.with(id: id))
        }
    }

    /// Nil if the changes do not fit. The numbers of authors that are new here are not remembered, because this
    /// transaction may be rolled back.
    private func prepare(
        _ append: Append, after row: DocumentRow
    ) throws(PostgresFault) -> PreparedAppend? {
        var (authors, columns) = (AuthorTable(), SegmentColumns())
        let numbers = try authors.numbers(of: Set(append.changes.map(\.logged.pusher)), connection)
        return PreparedAppend(append, after: row, authors: numbers, in: &columns)
    }

    /// Writes the segment and the pushers of a document that this transaction has created.
    private func insert(_ prepared: PreparedAppend, of id: DocumentID) throws(PostgresFault) {
        try insert(prepared.segment, of: id)
        for (author, entry) in prepared.pushes {
            try run(
                """
                INSERT INTO pusher (document, author, seq, revision, digest, used)
                VALUES ($1, $2, $3, $4, $5, $6)
                """, .integer(id.value), .integer(author), .integer(entry.seq),
                .integer(Int64(entry.revision.value)), .bytes(entry.digest.bytes), .integer(entry.used))
        }
    }

    private func entry(named name: DocumentName) throws(PostgresFault) -> DocumentEntry? {
        let found = try run(
            "SELECT \(DocumentRow.columns) FROM document WHERE name = $1 AND deleted IS NULL",
            .bytes(name.bytes.utf8)
        ).first
        guard let found else { return nil }
        return try DocumentRow(found, generation: shared.generation.value).entry
    }

    func rename(_ id: DocumentID, to name: DocumentName) throws(PostgresFault) -> RenameResult {
        var row = try document(id)
        if try entry(named: name) != nil { return .exists }
        row.entry.name = name
        return try isSaved(row) ? .renamed : .exists
    }

    func delete(_ id: DocumentID, at time: Int64) throws(PostgresFault) {
        var row = try document(id)
        // 0 would mean that the document is being purged.
        row.entry.deleted = max(time, 1)
        try save(row)
    }

    func undelete(_ id: DocumentID) throws(PostgresFault) -> UndeleteResult {
        var row = try anyDocument(id)
        guard let deleted = row.entry.deleted else { return .live }
        if deleted == 0 { throw .gone }
        if try entry(named: row.entry.name) != nil { return .exists }
        row.entry.deleted = nil
        return try isSaved(row) ? .undeleted(row.entry) : .exists
    }

    /// Saves a row under a name that was free. Returns false if another server has taken the name meanwhile.
    private func isSaved(_ row: DocumentRow) throws(PostgresFault) -> Bool {
        do throws(PostgresFault) {
            try run("SAVEPOINT named")
            try save(row)
            return true
        } catch {
            guard case .server(let fault) = error, fault.state == DocumentWriter.uniqueViolation else {
                throw error
            }
            try run("ROLLBACK TO SAVEPOINT named")
            return false
        }
    }

    // MARK: Appends that need a transaction

    /// Sets only the line break of a document.
    func setLineBreak(_ append: Append) throws(PostgresFault) -> AppendOutcome {
        let row: DocumentRow
        do throws(PostgresFault) {
            row = try document(append.document)
        } catch {
            guard case .refused = error else { throw error }
            return error.appendOutcome
        }
        let generation = shared.generation.value
        if let refusal = AppendRules.refusal(of: append, row, generation, shared) { return refusal }
        if let lineBreak = append.lineBreak, lineBreak != row.entry.lineBreak {
            var new = row
            new.entry.lineBreak = lineBreak
            try save(new)
        }
        return .committed(head: append.expected)
    }
}

extension DocumentEntry {
    fileprivate func with(id: DocumentID) -> DocumentEntry {
        DocumentEntry(
            id: id, name: name, epoch: epoch, head: head, start: start, length: length, updated: updated,
            lineBreak: lineBreak, deleted: deleted)
    }
}
