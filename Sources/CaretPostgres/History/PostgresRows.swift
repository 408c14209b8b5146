import CaretCore
package import CaretFormat
package import CaretLog

/// The rows of documents and their histories, through one connection to PostgreSQL.
///
/// Use it only on the thread or queue of its connection. Segments have no number of their own: their first revision
/// identifies them in their document.
package struct PostgresRows: HistoryRows {
    package typealias Fault = PostgresFault

    let source: Source

    /// Where statements run: in transactions of their own, or inside one that the caller has begun.
    enum Source {
        case lane(Lane)
        case transaction(PostgresConnection, SharedState)
    }

    package var generation: UInt64 {
        switch source {
        case .lane(let lane): lane.shared.generation.value
        case .transaction(_, let shared): shared.generation.value
        }
    }

    /// How many rows are fetched at once.
    private static let pageSize: Int64 = 256

    package func reading<Answer>(_ body: () throws(PostgresFault) -> Answer) throws(PostgresFault) -> Answer {
        switch source {
        case .lane(let lane): try lane.reading(body)
        case .transaction: try body()
        }
    }

    func run(_ sql: String, _ values: PostgresValue...) throws(PostgresFault) -> PostgresResult {
        switch source {
        case .lane(let lane): try lane.run(sql, values)
        case .transaction(let connection, _): try connection.run(sql, values)
        }
    }

    // MARK: Documents

    package func document(_ id: DocumentID) throws(PostgresFault) -> DocumentRow {
        try row("id = $1", .integer(id.value))
    }

    package func document(named name: DocumentName) throws(PostgresFault) -> DocumentRow {
        try row("name = $1 AND deleted IS NULL", .bytes(name.bytes.utf8))
    }

    /// The entries of documents that are not deleted, in the given order.
    ///
    /// Also finds out whether another server has renewed all epochs.
    func entries(
        of documents: [DocumentID]
    ) throws(PostgresFault) -> [Result<DocumentEntry, StoreRefusal>] {
        let found = try run(
            "SELECT \(DocumentRow.columns), (SELECT generation FROM store) FROM document WHERE id = ANY($1)",
            .integers(documents.map(\.value)))
        if let row = found.first {
            noteGeneration(UInt64(bitPattern: try row.integer(DocumentRow.columnCount)))
        }
        var entries: [DocumentID: Result<DocumentEntry, StoreRefusal>] = [:]
        for row in found.rows {
            let entry = (try? DocumentRow(row, generation: generation))?.entry
            entries[DocumentID(try row.integer(0))] =
                entry.map { $0.deleted == nil ? .success($0) : .failure(.gone) } ?? .failure(.damaged)
        }
        return documents.map { entries[$0] ?? .failure(.gone) }
    }

    private func noteGeneration(_ found: UInt64) {
        if case .lane(let lane) = source { lane.shared.noteGeneration(found) }
    }

    private func row(_ condition: String, _ value: PostgresValue) throws(PostgresFault) -> DocumentRow {
        let found = try run("SELECT \(DocumentRow.columns) FROM document WHERE \(condition)", value).first
        guard let found else { throw .gone }
        return try DocumentRow(found, generation: generation)
    }

    package func forEachDocument(
        from start: ByteString, without after: ByteString?,
        _ body: (ByteString, DocumentRow?) throws(PostgresFault) -> Bool
    ) throws(PostgresFault) {
        var (start, isIncluded) = (start, after != start)
        while true {
            let found = try run(
                """
                SELECT \(DocumentRow.columns) FROM document
                WHERE deleted IS NULL AND name >= $1 AND (name > $1 OR $2 = 1) ORDER BY name LIMIT $3
                """, .bytes(start.utf8), .integer(isIncluded ? 1 : 0), .integer(PostgresRows.pageSize))
            for row in found.rows {
                start = ByteString(utf8: row.bytes(1))
                if try !body(start, try? DocumentRow(row, generation: generation)) { return }
            }
            if found.count < PostgresRows.pageSize { return }
            isIncluded = false
        }
    }

    package func forEachDeleted(
        prefix: ByteString, after: DocumentID, _ body: (DocumentRow?) throws(PostgresFault) -> Bool
    ) throws(PostgresFault) {
        var last = after.value
        while true {
            // Leaves out documents that are being purged, because they cannot be undeleted.
            let found = try run(
                """
                SELECT \(DocumentRow.columns) FROM document
                WHERE deleted > 0 AND id > $1 AND substr(name, 1, $2::bigint::integer) = $3 ORDER BY id LIMIT $4
                """, .integer(last), .integer(Int64(prefix.utf8.count)), .bytes(prefix.utf8),
                .integer(PostgresRows.pageSize))
            for row in found.rows {
                last = try row.integer(0)
                if try !body(try? DocumentRow(row, generation: generation)) { return }
            }
            if found.count < PostgresRows.pageSize { return }
        }
    }

    package func documents(after id: DocumentID, limit: Int) throws(PostgresFault) -> [VisitedDocument] {
        try run(
            "SELECT \(DocumentRow.columns) FROM document WHERE id > $1 ORDER BY id LIMIT $2",
            .integer(id.value), .integer(Int64(limit))
        ).rows.map(visitedDocument)
    }

    package func visitedDocument(_ id: DocumentID) throws(PostgresFault) -> VisitedDocument? {
        try run("SELECT \(DocumentRow.columns) FROM document WHERE id = $1", .integer(id.value))
            .first.map(visitedDocument)
    }

    private func visitedDocument(_ row: PostgresRow) throws(PostgresFault) -> VisitedDocument {
        VisitedDocument(
            id: DocumentID(try row.integer(0)), document: try? DocumentRow(row, generation: generation))
    }

    package func lastDocument() throws(PostgresFault) -> DocumentID {
        DocumentID(try run("SELECT coalesce(max(id), 0) FROM document").first?.integer(0) ?? 0)
    }

    // MARK: Tags

    package func tags(of document: DocumentID) throws(PostgresFault) -> [Tag] {
        try run(
            "SELECT \(StoredTag.columns) FROM tag WHERE document = $1 ORDER BY revision, name",
            .integer(document.value)
        ).rows.map(StoredTag.tag)
    }
}
