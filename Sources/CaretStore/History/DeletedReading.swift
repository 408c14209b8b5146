package import CaretCore
import CaretFormat
package import CaretLog

// Reads deleted documents that can still be undeleted.
extension SQLiteStore {
    /// Like `read`, for a deleted document.
    package func readDeleted(
        _ document: DocumentID, after revision: Revision, limit: Int
    ) async throws(HistoryRefusal) -> Segment {
        try await reading(document) { reader, row throws(StoreFault) in
            try reader.check(revision, of: row)
            let changes = try reader.changes(of: row, after: revision, limit: limit)
            return Segment(first: revision.next, changes: changes)
        }
    }

    /// Like `text`, for a deleted document.
    package func textOfDeleted(
        _ document: DocumentID, at revision: Revision
    ) async throws(HistoryRefusal) -> TextBuffer {
        try await reading(document) { reader, row throws(StoreFault) in
            try reader.text(of: row, at: revision).snapshot.text
        }
    }

    /// Like `tags`, for a deleted document.
    package func tagsOfDeleted(_ document: DocumentID) async throws(HistoryRefusal) -> [Tag] {
        try await reading(document) { reader, row throws(StoreFault) in
            try reader.rows.tags(of: row.entry.id)
        }
    }

    private func reading<Answer: Sendable>(
        _ document: DocumentID,
        _ body:
            @escaping @Sendable (inout HistoryReader<Database>, DocumentRow) throws(StoreFault) -> Answer
    ) async throws(HistoryRefusal) -> Answer {
        let result = await history(of: document) { reader throws(StoreFault) in
            let row = try reader.rows.document(document)
            // Other calls read documents that are not deleted. If `deleted` is 0, the document is being
            // purged and cannot be read.
            guard let deleted = row.entry.deleted, deleted > 0 else { throw .gone }
            return try body(&reader, row)
        }
        return try result.get()
    }
}
