import CaretCore
package import CaretFormat
package import CaretLog

// The rows of pushers and of their authors.
extension PostgresRows {
    package func entry(
        of pusher: Pusher, in document: DocumentID
    ) throws(PostgresFault) -> PusherEntry? {
        let found = try run(
            """
            SELECT seq, revision, used, digest FROM author JOIN pusher ON author.id = pusher.author
            WHERE username = $1 AND client = $2 AND document = $3
            """, .bytes(pusher.user.utf8), .bytes(pusher.client.utf8), .integer(document.value)
        ).first
        guard let found else { return nil }
        return try PusherEntry(found)
    }

    package func lastPush(
        of pusher: Pusher, in document: DocumentID
    ) throws(PostgresFault) -> NewestPushes.Push? {
        let found = try run(
            """
            SELECT seq, revision, used FROM author JOIN pusher ON author.id = pusher.author
            WHERE username = $1 AND client = $2 AND document = $3
            """, .bytes(pusher.user.utf8), .bytes(pusher.client.utf8), .integer(document.value)
        ).first
        guard let found else { return nil }
        return NewestPushes.Push(
            seq: try found.integer(0), revision: try found.integer(1), time: try found.integer(2))
    }

    package func hasPusher(
        of document: DocumentID, usedBefore time: Int64
    ) throws(PostgresFault) -> Bool {
        try run(
            "SELECT 1 FROM pusher WHERE document = $1 AND used < $2 LIMIT 1", .integer(document.value),
            .integer(time)
        ).count > 0
    }

    package func authors(
        of document: DocumentID, usedBefore time: Int64, limit: Int
    ) throws(PostgresFault) -> [Int64] {
        try run(
            "SELECT author FROM pusher WHERE document = $1 AND used < $2 ORDER BY used LIMIT $3",
            .integer(document.value), .integer(time), .integer(Int64(limit))
        ).rows.map { row throws(PostgresFault) in try row.integer(0) }
    }

    package func forEachPusher(
        of document: DocumentID, _ body: (Pusher, PusherEntry?) throws(PostgresFault) -> Void
    ) throws(PostgresFault) {
        let found = try run(
            """
            SELECT seq, revision, used, digest, coalesce(username, ''), coalesce(client, '')
            FROM pusher LEFT JOIN author ON author.id = pusher.author WHERE document = $1 ORDER BY author
            """, .integer(document.value))
        for row in found.rows {
            let pusher = Pusher(user: ByteString(utf8: row.bytes(4)), client: ByteString(utf8: row.bytes(5)))
            try body(pusher, try? PusherEntry(row))
        }
    }

    package func number(of pusher: Pusher) throws(PostgresFault) -> Int64? {
        try run(
            "SELECT id FROM author WHERE username = $1 AND client = $2", .bytes(pusher.user.utf8),
            .bytes(pusher.client.utf8)
        ).first?.integer(0)
    }

    package func author(_ number: Int64) throws(PostgresFault) -> Pusher? {
        try run("SELECT username, client FROM author WHERE id = $1", .integer(number)).first.map { row in
            Pusher(user: ByteString(utf8: row.bytes(0)), client: ByteString(utf8: row.bytes(1)))
        }
    }
}

extension PusherEntry {
    fileprivate init(_ row: PostgresRow) throws(PostgresFault) {
        guard let digest = Digest(bytes: row.bytes(3)) else { throw .damaged }
        self.init(
            seq: try row.integer(0), revision: try row.revision(1), digest: digest, used: try row.integer(2))
        if !isPlausible { throw .damaged }
    }
}
