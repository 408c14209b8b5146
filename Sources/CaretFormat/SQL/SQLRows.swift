import CaretCore
package import CaretLog

/// The rows of documents and their histories, as one connection to the database reads them.
///
/// A damaged row of a document is nil in a list of rows. Elsewhere, a damaged row throws. Calls that must see the same
/// state run inside one `reading`.
///
/// Use it only on the thread or queue of its connection.
package struct SQLRows<Connection: SQLConnection> {
    package typealias Fault = Connection.Fault

    package let connection: Connection
    private let shared: Generation

    /// The store's part of every epoch.
    package var generation: UInt64 { shared.value }

    var dialect: SQLDialect { Connection.dialect }

    private var columns: String { DocumentRow.columns(dialect) }

    /// How many rows are fetched at once.
    private var pageSize: Int { 256 }

    package init(_ connection: Connection, _ generation: Generation) {
        self.connection = connection
        shared = generation
    }

    // MARK: Documents

    /// A document, deleted or not. Throws `gone` if there is none.
    package func document(_ id: DocumentID) throws(Fault) -> DocumentRow { try row("id = $1", .id(id)) }

    /// Finds a document by its name. Ignores deleted documents. Throws `gone` if there is none.
    package func document(named name: DocumentName) throws(Fault) -> DocumentRow {
        try row("name = $1 AND deleted IS NULL", .bytes(name.bytes.utf8))
    }

    /// Finds the entry of a document by its name. Ignores deleted documents. Returns nil if there is none.
    package func entry(named name: DocumentName) throws(Fault) -> DocumentEntry? {
        do throws(Fault) { return try document(named: name).entry } catch {
            if error.refusal == .gone { return nil }
            throw error
        }
    }

    /// The first document for which a condition is true, deleted or not. Throws `gone` if there is none.
    package func row(_ condition: String, _ value: SQLValue) throws(Fault) -> DocumentRow {
        let found = try connection.one(DocumentRow.selection(dialect) + condition, value, read: document)
        guard let found else { throw .gone }
        return found
    }

    /// Throws if the revision is not in the kept history.
    func check(_ revision: Revision, of document: DocumentEntry) throws(Fault) {
        if revision > document.head { throw .refused(.ahead(head: document.head)) }
        if revision < document.start { throw .refused(.trimmed(start: document.start)) }
    }

    private func document(_ row: SQLRow) throws(DamagedRow) -> DocumentRow {
        try DocumentRow(row, generation: generation, dialect)
    }

    /// The entries of documents that are not deleted, in the given order.
    ///
    /// `note` gets the generation in the database. Another server may have renewed it.
    package func entries(
        of documents: [DocumentID], _ note: (_ generation: UInt64) -> Void = { _ in }
    ) throws(Fault) -> [Result<DocumentEntry, StoreRefusal>] {
        let found = try connection.every(
            """
            SELECT \(columns), (SELECT generation FROM store) FROM document
            WHERE \(dialect.isOneOf("id", "$1"))
            """, .integers(documents.map(\.value))
        ) { row throws(DamagedRow) in
            note(UInt64(bitPattern: try row.integer(DocumentRow.columnCount(dialect))))
            return try visitedDocument(row)
        }
        let rows = Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return documents.map { id in
            guard let row = rows[id] else { return .failure(.gone) }
            guard let entry = row.document?.entry else { return .failure(.damaged) }
            return entry.deleted == nil ? .success(entry) : .failure(.gone)
        }
    }

    /// Calls `body` with the documents that are not deleted, in the order of their names, from the name `start` on
    /// but without the name `after`, until `body` returns false.
    func forEachDocument(
        from start: ByteString, without after: ByteString?,
        _ body: (ByteString, DocumentRow?) throws(Fault) -> Bool
    ) throws(Fault) {
        var (start, isIncluded) = (start, after != start)
        while true {
            let isMore = try page(
                """
                SELECT \(columns) FROM document
                WHERE deleted IS NULL AND name >= $1 AND (name > $1 OR $2 = 1) ORDER BY name LIMIT $3
                """, [.bytes(start.utf8), .integer(isIncluded ? 1 : 0)],
                read: { row in (name: row.byteString(1), document: try? document(row)) },
                body: { found throws(Fault) in
                    // Otherwise a damaged index could make this read the same page for ever.
                    if found.name < start { throw .damagedRow("the names of documents are not in order") }
                    start = found.name
                    return try body(found.name, found.document)
                })
            if !isMore { return }
            isIncluded = false
        }
    }

    /// Calls `body` with the deleted documents that can be undeleted, in the order of their IDs, until `body` returns
    /// false.
    func forEachDeleted(
        prefix: ByteString, after: DocumentID, _ body: (DocumentRow?) throws(Fault) -> Bool
    ) throws(Fault) {
        var last = after
        while true {
            // Leaves out documents that are being purged, because they cannot be undeleted.
            let isMore = try page(
                """
                SELECT \(columns) FROM document WHERE deleted > 0 AND id > $1
                AND substr(name, 1, CAST($2 AS integer)) = $3 ORDER BY id LIMIT $4
                """, [.id(last), .count(prefix.utf8.count), .bytes(prefix.utf8)], read: visitedDocument,
                body: { found throws(Fault) in
                    if found.id <= last { throw .damagedRow("the IDs of documents are not in order") }
                    last = found.id
                    return try body(found.document)
                })
            if !isMore { return }
        }
    }

    /// Runs a statement for one page. The page size is its last parameter. Returns whether there may be another page.
    private func page<Answer>(
        _ sql: String, _ values: [SQLValue], read: (SQLRow) throws(DamagedRow) -> Answer,
        body: (Answer) throws(Fault) -> Bool
    ) throws(Fault) -> Bool {
        var (count, isStopped) = (0, false)
        try connection.forEach(
            sql, values + [.count(pageSize)], read: read,
            body: { answer throws(Fault) in
                count += 1
                isStopped = try !body(answer)
                return !isStopped
            })
        return count == pageSize && !isStopped
    }

    /// The next documents in the order of their IDs, deleted or not.
    func documents(after id: DocumentID, limit: Int) throws(Fault) -> [VisitedDocument] {
        try connection.every(
            "SELECT \(columns) FROM document WHERE id > $1 ORDER BY id LIMIT $2", .id(id), .count(limit),
            read: visitedDocument)
    }

    /// The document with this ID, deleted or not; nil if there is none.
    func visitedDocument(_ id: DocumentID) throws(Fault) -> VisitedDocument? {
        try connection.one(
            "SELECT \(columns) FROM document WHERE id = $1", .id(id), read: visitedDocument)
    }

    private func visitedDocument(_ row: SQLRow) throws(DamagedRow) -> VisitedDocument {
        VisitedDocument(id: DocumentID(try row.integer(0)), document: try? document(row))
    }

    /// The highest document ID.
    package func lastDocument() throws(Fault) -> DocumentID {
        let last = try connection.one(dialect.lastDocument) { row throws(DamagedRow) in try row.integer(0) }
        return DocumentID(last ?? 0)
    }
}

/// A document that a round of upkeep visits. `document` is nil if the row is damaged.
package struct VisitedDocument: Sendable {
    let id: DocumentID
    let document: DocumentRow?
}
