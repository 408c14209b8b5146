import CaretCore
import CaretLog

/// A row of `document` that is not deleted.
struct DocumentRow {
    let entry: DocumentEntry
    let chain: Chain

    static let columns = "id, name, epoch, head, start, utf8, utf16, scalars, updated, line_break, chain"

    /// Nil where the row cannot be: it is damaged.
    init?(_ row: Row, generation: UInt64) {
        guard let name = String(validating: row.bytes(1), as: UTF8.self).flatMap({ try? DocumentName($0) }),
            let lineBreak = LineBreak(stored: row.integer(9)), let chain = Digest(bytes: row.bytes(10)),
            row.integer(4) >= 0, row.integer(3) >= row.integer(4)
        else { return nil }
        entry = DocumentEntry(
            id: DocumentID(row.integer(0)), name: name,
            epoch: Epoch(generation: generation, document: UInt64(bitPattern: row.integer(2))),
            head: Revision(Int(row.integer(3))), start: Revision(Int(row.integer(4))),
            length: TextLength(
                utf8: Int(row.integer(5)), utf16: Int(row.integer(6)), scalars: Int(row.integer(7))),
            updated: row.integer(8), lineBreak: lineBreak)
        self.chain = Chain(chain)
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
