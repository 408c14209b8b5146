import CaretCore
package import CaretLog

/// A document that comes from elsewhere, with what its history begins with here.
package struct Arrival: Sendable {
    package let name: DocumentName
    /// The empty text at revision 0, or what a history that was trimmed begins with.
    package let start: Snapshot
    package let lineBreak: LineBreak
    /// When it was last changed, as long as no change says more, in milliseconds.
    package let updated: Int64

    package init(name: DocumentName, start: Snapshot, lineBreak: LineBreak, updated: Int64) {
        self.name = name
        self.start = start
        self.lineBreak = lineBreak
        self.updated = updated
    }
}

/// An arrived document that becomes one like any other.
package struct Publication: Sendable {
    package let document: DocumentID
    /// When it was deleted, in milliseconds; nil for one that lives.
    package let deleted: Int64?

    package init(_ document: DocumentID, deleted: Int64? = nil) {
        self.document = document
        self.deleted = deleted
    }
}

// Documents that arrive: nobody sees one before all of it is there.
extension HistoryWriter {
    /// Makes a document to which changes can be appended, and that nobody finds. Its row is that of a document that is
    /// being removed: where it is never published, upkeep removes what came of it once this process has ended.
    package mutating func begin(_ arrival: Arrival, epoch: UInt64) throws(StoreFault) -> DocumentEntry {
        let (id, start) = (try nextDocument(), arrival.start)
        var row = DocumentRow(
            DocumentEntry(
                id: id, name: arrival.name, epoch: Epoch(generation: generation, document: epoch),
                head: start.revision, start: start.revision, length: start.text.length,
                updated: arrival.updated, lineBreak: arrival.lineBreak, deleted: 0))
        row.snapshot = start.revision
        try insert(row)
        if start.revision > 0 {
            try write(StoredSnapshot(HistoryReader.Checked(snapshot: start, chain: row.chain), of: id))
        }
        arriving.insert(id)
        return row.entry
    }

    /// Makes documents that have arrived known, all of them or none: none where one wants a name that another document
    /// has, which is the answer.
    package mutating func publish(_ publications: [Publication]) throws(StoreFault) -> DocumentName? {
        var rows: [DocumentRow] = []
        for publication in publications {
            guard arriving.contains(publication.document) else { throw .gone }
            var row = try document(publication.document)
            row.entry.deleted = publication.deleted.map { max($0, 1) }
            if row.entry.deleted == nil, try isTaken(row.entry.name) { return row.entry.name }
            rows.append(row)
        }
        for row in rows {
            try save(row)
            arriving.remove(row.entry.id)
            if UpkeepPolicy.isDue(row) { due.insert(row.entry.id) }
        }
        return nil
    }
}

extension SQLiteStore {
    /// Begins a document that nobody finds before `publish`. Changes are appended to it as to any other.
    package func arrive(_ arrival: Arrival) async throws(StoreRefusal) -> DocumentEntry {
        try await written { writer throws(StoreFault) in
            try writer.begin(arrival, epoch: .random(in: .min ... .max))
        }
    }

    /// Makes documents that have arrived known in one transaction. The answer is a name that another document has: then
    /// none of them is known.
    package func publish(_ publications: [Publication]) async throws(StoreRefusal) -> DocumentName? {
        try await written { writer throws(StoreFault) in try writer.publish(publications) }
    }

    private func written<Answer: Sendable>(
        _ body: @escaping @Sendable (inout HistoryWriter) throws(StoreFault) -> Answer
    ) async throws(StoreRefusal) -> Answer {
        let result = await withCheckedContinuation {
            (done: CheckedContinuation<Result<Answer, StoreRefusal>, Never>) in
            write { writer throws(StoreFault) in
                let answer = try body(&writer)
                return { done.resume(returning: .success(answer)) }
            } or: {
                done.resume(returning: .failure($0.refusal))
            }
        }
        return try result.get()
    }
}
