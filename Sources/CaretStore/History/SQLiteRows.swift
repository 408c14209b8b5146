package import CaretCore
package import CaretFormat
package import CaretLog

/// The rows of documents and their histories, through one connection to SQLite.
///
/// Use it only on the thread or queue of its connection.
package struct SQLiteRows: HistoryRows {
    package typealias Fault = StoreFault

    let database: Database
    private let shared: Generation

    package var generation: UInt64 { shared.value }

    init(_ database: Database, _ generation: Generation) {
        self.database = database
        shared = generation
    }

    package func reading<Answer>(_ body: () throws(StoreFault) -> Answer) throws(StoreFault) -> Answer {
        try database.reading(body, orFault: StoreFault.database)
    }

    // MARK: Documents

    package func document(_ id: DocumentID) throws(StoreFault) -> DocumentRow {
        try row("id = ?", .integer(id.value))
    }

    package func document(named name: DocumentName) throws(StoreFault) -> DocumentRow {
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

    package func forEachDocument(
        from start: ByteString, without after: ByteString?,
        _ body: (ByteString, DocumentRow?) throws(StoreFault) -> Bool
    ) throws(StoreFault) {
        try database.forEach(
            """
            SELECT \(DocumentRow.columns) FROM document
            WHERE deleted IS NULL AND name >= ? AND name <> ? ORDER BY name
            """, [.bytes(start.utf8), after.map { .bytes($0.utf8) } ?? .bytes([])],
            orFault: StoreFault.database
        ) { (row: Row) throws(StoreFault) in
            try body(ByteString(utf8: row.bytes(1)), DocumentRow(row, generation: generation))
        }
    }

    package func forEachDeleted(
        prefix: ByteString, after: DocumentID, _ body: (DocumentRow?) throws(StoreFault) -> Bool
    ) throws(StoreFault) {
        // Leaves out documents that are being purged, because they cannot be undeleted.
        try database.forEach(
            """
            SELECT \(DocumentRow.columns) FROM document
            WHERE deleted > 0 AND id > ? AND substr(name, 1, ?) = ? ORDER BY id
            """, [.integer(after.value), .integer(Int64(prefix.utf8.count)), .bytes(prefix.utf8)],
            orFault: StoreFault.database
        ) { (row: Row) throws(StoreFault) in try body(DocumentRow(row, generation: generation)) }
    }

    package func documents(after id: DocumentID, limit: Int) throws(StoreFault) -> [VisitedDocument] {
        try database.every(
            "SELECT \(DocumentRow.columns) FROM document WHERE id > ? ORDER BY id LIMIT ?",
            .integer(id.value), .integer(Int64(limit)), read: visitedDocument)
    }

    package func visitedDocument(_ id: DocumentID) throws(StoreFault) -> VisitedDocument? {
        try database.one(
            "SELECT \(DocumentRow.columns) FROM document WHERE id = ?", .integer(id.value),
            read: visitedDocument)
    }

    private func visitedDocument(_ row: Row) -> VisitedDocument {
        VisitedDocument(id: DocumentID(row.integer(0)), document: DocumentRow(row, generation: generation))
    }

    package func lastDocument() throws(StoreFault) -> DocumentID {
        let last = try database.one("SELECT seq FROM sqlite_sequence WHERE name = 'document'") {
            $0.integer(0)
        }
        return DocumentID(last ?? 0)
    }

    // MARK: Snapshots

    package func newestSnapshot(
        of document: DocumentEntry, through revision: Revision
    ) throws(StoreFault) -> StoredSnapshot? {
        let found = try database.one(
            """
            SELECT \(StoredSnapshot.columns) FROM snapshot
            WHERE document = ? AND revision <= ? ORDER BY revision DESC LIMIT 1
            """, .integer(document.id.value), .integer(Int64(revision.value))
        ) { StoredSnapshot($0, of: document) }
        if case .some(nil) = found { throw .damaged }
        return found ?? nil
    }

    package func newestSnapshotRevision(
        of document: DocumentID, through revision: Revision
    ) throws(StoreFault) -> Revision {
        let found = try database.one(
            "SELECT max(revision) FROM snapshot WHERE document = ? AND revision <= ?",
            .integer(document.value), .integer(Int64(revision.value))
        ) { $0.isNull(0) ? 0 : $0.integer(0) }
        return Revision(Int(found ?? 0))
    }

    package func snapshotRevisions(
        of document: DocumentID, from revision: Revision
    ) throws(StoreFault) -> [Revision] {
        try database.every(
            "SELECT revision FROM snapshot WHERE document = ? AND revision >= ? ORDER BY revision",
            .integer(document.value), .integer(Int64(revision.value))
        ) { Revision(Int($0.integer(0))) }
    }

    package func snapshots(
        of document: DocumentEntry, from revision: Revision
    ) throws(StoreFault) -> [StoredSnapshot?] {
        try database.every(
            "SELECT \(StoredSnapshot.columns) FROM snapshot WHERE document = ? AND revision >= ? ORDER BY revision",
            .integer(document.id.value), .integer(Int64(revision.value))
        ) { StoredSnapshot($0, of: document) }
    }

    package func hasSnapshot(of document: DocumentID, before revision: Revision) throws(StoreFault) -> Bool {
        try database.one(
            "SELECT 1 FROM snapshot WHERE document = ? AND revision < ? LIMIT 1",
            .integer(document.value), .integer(Int64(revision.value)), read: { _ in true }) ?? false
    }

    // MARK: Tags

    package func tags(of document: DocumentID) throws(StoreFault) -> [Tag] {
        try TagTable(database: database).tags(of: document)
    }
}
