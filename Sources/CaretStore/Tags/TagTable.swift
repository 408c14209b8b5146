import CaretCore
import CaretFormat
import CaretLog

/// Reads and writes the tags through one connection.
///
/// Use it only on the thread or queue of its connection. A call that throws a refusal has written nothing.
struct TagTable {
    let database: Database

    private static let columns = "name, revision, user, time, sum"

    func add(_ tag: Tag, to document: DocumentID, limit: Int) throws(StoreFault) -> TagResult {
        let known = try tags(of: document)
        if let same = known.first(where: { $0.name == tag.name }) {
            return same.revision == tag.revision ? .tagged : .exists(same.revision)
        }
        if known.count >= limit { return .tooMany }
        try database.write(
            "INSERT INTO tag (document, \(TagTable.columns)) VALUES (?, ?, ?, ?, ?, ?)",
            [
                .integer(document.value), .bytes(tag.name.bytes.utf8),
                .integer(Int64(tag.revision.value)), .bytes(tag.user.utf8), .integer(tag.time),
                .integer(TagTable.sum(of: tag, in: document)),
            ])
        return .tagged
    }

    func remove(_ name: TagName, from document: DocumentID) throws(StoreFault) -> Bool {
        try database.write(
            "DELETE FROM tag WHERE document = ? AND name = ?",
            [.integer(document.value), .bytes(name.bytes.utf8)])
        return database.changes > 0
    }

    /// Removes the tags of revisions before the start of the history.
    func removeTrimmed(of document: DocumentID, start: Revision) throws(StoreFault) {
        try database.write(
            "DELETE FROM tag WHERE document = ? AND revision < ?",
            [.integer(document.value), .integer(Int64(start.value))])
    }

    /// Throws if a row is damaged.
    func tags(of document: DocumentID) throws(StoreFault) -> [Tag] {
        let rows = try database.every(
            "SELECT \(TagTable.columns) FROM tag WHERE document = ? ORDER BY revision, name",
            .integer(document.value)
        ) { TagTable.tag($0, in: document) }
        let tags = rows.compactMap(\.self)
        if tags.count < rows.count { throw .damaged }
        return tags
    }

    /// Nil if the row is damaged.
    private static func tag(_ row: Row, in document: DocumentID) -> Tag? {
        guard let name = String(validating: row.bytes(0), as: UTF8.self).flatMap({ TagName($0) }),
            row.integer(1) >= 0
        else { return nil }
        let tag = Tag(
            name: name, revision: Revision(Int(row.integer(1))), user: ByteString(utf8: row.bytes(2)),
            time: row.integer(3))
        return sum(of: tag, in: document) == row.integer(4) ? tag : nil
    }

    static func sum(of tag: Tag, in document: DocumentID) -> Int64 {
        var sum = RowSum()
        sum.update(document.value)
        sum.update(Int64(tag.revision.value))
        sum.update(tag.time)
        sum.update(tag.name.bytes.utf8)
        sum.update(tag.user.utf8)
        return sum.value()
    }
}
