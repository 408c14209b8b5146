import CaretCore
import CaretLog

/// A row of `segment` without its content.
struct SegmentRow {
    let first: Int64
    let last: Int64
    /// The latest time of its changes.
    let time: Int64
    let before: Digest
    let after: Digest

    static let columns = "first, last, time, before, after"

    init(_ row: SQLRow) throws(DamagedRow) {
        (first, last) = (Int64(try row.count(0)), Int64(try row.count(1)))
        time = try row.integer(2)
        (before, after) = (try row.digest(3), try row.digest(4))
    }
}

// The rows of segments. A segment is known by its first revision.
extension SQLRows {
    /// Calls `body` with the segments of a document in order, until `body` returns false. Starts with the last one
    /// that begins at `revision` or before. `content` reads the body of the segment.
    func forEachSegment(
        of document: DocumentID, from revision: Revision,
        _ body: (SegmentRow, _ content: () -> [UInt8]) throws(Fault) -> Bool
    ) throws(Fault) {
        // The first page is short, because most reads need only a few segments.
        var (next, limit) = (Int64(revision.value), 16)
        // It begins with the segment that has the revision.
        var start = "coalesce((SELECT max(first) FROM segment WHERE document = $1 AND first <= $2), $2)"
        while true {
            var (count, isStopped) = (0, false)
            try connection.forEach(
                """
                SELECT \(SegmentRow.columns), body FROM segment
                WHERE document = $1 AND first >= \(start) ORDER BY first LIMIT $3
                """, [.id(document), .integer(next), .count(limit)],
                read: { row throws(DamagedRow) in (segment: try SegmentRow(row), row: row) },
                body: { found throws(Fault) in
                    (count, next) = (count + 1, found.segment.first + 1)
                    isStopped = try !body(found.segment) { found.row.bytes(5) }
                    return !isStopped
                })
            if isStopped || count < limit { return }
            (start, limit) = ("$2", 128)
        }
    }

    /// The newest segment, and the length of its body.
    func lastSegment(of document: DocumentID) throws(Fault) -> (row: SegmentRow, bytes: Int)? {
        try connection.one(
            """
            SELECT \(SegmentRow.columns), CAST(length(body) AS bigint) FROM segment
            WHERE document = $1 ORDER BY first DESC LIMIT 1
            """, .id(document)
        ) { row throws(DamagedRow) in (try SegmentRow(row), try row.count(5)) }
    }

    /// All segments of a document without their content, in order.
    func summaries(of document: DocumentID) throws(Fault) -> [SegmentSummary] {
        // The second byte says how the segment is packed. Where it is not read here, `isPlain` reads it.
        let found = try connection.every(
            """
            SELECT first, last, CAST(length(body) AS bigint),
                CASE WHEN length(body) < $1 THEN substr(body, 2, 1) = $2 END
            FROM segment WHERE document = $3 ORDER BY first
            """, .integer(dialect.shortBody), .bytes([SegmentFormat.Packing.plain.rawValue]), .id(document)
        ) { row throws(DamagedRow) in
            (
                first: try row.revision(0), last: try row.revision(1), bytes: try row.count(2),
                isUnmerged: row.isNull(3) ? nil : row.bool(3)
            )
        }
        var summaries: [SegmentSummary] = []
        summaries.reserveCapacity(found.count)
        for one in found {
            let isUnmerged =
                if let known = one.isUnmerged { known } else { try isPlain(one.first, of: document) }
            let summary = SegmentSummary(
                first: one.first, last: one.last, bytes: one.bytes, isUnmerged: isUnmerged)
            if !summary.isPlausible { throw .damagedRow("a row of segment has a wrong range of revisions") }
            summaries.append(summary)
        }
        return summaries
    }

    /// Whether a segment is stored as it was appended.
    func isPlain(_ first: Revision, of document: DocumentID) throws(Fault) -> Bool {
        try connection.isPlain(first, of: document)
    }

    /// The first revision of the first segment that has a revision after `revision`, and a change at `time` or later.
    func firstSegment(
        of document: DocumentID, after revision: Revision, changedSince time: Int64
    ) throws(Fault) -> Revision? {
        try connection.one(
            """
            SELECT first FROM segment WHERE document = $1 AND last > $2 AND time >= $3 ORDER BY first LIMIT 1
            """, .id(document), .revision(revision), .integer(time)
        ) { row throws(DamagedRow) in try row.revision(0) }
    }

    /// Whether the history between the snapshot at `revision` and the snapshot before it is at least `share` times
    /// as long as the snapshot, in stored bytes. Nil if there is no such snapshot.
    func isHistoryLong(
        before revision: Revision, of document: DocumentID, share: Int
    ) throws(Fault) -> Bool? {
        try connection.one(
            """
            SELECT coalesce((SELECT sum(length(body)) FROM segment WHERE document = $1 AND last <= $2 AND first >
            coalesce((SELECT max(revision) FROM snapshot WHERE document = $1 AND revision < $2), 0)), 0)
            >= $3 * length(body) FROM snapshot WHERE document = $1 AND revision = $2
            """, .id(document), .revision(revision), .count(share)
        ) { row throws(DamagedRow) in row.bool(0) }
    }
}
