import CaretCore
package import CaretFormat
package import CaretLog

/// Writes documents and their histories inside one transaction. `document` locks the document's row until its end.
package struct DocumentWriter: SQLWriter {
    package let connection: PostgresConnection
    let shared: SharedState

    package var rows: SQLRows<PostgresConnection> { SQLRows(connection, shared.generation) }

    /// The rule that a live document's name is unique.
    private static let uniqueViolation = "23505"

    // MARK: Rows

    package func document(_ id: DocumentID) throws(PostgresFault) -> DocumentRow {
        let row = try anyDocument(id)
        if row.entry.deleted != nil { throw .gone }
        return row
    }

    package func anyDocument(_ id: DocumentID) throws(PostgresFault) -> DocumentRow {
        try rows.row("id = $1 FOR UPDATE", .integer(id.value))
    }

    package func save(_ row: DocumentRow) throws(PostgresFault) { try row.update(connection) }

    package func saveName(_ row: DocumentRow) throws(PostgresFault) -> Bool {
        do throws(PostgresFault) {
            try connection.run("SAVEPOINT named")
            try save(row)
            return true
        } catch {
            guard case .server(let fault) = error, fault.state == DocumentWriter.uniqueViolation else {
                throw error
            }
            try connection.run("ROLLBACK TO SAVEPOINT named")
            return false
        }
    }

    // MARK: Documents

    package func create(
        _ name: DocumentName, _ history: InitialHistory?, at time: Int64
    ) throws(PostgresFault) -> CreateResult {
        // Repeats only if another server created and deleted the document meanwhile.
        while true {
            if let entry = try rows.entry(named: name) { return .exists(entry) }
            let epoch = Epoch(generation: shared.generation.value, document: .random(in: .min ... .max))
            let entry = DocumentEntry(
                id: DocumentID(0), name: name, epoch: epoch, head: 0, start: 0, length: .zero, updated: time,
                lineBreak: history?.lineBreak ?? .lf)
            var row = DocumentRow(entry)
            var append: PreparedAppend?
            if let history, !history.changes.isEmpty {
                append = try prepare(history.append(to: entry), after: row)
                guard let append else { return .invalidChange }
                row = append.row
                (row.unmergedSegments, row.bytesSinceSnapshot) = (1, append.weight)
            }
            guard let id = try row.insertIfFree(into: connection) else { continue }
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

    /// Writes the segment and the pushers.
    private func insert(_ prepared: PreparedAppend, of id: DocumentID) throws(PostgresFault) {
        try insert(prepared.segment, of: id)
        for (author, entry) in prepared.pushes {
            try connection.change(
                """
                INSERT INTO pusher (document, author, seq, revision, digest, used)
                VALUES ($1, $2, $3, $4, $5, $6)
                ON CONFLICT (document, author) DO UPDATE SET
                    seq = excluded.seq, revision = excluded.revision, digest = excluded.digest,
                    used = excluded.used
                """, .integer(id.value), .integer(author), .integer(entry.seq),
                .integer(Int64(entry.revision.value)), .bytes(entry.digest.bytes), .integer(entry.used))
        }
    }

    // MARK: Appends that need a transaction

    package mutating func append(_ append: Append) throws(PostgresFault) -> AppendOutcome {
        var row = try document(append.document)
        let generation = shared.generation.value
        if let refusal = AppendRules.refusal(of: append, row, generation, shared) { return refusal }
        if append.changes.isEmpty { return .committed(head: append.expected) }
        guard let prepared = try prepare(append, after: row) else { return .invalidChange }
        let (segments, bytes) = (row.unmergedSegments + 1, row.bytesSinceSnapshot + prepared.weight)
        row = prepared.row
        (row.unmergedSegments, row.bytesSinceSnapshot) = (segments, bytes)
        try save(row)
        try insert(prepared, of: append.document)
        return .committed(head: row.entry.head)
    }

    /// Sets only the line break of a document.
    mutating func setLineBreak(_ append: Append) throws(PostgresFault) -> AppendOutcome {
        let row: DocumentRow
        do throws(PostgresFault) {
            row = try document(append.document)
        } catch {
            guard case .refused = error else { throw error }
            return error.appendOutcome
        }
        let generation = shared.generation.value
        if let refusal = AppendRules.refusal(of: append, row, generation, shared) { return refusal }
        try set(append.lineBreak, in: row)
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
