import CaretFormat
package import CaretLog

extension SQLiteStore: TagStore {
    package func addTag(
        _ tag: Tag, to document: DocumentID, limit: Int,
        then completion: @escaping @Sendable (TagResult) -> Void
    ) {
        write { writer throws(StoreFault) in
            let result = try writer.addTag(tag, to: document, limit: limit)
            return { completion(result) }
        } or: {
            completion(.refused($0.historyRefusal))
        }
    }

    package func removeTag(
        _ name: TagName, from document: DocumentID,
        then completion: @escaping @Sendable (Result<Bool, StoreRefusal>) -> Void
    ) {
        write { writer throws(StoreFault) in
            let wasThere = try writer.removeTag(name, from: document)
            return { completion(.success(wasThere)) }
        } or: {
            completion(.failure($0.refusal))
        }
    }

    package func tags(
        of document: DocumentID, then completion: @escaping @Sendable (Result<[Tag], StoreRefusal>) -> Void
    ) {
        lookup(
            { reader throws(StoreFault) in
                let id = try reader.document(document).entry.id
                return try reader.rows.tags(of: id)
            }, then: completion)
    }
}

extension HistoryWriter {
    fileprivate mutating func addTag(
        _ tag: Tag, to id: DocumentID, limit: Int
    ) throws(StoreFault) -> TagResult {
        try reader.check(tag.revision, of: try document(id))
        return try TagTable(database: database).add(tag, to: id, limit: limit)
    }

    fileprivate mutating func removeTag(_ name: TagName, from id: DocumentID) throws(StoreFault) -> Bool {
        try TagTable(database: database).remove(name, from: try document(id).entry.id)
    }
}
