package import CaretFormat
package import CaretLog
import Synchronization

/// The rows of recently used documents, as this server last saw them.
///
/// If another server has appended to a document, the room reads that first, and its next append needs the row of this
/// read. The rows are only expected: PostgreSQL compares the epoch, the head and the chain of each append.
package final class KnownRows: Sendable {
    private let rows = Mutex<[DocumentID: DocumentRow]>([:])

    /// Enough for the documents that are written to at the same time. A full cache is emptied.
    private static let mostRows = 8192

    package init() {}

    /// Whether the row is known, and is what this append expects.
    package func fits(_ append: Append) -> Bool {
        guard let entry = self[append.document]?.entry else { return false }
        // Another connection may have restored a document that was deleted.
        return entry.deleted == nil && entry.epoch == append.epoch && entry.head == append.expected
    }

    package subscript(document: DocumentID) -> DocumentRow? { rows.withLock { $0[document] } }

    /// Notes a row, unless a newer one of the same history is known.
    package func note(_ row: DocumentRow) {
        rows.withLock { rows in
            if let known = rows[row.entry.id], known.entry.epoch == row.entry.epoch,
                known.entry.head > row.entry.head
            {
                return
            }
            if rows.count >= KnownRows.mostRows { rows = [:] }
            rows[row.entry.id] = row
        }
    }

    package func forget(_ document: DocumentID) { rows.withLock { $0[document] = nil } }
}
