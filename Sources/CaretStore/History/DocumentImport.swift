import CaretCore
import CaretFormat
package import CaretLog

/// A document to be imported, with the start of its history.
package struct DocumentImport: Sendable {
    package let name: DocumentName
    /// The empty text at revision 0, or the start of a trimmed history.
    package let start: Snapshot
    package let lineBreak: LineBreak
    /// When the document was last changed, in milliseconds. The time of an appended change replaces it.
    package let updated: Int64

    package init(name: DocumentName, start: Snapshot, lineBreak: LineBreak, updated: Int64) {
        self.name = name
        self.start = start
        self.lineBreak = lineBreak
        self.updated = updated
    }
}

/// An imported document that becomes visible.
package struct Publication: Sendable {
    package let document: DocumentID
    /// When it was deleted, in milliseconds; nil if it is not deleted.
    package let deleted: Int64?

    package init(_ document: DocumentID, deleted: Int64? = nil) {
        self.document = document
        self.deleted = deleted
    }
}

// An imported document becomes visible only after its whole history is stored.
extension HistoryWriter {
    /// Creates a document that accepts appends but cannot be found. Its row looks like that of a document
    /// that is being purged. If this process ends before the document is published, upkeep removes it.
    package mutating func beginImport(_ documentImport: DocumentImport, epoch: UInt64) throws(StoreFault)
        -> DocumentEntry
    {
        let (id, start) = (try nextDocument(), documentImport.start)
        var row = DocumentRow(
            DocumentEntry(
                id: id, name: documentImport.name, epoch: Epoch(generation: generation, document: epoch),
                head: start.revision, start: start.revision, length: start.text.length,
                updated: documentImport.updated, lineBreak: documentImport.lineBreak, deleted: 0))
        row.snapshot = start.revision
        try insert(row)
        if start.revision > 0 {
            let checked = CheckedText(snapshot: start, chain: row.chain)
            try write(StoredSnapshot(checked, of: row.entry))
        }
        unpublished.insert(id)
        return row.entry
    }

    /// Makes imported documents visible, all of them or none. If another document already has one of the
    /// names, publishes none and returns that name.
    package mutating func publish(_ publications: [Publication]) throws(StoreFault) -> DocumentName? {
        var rows: [DocumentRow] = []
        for publication in publications {
            guard unpublished.contains(publication.document) else { throw .gone }
            var row = try document(publication.document)
            row.entry.deleted = publication.deleted.map { max($0, 1) }
            if row.entry.deleted == nil, try isTaken(row.entry.name) { return row.entry.name }
            rows.append(row)
        }
        for row in rows {
            try save(row)
            unpublished.remove(row.entry.id)
            if UpkeepPolicy.isDue(row) { due.insert(row.entry.id) }
        }
        return nil
    }
}

extension SQLiteStore {
    /// Creates a document that no call can find before `publish`. Changes are appended to it as to any other
    /// document.
    package func beginImport(_ documentImport: DocumentImport) async throws(StoreRefusal) -> DocumentEntry {
        let result = await writes.run { writer throws(StoreFault) in
            try writer.beginImport(documentImport, epoch: .random(in: .min ... .max))
        }
        return try result.mapError(\.storeRefusal).get()
    }

    /// Makes imported documents visible in one transaction. If another document already has one of the names,
    /// publishes none and returns that name.
    package func publish(_ publications: [Publication]) async throws(StoreRefusal) -> DocumentName? {
        let result = await writes.run { writer throws(StoreFault) in try writer.publish(publications) }
        return try result.mapError(\.storeRefusal).get()
    }
}
