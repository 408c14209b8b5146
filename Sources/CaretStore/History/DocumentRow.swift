import CaretCore
import CaretLog

/// A row of `document`, deleted or not.
struct DocumentRow {
    var entry: DocumentEntry
    /// The chain at the head.
    var chain: Chain
    /// The newest snapshot; 0 where there is none, which is the empty text at the beginning.
    var snapshot: Revision = 0
    /// How many segments were appended since segments were last merged.
    var loose = 0
    /// What the changes behind the newest snapshot weigh, by which reading them is judged.
    var behind = 0

    static let columns = """
        id, name, epoch, head, start, utf8, utf16, scalars, updated, line_break, chain, snapshot, loose, behind, deleted,
        sum
        """

    /// A new document.
    init(_ entry: DocumentEntry) {
        self.entry = entry
        chain = Chain(of: entry.epoch)
    }

    /// Nil where the row cannot be: it is damaged.
    init?(_ row: Row, generation: UInt64) {
        let utf8 = row.bytes(1)
        guard let name = String(validating: utf8, as: UTF8.self).flatMap({ try? DocumentName($0) }),
            let lineBreak = LineBreak(stored: row.integer(9)), let chain = Digest(bytes: row.bytes(10))
        else { return nil }
        entry = DocumentEntry(
            id: DocumentID(row.integer(0)), name: name,
            epoch: Epoch(generation: generation, document: UInt64(bitPattern: row.integer(2))),
            head: Revision(Int(row.integer(3))), start: Revision(Int(row.integer(4))),
            length: TextLength(
                utf8: Int(row.integer(5)), utf16: Int(row.integer(6)), scalars: Int(row.integer(7))),
            updated: row.integer(8), lineBreak: lineBreak,
            deleted: row.isNull(14) ? nil : row.integer(14))
        self.chain = Chain(chain)
        snapshot = Revision(Int(row.integer(11)))
        loose = Int(row.integer(12))
        behind = Int(row.integer(13))
        if sum != row.integer(15) { return nil }
    }

    /// The columns behind the identity, in their order, with the sum.
    var values: [Value] {
        [
            .bytes(entry.name.bytes.utf8), .integer(Int64(bitPattern: entry.epoch.document)),
            .integer(Int64(entry.head.value)), .integer(Int64(entry.start.value)),
            .integer(Int64(entry.length.utf8)), .integer(Int64(entry.length.utf16)),
            .integer(Int64(entry.length.scalars)), .integer(entry.updated), .integer(entry.lineBreak.stored),
            .bytes(chain.value.bytes), .integer(Int64(snapshot.value)), .integer(Int64(loose)),
            .integer(Int64(behind)), entry.deleted.map { .integer($0) } ?? .null, .integer(sum),
        ]
    }

    /// Writes what an append changes; everything else is in the database as it is here.
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
            row.next(loose)
            row.next(behind)
            row.next(sum)
            row.next(entry.id.value)
        }
    }

    private var sum: Int64 {
        var sum = RowSum()
        sum.take(Int64(bitPattern: entry.epoch.document))
        sum.take(Int64(entry.head.value))
        sum.take(Int64(entry.start.value))
        sum.take(Int64(entry.length.utf8))
        sum.take(Int64(entry.length.utf16))
        sum.take(Int64(entry.length.scalars))
        sum.take(entry.updated)
        sum.take(entry.lineBreak.stored)
        sum.take(entry.id.value)
        sum.take(Int64(snapshot.value))
        sum.take(Int64(loose))
        sum.take(Int64(behind))
        sum.take(entry.deleted ?? -1)
        sum.take(entry.name.bytes.utf8)
        sum.take(chain.value)
        return sum.value()
    }
}

extension LineBreak {
    init?(stored: Int64) {
        switch stored {
        case 0: self = .lf
        case 1: self = .crlf
        default: return nil
        }
    }

    var stored: Int64 {
        switch self {
        case .lf: 0
        case .crlf: 1
        }
    }
}
