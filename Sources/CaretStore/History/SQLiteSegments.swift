package import CaretCore
package import CaretFormat
package import CaretLog

// The rows of segments.
extension SQLiteRows {
    private static let columns = "id, first, last, body, before, after, time"

    package func forEachSegment(
        of document: DocumentID, from revision: Revision,
        _ body: (SegmentRow, () -> [UInt8]) throws(StoreFault) -> Bool
    ) throws(StoreFault) {
        try database.forEach(
            """
            SELECT \(SQLiteRows.columns) FROM segment WHERE document = ?1
            AND first >= (SELECT max(first) FROM segment WHERE document = ?1 AND first <= ?2) ORDER BY first
            """, [.integer(document.value), .integer(Int64(revision.value))], orFault: StoreFault.database
        ) { row throws(StoreFault) in
            guard let before = Digest(bytes: row.bytes(4)), let after = Digest(bytes: row.bytes(5)) else {
                throw .damaged
            }
            let segment = SegmentRow(
                row: row.integer(0), first: row.integer(1), last: row.integer(2), time: row.integer(6),
                before: before, after: after)
            return try body(segment) { row.bytes(3) }
        }
    }

    package func lastSegment(of document: DocumentID) throws(StoreFault) -> (row: SegmentRow, bytes: Int)? {
        let found = try database.one(
            """
            SELECT id, first, last, length(body), before, after, time FROM segment
            WHERE document = ? ORDER BY first DESC LIMIT 1
            """, .integer(document.value)
        ) { row -> (row: SegmentRow, bytes: Int)? in
            guard let before = Digest(bytes: row.bytes(4)), let after = Digest(bytes: row.bytes(5)) else {
                return nil
            }
            let segment = SegmentRow(
                row: row.integer(0), first: row.integer(1), last: row.integer(2), time: row.integer(6),
                before: before, after: after)
            return (segment, Int(row.integer(3)))
        }
        if case .some(nil) = found { throw .damaged }
        return found ?? nil
    }

    package func summaries(of document: DocumentID) throws(StoreFault) -> [SegmentSummary] {
        // For `substr` SQLite would read the whole of a large body. `isPlain` reads only one byte.
        let found = try database.every(
            """
            SELECT id, first, last, length(body), CASE WHEN length(body) < 2048 THEN substr(body, 2, 1) = x'00' END
            FROM segment WHERE document = ? ORDER BY first
            """, .integer(document.value)
        ) { row in
            (
                row: row.integer(0), first: Revision(Int(row.integer(1))),
                last: Revision(Int(row.integer(2))), bytes: Int(row.integer(3)),
                isUnmerged: row.isNull(4) ? nil : row.integer(4) == 1
            )
        }
        var summaries: [SegmentSummary] = []
        summaries.reserveCapacity(found.count)
        for one in found {
            let isUnmerged =
                if let known = one.isUnmerged { known } else { try isPlain(one.row, of: document) }
            let summary = SegmentSummary(
                row: one.row, first: one.first, last: one.last, bytes: one.bytes, isUnmerged: isUnmerged)
            if !summary.isPlausible { throw .damaged }
            summaries.append(summary)
        }
        return summaries
    }

    package func isPlain(_ row: Int64, of document: DocumentID) throws(StoreFault) -> Bool {
        do throws(DatabaseFault) {
            let packing = try database.byte(at: 1, table: "segment", column: "body", row: row)
            return packing == SegmentFormat.Packing.plain.rawValue
        } catch {
            throw .database(error)
        }
    }

    package func firstSegment(
        of document: DocumentID, after revision: Revision, changedSince time: Int64
    ) throws(StoreFault) -> Revision? {
        try database.one(
            "SELECT min(first) FROM segment WHERE document = ? AND last > ? AND time >= ?",
            .integer(document.value), .integer(Int64(revision.value)), .integer(time)
        ) { $0.isNull(0) ? nil : Revision(Int($0.integer(0))) } ?? nil
    }

    package func isHistoryLong(
        before revision: Revision, of document: DocumentID, share: Int
    ) throws(StoreFault) -> Bool? {
        try database.one(
            """
            SELECT coalesce((SELECT sum(length(body)) FROM segment WHERE document = ?1 AND last <= ?2 AND first >
            coalesce((SELECT max(revision) FROM snapshot WHERE document = ?1 AND revision < ?2), 0)), 0)
            >= ?3 * length(body) FROM snapshot WHERE document = ?1 AND revision = ?2
            """, .integer(document.value), .integer(Int64(revision.value)), .integer(Int64(share))
        ) { $0.integer(0) == 1 }
    }
}
