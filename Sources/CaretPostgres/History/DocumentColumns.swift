import CaretCore
import CaretFormat
import CaretLog

// The columns of a row of `document`.
extension DocumentRow {
    static let columns = """
        id, name, epoch, head, start, utf8, utf16, scalars, updated, line_break, chain, snapshot, loose, behind, deleted
        """

    static let columnCount: Int32 = 15

    /// Nil if the row is damaged.
    init?(_ row: PostgresRow, generation: UInt64) {
        guard let name = String(validating: row.bytes(1), as: UTF8.self).flatMap({ try? DocumentName($0) }),
            let lineBreak = LineBreak(stored: row.integer(9)), let chain = Digest(bytes: row.bytes(10))
        else { return nil }
        let entry = DocumentEntry(
            id: DocumentID(row.integer(0)), name: name,
            epoch: Epoch(generation: generation, document: UInt64(bitPattern: row.integer(2))),
            head: Revision(Int(row.integer(3))), start: Revision(Int(row.integer(4))),
            length: TextLength(
                utf8: Int(row.integer(5)), utf16: Int(row.integer(6)), scalars: Int(row.integer(7))),
            updated: row.integer(8), lineBreak: lineBreak,
            deleted: row.isNull(14) ? nil : row.integer(14))
        self.init(entry, chain: Chain(chain))
        snapshot = Revision(Int(row.integer(11)))
        unmergedSegments = Int(row.integer(12))
        bytesSinceSnapshot = Int(row.integer(13))
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
