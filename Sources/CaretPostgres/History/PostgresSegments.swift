package import CaretCore
package import CaretFormat
package import CaretLog

// The rows of segments.
extension PostgresRows {
    private static let columns = "first, last, time, before, after"
    /// The first page is short, because most reads need only a few segments.
    private static let (firstPage, laterPages): (Int64, Int64) = (16, 128)

    package func forEachSegment(
        of document: DocumentID, from revision: Revision,
        _ body: (SegmentRow, () -> [UInt8]) throws(PostgresFault) -> Bool
    ) throws(PostgresFault) {
        var (next, limit) = (Int64(revision.value), PostgresRows.firstPage)
        // The first page begins with the segment that has the revision.
        var start = "coalesce((SELECT max(first) FROM segment WHERE document = $1 AND first <= $2), $2)"
        while true {
            let found = try run(
                """
                SELECT \(PostgresRows.columns), body FROM segment
                WHERE document = $1 AND first >= \(start) ORDER BY first LIMIT $3
                """, .integer(document.value), .integer(next), .integer(limit))
            start = "$2"
            for row in found.rows {
                let segment = try PostgresRows.segment(row)
                next = segment.first + 1
                if try !body(segment, { row.bytes(5) }) { return }
            }
            if found.count < limit { return }
            limit = PostgresRows.laterPages
        }
    }

    private static func segment(_ row: PostgresRow) throws(PostgresFault) -> SegmentRow {
        guard let before = Digest(bytes: row.bytes(3)), let after = Digest(bytes: row.bytes(4)) else {
            throw .damaged
        }
        return SegmentRow(
            row: try row.integer(0), first: Int64(try row.count(0)), last: Int64(try row.count(1)),
            time: try row.integer(2),
            before: before, after: after)
    }

    package func lastSegment(
        of document: DocumentID
    ) throws(PostgresFault) -> (row: SegmentRow, bytes: Int)? {
        let found = try run(
            """
            SELECT \(PostgresRows.columns), length(body)::bigint FROM segment
            WHERE document = $1 ORDER BY first DESC LIMIT 1
            """, .integer(document.value)
        ).first
        guard let found else { return nil }
        return (try PostgresRows.segment(found), try found.count(5))
    }

    package func summaries(of document: DocumentID) throws(PostgresFault) -> [SegmentSummary] {
        // PostgreSQL reads only the part of a stored body that `substr` needs.
        try run(
            """
            SELECT first, last, length(body)::bigint, substr(body, 2, 1) = '\\x00' FROM segment
            WHERE document = $1 ORDER BY first
            """, .integer(document.value)
        ).rows.map { row throws(PostgresFault) in
            let summary = SegmentSummary(
                row: try row.integer(0), first: try row.revision(0), last: try row.revision(1),
                bytes: try row.count(2), isUnmerged: row.bool(3))
            if !summary.isPlausible { throw .damaged }
            return summary
        }
    }

    package func isPlain(_ row: Int64, of document: DocumentID) throws(PostgresFault) -> Bool {
        try run(
            "SELECT substr(body, 2, 1) = '\\x00' FROM segment WHERE document = $1 AND first = $2",
            .integer(document.value), .integer(row)
        ).first?.bool(0) ?? false
    }

    package func firstSegment(
        of document: DocumentID, after revision: Revision, changedSince time: Int64
    ) throws(PostgresFault) -> Revision? {
        try run(
            """
            SELECT first FROM segment WHERE document = $1 AND last > $2 AND time >= $3 ORDER BY first LIMIT 1
            """, .integer(document.value), .integer(Int64(revision.value)), .integer(time)
        ).first?.revision(0)
    }

    package func isHistoryLong(
        before revision: Revision, of document: DocumentID, share: Int
    ) throws(PostgresFault) -> Bool? {
        try run(
            """
            SELECT coalesce((SELECT sum(length(body)) FROM segment WHERE document = $1 AND last <= $2 AND first >
            coalesce((SELECT max(revision) FROM snapshot WHERE document = $1 AND revision < $2), 0)), 0)
            >= $3 * length(body) FROM snapshot WHERE document = $1 AND revision = $2
            """, .integer(document.value), .integer(Int64(revision.value)), .integer(Int64(share))
        ).first?.bool(0)
    }
}
