import CaretCore
import CaretFormat
import CaretLog

extension PostgresStore {
    func run(_ call: TagCall, _ waiting: WaitingCall) {
        switch call {
        case .add(let tag, let document, let limit):
            write(waiting, to: document) { writer throws(PostgresFault) in
                .tags(.added(try writer.addTag(tag, to: document, limit: limit)))
            }
        case .remove(let name, let document):
            write(waiting, to: document) { writer throws(PostgresFault) in
                .tags(.removed(.success(try writer.removeTag(name, from: document))))
            }
        case .list(let document):
            lookup(waiting, of: document) { reader throws(PostgresFault) in
                let id = try reader.document(document).entry.id
                return .tags(.listed(.success(try reader.rows.tags(of: id))))
            }
        }
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
