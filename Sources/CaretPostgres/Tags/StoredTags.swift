import CaretCore
import CaretFormat
package import CaretLog

extension PostgresStore: TagStore {
    package func addTag(
        _ tag: Tag, to document: DocumentID, limit: Int,
        then completion: @escaping @Sendable (TagResult) -> Void
    ) {
        write(to: document) { writer throws(PostgresFault) in
            try writer.addTag(tag, to: document, limit: limit)
        } then: {
            completion($0.answer { .refused($0.historyRefusal) })
        }
    }

    package func removeTag(
        _ name: TagName, from document: DocumentID,
        then completion: @escaping @Sendable (Result<Bool, StoreRefusal>) -> Void
    ) {
        write(to: document) { writer throws(PostgresFault) in
            try writer.removeTag(name, from: document)
        } then: {
            completion($0.mapError(\.refusal))
        }
    }

    package func tags(
        of document: DocumentID, then completion: @escaping @Sendable (Result<[Tag], StoreRefusal>) -> Void
    ) {
        lookup(
            of: document,
            { reader throws(PostgresFault) in
                try reader.rows.tags(of: try reader.document(document).entry.id)
            }, then: completion)
    }
}

extension DocumentWriter {
    fileprivate func addTag(
        _ tag: Tag, to id: DocumentID, limit: Int
    ) throws(PostgresFault) -> TagResult {
        let entry = try document(id).entry
        if tag.revision > entry.head { throw .refused(.ahead(head: entry.head)) }
        if tag.revision < entry.start { throw .refused(.trimmed(start: entry.start)) }
        let known = try PostgresRows(source: .transaction(connection, shared)).tags(of: id)
        if let same = known.first(where: { $0.name == tag.name }) {
            return same.revision == tag.revision ? .tagged : .exists(same.revision)
        }
        if known.count >= limit { return .tooMany }
        try run(
            "INSERT INTO tag (document, \(StoredTag.columns)) VALUES ($1, $2, $3, $4, $5)",
            .integer(id.value), .bytes(tag.name.bytes.utf8), .integer(Int64(tag.revision.value)),
            .bytes(tag.user.utf8), .integer(tag.time))
        return .tagged
    }

    fileprivate func removeTag(_ name: TagName, from id: DocumentID) throws(PostgresFault) -> Bool {
        _ = try document(id)
        return try run(
            "DELETE FROM tag WHERE document = $1 AND name = $2", .integer(id.value),
            .bytes(name.bytes.utf8)
        ).changes > 0
    }
}
