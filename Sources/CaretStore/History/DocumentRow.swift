import CaretCore
import CaretFormat
import CaretLog

// The columns of a row of `document`.
extension DocumentRow {
    static let columns = """
        id, name, epoch, head, start, utf8, utf16, scalars, updated, line_break, chain, snapshot, loose, behind, deleted,
        sum
        """

    /// Nil if the row is damaged.
    init?(_ row: Row, generation: UInt64) {
        let utf8 = row.bytes(1)
        guard let name = String(validating: utf8, as: UTF8.self).flatMap({ try? DocumentName($0) }),
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
        if sum != row.integer(15) || !isPlausible { return nil }
    }

    /// The values of all columns after the ID, in their order, with the checksum.
    var values: [Value] {
        [
            .bytes(entry.name.bytes.utf8), .integer(Int64(bitPattern: entry.epoch.document)),
            .integer(Int64(entry.head.value)), .integer(Int64(entry.start.value)),
            .integer(Int64(entry.length.utf8)), .integer(Int64(entry.length.utf16)),
            .integer(Int64(entry.length.scalars)), .integer(entry.updated), .integer(entry.lineBreak.stored),
            .bytes(chain.value.bytes), .integer(Int64(snapshot.value)), .integer(Int64(unmergedSegments)),
            .integer(Int64(bytesSinceSnapshot)), entry.deleted.map { .integer($0) } ?? .null, .integer(sum),
        ]
    }

    /// Writes the columns that an append changes. The other columns must be unchanged.
    func writeHead(_ database: Database) throws(StoreFault) {
        try database.write(
            """
            UPDATE document SET head = ?, utf8 = ?, utf16 = ?, scalars = ?, updated = ?, line_break = ?, chain = ?,
            loose = ?, behind = ?, sum = ? WHERE id = ?
            """
        ) { row in
            row.next(entry.head.value)
            row.next(entry.length.utf8)
            row.next(entry.length.utf16)
            row.next(entry.length.scalars)
            row.next(entry.updated)
            row.next(entry.lineBreak.stored)
            row.next(chain.value)
            row.next(unmergedSegments)
            row.next(bytesSinceSnapshot)
            row.next(sum)
            row.next(entry.id.value)
        }
    }

    private var sum: Int64 {
        var sum = RowSum()
        sum.update(Int64(bitPattern: entry.epoch.document))
        sum.update(Int64(entry.head.value))
        sum.update(Int64(entry.start.value))
        sum.update(Int64(entry.length.utf8))
        sum.update(Int64(entry.length.utf16))
        sum.update(Int64(entry.length.scalars))
        sum.update(entry.updated)
        sum.update(entry.lineBreak.stored)
        sum.update(entry.id.value)
        sum.update(Int64(snapshot.value))
        sum.update(Int64(unmergedSegments))
        sum.update(Int64(bytesSinceSnapshot))
        sum.update(entry.deleted ?? -1)
        sum.update(entry.name.bytes.utf8)
        sum.update(chain.value)
        return sum.value()
    }
}
