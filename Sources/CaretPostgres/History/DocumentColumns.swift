import CaretCore
import CaretFormat
import CaretLog

// The columns of a row of `document`.
extension DocumentRow {
    static let columns = """
        id, name, epoch, head, start, utf8, utf16, scalars, updated, line_break, chain, snapshot, loose, behind, deleted
        """

    static let columnCount: Int32 = 15

    init(_ row: PostgresRow, generation: UInt64) throws(PostgresFault) {
        guard let name = String(validating: row.bytes(1), as: UTF8.self).flatMap({ try? DocumentName($0) }),
            let lineBreak = LineBreak(stored: try row.integer(9)), let chain = Digest(bytes: row.bytes(10))
        else { throw .damaged }
        let entry = DocumentEntry(
            id: DocumentID(try row.integer(0)), name: name,
            epoch: Epoch(generation: generation, document: UInt64(bitPattern: try row.integer(2))),
            head: try row.revision(3), start: try row.revision(4),
            length: TextLength(
                utf8: try row.count(5), utf16: try row.count(6), scalars: try row.count(7)),
            updated: try row.integer(8), lineBreak: lineBreak,
            deleted: try row.optionalInteger(14))
        self.init(entry, chain: Chain(chain))
        snapshot = try row.revision(11)
        unmergedSegments = try row.count(12)
        bytesSinceSnapshot = try row.count(13)
        if !isPlausible { throw .damaged }
    }

    /// The values of all columns after the ID, in their order.
    var values: [PostgresValue] {
        [
            .bytes(entry.name.bytes.utf8), .integer(Int64(bitPattern: entry.epoch.document)),
            .integer(Int64(entry.head.value)), .integer(Int64(entry.start.value)),
            .integer(Int64(entry.length.utf8)), .integer(Int64(entry.length.utf16)),
            .integer(Int64(entry.length.scalars)), .integer(entry.updated), .integer(entry.lineBreak.stored),
            .bytes(chain.value.bytes), .integer(Int64(snapshot.value)), .integer(Int64(unmergedSegments)),
            .integer(Int64(bytesSinceSnapshot)), .integer(entry.deleted ?? DocumentRow.notDeleted),
        ]
    }

    /// Stands for null in `values`, whose types are the same in each call.
    static let notDeleted: Int64 = -1
}
