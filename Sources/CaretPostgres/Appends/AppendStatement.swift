import CaretCore
import CaretFormat
import CaretLog

/// The statement that commits a group of appends to different documents.
///
/// It locks the rows of the documents in the order of their IDs, so two groups never wait for each other. Then it
/// changes those rows whose epoch, head and chain are the expected ones. Everything is one statement, so a process
/// that is stopped in the middle holds no lock.
struct AppendStatement {
    private static func sql(skippingLocked: Bool) -> String {
        """
        WITH asked AS MATERIALIZED (
            SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[], $6::bytea[],
                $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[],
                $14::bytea[])
            AS asked (id, epoch, expected, before, last, after, utf8, utf16, scalars, updated, line_break, weight,
                time, body)),
        held AS MATERIALIZED (
            SELECT found.* FROM asked CROSS JOIN LATERAL (
                SELECT id, epoch, head, chain, deleted FROM document WHERE document.id = asked.id
                FOR NO KEY UPDATE\(skippingLocked ? " SKIP LOCKED" : "")) found),
        appended AS (
            UPDATE document SET head = asked.last, chain = asked.after, utf8 = asked.utf8, utf16 = asked.utf16,
                scalars = asked.scalars, updated = asked.updated,
                line_break = CASE WHEN asked.line_break < 0 THEN document.line_break ELSE asked.line_break END,
                loose = document.loose + 1, behind = document.behind + asked.weight
            FROM asked JOIN held ON held.id = asked.id AND held.epoch = asked.epoch AND held.head = asked.expected
                AND held.chain = asked.before AND held.deleted IS NULL
            -- Without a condition on the head: the row that this statement began with may be older than the locked one.
            WHERE document.id = asked.id AND (SELECT generation FROM store) = $21
            RETURNING document.id, document.loose, document.behind),
        kept AS (
            INSERT INTO segment (document, first, last, time, body, before, after)
            SELECT id, expected + 1, last, time, body, before, after FROM asked JOIN appended USING (id)),
        known AS (
            INSERT INTO pusher (document, author, seq, revision, digest, used)
            SELECT pushed.* FROM unnest($15::bigint[], $16::bigint[], $17::bigint[], $18::bigint[], $19::bytea[],
                $20::bigint[]) AS pushed (document, author, seq, revision, digest, used)
            JOIN appended ON appended.id = pushed.document
            ON CONFLICT (document, author) DO UPDATE SET seq = excluded.seq, revision = excluded.revision,
                digest = excluded.digest, used = excluded.used),
        counted AS (UPDATE lane SET commits = commits + 1 WHERE node = $22 AND lane = $23 RETURNING commits)
        SELECT held.id, held.epoch, held.head, held.deleted, appended.id IS NOT NULL, appended.loose,
            appended.behind, (SELECT commits FROM counted), (SELECT generation FROM store), \(PostgresConnection.durably)
        FROM held LEFT JOIN appended USING (id)
        """
    }

    private static let (waiting, skipping) = (sql(skippingLocked: false), sql(skippingLocked: true))

    /// What the statement found and did.
    struct Answer {
        /// A document that was found, and whether the append was done.
        struct Row {
            let epoch: UInt64
            let head: Revision
            let isDeleted: Bool
            let isAppended: Bool
            let unmergedSegments: Int
            let bytesSinceSnapshot: Int
        }

        /// Documents that do not exist, or that were skipped, are missing.
        var rows: [DocumentID: Row] = [:]
        var damaged: [DocumentID: PostgresFault] = [:]
        /// The number of commits of this lane; nil if no document was found, or the lane has no row.
        var commits: Int64?
        var generation: UInt64?
    }

    let lane: Lane

    /// `appends` must be sorted by document, have each document once, and be of one generation. If
    /// `skippingLocked` is true, the answer has no documents whose rows are locked. If `endingTransaction` is true, this
    /// call also commits the transaction of the caller.
    func run(
        _ appends: [PreparedAppend], on connection: PostgresConnection, skippingLocked: Bool = false,
        endingTransaction: Bool = false
    ) throws(PostgresFault) -> Answer {
        func integers(_ value: (PreparedAppend) -> Int64) -> PostgresValue { .integers(appends.map(value)) }
        func bytes(_ value: (PreparedAppend) -> [UInt8]) -> PostgresValue {
            .arrayOfBytes(appends.map(value))
        }
        let pushes = appends.flatMap { append in
            append.pushes.map { (document: append.row.entry.id, author: $0.author, entry: $0.entry) }
        }
        let documents: [PostgresValue] = [
            integers { $0.row.entry.id.value },
            integers { Int64(bitPattern: $0.row.entry.epoch.document) },
            integers { Int64($0.expected.value) }, bytes { $0.segment.before.value.bytes },
            integers { Int64($0.row.entry.head.value) }, bytes { $0.segment.after.value.bytes },
            integers { Int64($0.row.entry.length.utf8) }, integers { Int64($0.row.entry.length.utf16) },
            integers { Int64($0.row.entry.length.scalars) }, integers { $0.row.entry.updated },
            integers { $0.lineBreak?.stored ?? -1 }, integers { Int64($0.weight) },
            integers { $0.segment.time }, bytes { $0.segment.body },
        ]
        let pushers: [PostgresValue] = [
            .integers(pushes.map(\.document.value)), .integers(pushes.map(\.author)),
            .integers(pushes.map(\.entry.seq)), .integers(pushes.map { Int64($0.entry.revision.value) }),
            .arrayOfBytes(pushes.map(\.entry.digest.bytes)), .integers(pushes.map(\.entry.used)),
        ]
        let rest: [PostgresValue] = [
            .integer(Int64(bitPattern: appends[0].row.entry.epoch.generation)),
            .integer(lane.node), .integer(lane.use.rawValue),
        ]
        let values = documents + pushers + rest
        let sql = skippingLocked ? AppendStatement.skipping : AppendStatement.waiting
        return try AppendStatement.answer(
            endingTransaction
                ? try connection.runAndCommit(sql, values) : try connection.runCommitting(sql, values))
    }

    private static func answer(_ result: PostgresResult) throws(PostgresFault) -> Answer {
        var answer = Answer()
        for row in result.rows {
            let id = DocumentID(try row.integer(0))
            // The other appends of the group are committed, so a damaged row concerns only its document.
            do throws(PostgresFault) { answer.rows[id] = try Answer.Row(row) } catch {
                answer.damaged[id] = error
            }
            answer.commits = try row.optionalInteger(7)
            answer.generation = try row.optionalInteger(8).map { UInt64(bitPattern: $0) }
        }
        return answer
    }
}

extension AppendStatement.Answer.Row {
    fileprivate init(_ row: PostgresRow) throws(PostgresFault) {
        epoch = UInt64(bitPattern: try row.integer(1))
        head = try row.revision(2)
        isDeleted = !row.isNull(3)
        isAppended = row.bool(4)
        unmergedSegments = isAppended ? try row.count(5) : 0
        bytesSinceSnapshot = isAppended ? try row.count(6) : 0
    }
}
