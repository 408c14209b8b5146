import CaretCore
package import CaretLog

/// Writes documents and their histories inside a transaction. The caller begins and ends it. A call that throws a refusal
/// has written nothing.
///
/// Use it only on the thread or queue of its connection.
package protocol SQLWriter {
    associatedtype Connection: SQLConnection

    /// The rows as this transaction sees them.
    var rows: SQLRows<Connection> { get }

    /// A document that is not deleted. Nobody else can write to it until the end of the transaction.
    mutating func document(_ id: DocumentID) throws(Connection.Fault) -> DocumentRow

    /// A document, deleted or not. Nobody else can write to it until the end of the transaction.
    mutating func anyDocument(_ id: DocumentID) throws(Connection.Fault) -> DocumentRow

    /// Creates a document with this history, unless the name is taken. Without a history it is empty.
    mutating func create(
        _ name: DocumentName, _ history: InitialHistory?, at time: Int64
    ) throws(Connection.Fault) -> CreateResult

    mutating func append(_ append: Append) throws(Connection.Fault) -> AppendOutcome

    mutating func save(_ row: DocumentRow) throws(Connection.Fault)

    /// Saves a row with a new name. Returns false if another server has taken the name in the meantime.
    mutating func saveName(_ row: DocumentRow) throws(Connection.Fault) -> Bool
}

extension SQLWriter {
    package typealias Fault = Connection.Fault

    package var connection: Connection { rows.connection }

    // MARK: Documents

    /// Whether a document that is not deleted has this name.
    package func isTaken(_ name: DocumentName) throws(Fault) -> Bool {
        try connection.hasRow(
            "SELECT 1 FROM document WHERE name = $1 AND deleted IS NULL", .bytes(name.bytes.utf8))
    }

    mutating func rename(_ id: DocumentID, to name: DocumentName) throws(Fault) -> RenameResult {
        var row = try document(id)
        if try isTaken(name) { return .exists }
        row.entry.name = name
        guard try saveName(row) else { return .exists }
        // Another document may get the old name.
        try TokenTable(connection).removeLinks(to: id)
        return .renamed
    }

    mutating func delete(_ id: DocumentID, at time: Int64) throws(Fault) {
        var row = try document(id)
        // 0 would mean that the document is being purged.
        row.entry.deleted = max(time, 1)
        try save(row)
        try TokenTable(connection).removeLinks(to: id)
    }

    mutating func undelete(_ id: DocumentID) throws(Fault) -> UndeleteResult {
        var row = try anyDocument(id)
        guard let deleted = row.entry.deleted else { return .live }
        if deleted == 0 { throw .gone }
        if try isTaken(row.entry.name) { return .exists }
        row.entry.deleted = nil
        return try saveName(row) ? .undeleted(row.entry) : .exists
    }

    /// Sets the line break, if it is given.
    package mutating func set(_ lineBreak: LineBreak?, in row: DocumentRow) throws(Fault) {
        guard let lineBreak, lineBreak != row.entry.lineBreak else { return }
        var row = row
        row.entry.lineBreak = lineBreak
        try save(row)
    }

    // MARK: Tags

    mutating func addTag(
        _ tag: Tag, to id: DocumentID, limit: Int
    ) throws(Fault) -> TagResult {
        try rows.check(tag.revision, of: try document(id).entry)
        let known = try rows.tags(of: id)
        if let same = known.first(where: { $0.name == tag.name }) {
            return same.revision == tag.revision ? .tagged : .exists(same.revision)
        }
        if known.count >= limit { return .tooMany }
        try insert([tag], of: id)
        return .tagged
    }

    /// Adds tags to a document that has none with their names.
    func insert(_ tags: [Tag], of id: DocumentID) throws(Fault) {
        for tag in tags {
            let values = [.id(id)] + tag.values(in: id, Connection.dialect)
            try connection.change(
                """
                INSERT INTO tag (document, \(Tag.columns(Connection.dialect)))
                VALUES (\(SQLDialect.parameters(values.count)))
                """, values)
        }
    }

    mutating func removeTag(_ name: TagName, from id: DocumentID) throws(Fault) -> Bool {
        _ = try document(id)
        let removed = try connection.change(
            "DELETE FROM tag WHERE document = $1 AND name = $2", .id(id), .bytes(name.bytes.utf8))
        return removed > 0
    }
}
