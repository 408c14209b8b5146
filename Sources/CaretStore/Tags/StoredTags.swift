import CaretFormat
import CaretLog

extension SQLiteStore {
    func run(_ call: TagCall, _ waiting: WaitingCall) {
        switch call {
        case .add(let tag, let document, let limit):
            write(waiting) { writer throws(StoreFault) in
                .tags(.added(try writer.addTag(tag, to: document, limit: limit)))
            }
        case .remove(let name, let document):
            write(waiting) { writer throws(StoreFault) in
                .tags(.removed(.success(try writer.removeTag(name, from: document))))
            }
        case .list(let document):
            lookup(waiting) { reader throws(StoreFault) in
                let id = try reader.document(document).entry.id
                return .tags(.listed(.success(try reader.rows.tags(of: id))))
            }
        }
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
