package import CaretFormat
package import CaretLog

// The rows of pushers and of their authors.
extension SQLiteRows {
    package func entry(
        of pusher: Pusher, in document: DocumentID
    ) throws(StoreFault) -> PusherEntry? {
        let found = try database.one(
            """
            SELECT \(PusherRow.columns) FROM author JOIN pusher ON author.id = pusher.author
            WHERE user = ? AND client = ? AND document = ?
            """, .bytes(pusher.user.utf8), .bytes(pusher.client.utf8), .integer(document.value)
        ) { PusherRow($0, of: pusher, in: document) }
        if case .some(nil) = found { throw .damaged }
        return found??.entry
    }

    package func lastPush(
        of pusher: Pusher, in document: DocumentID
    ) throws(StoreFault) -> NewestPushes.Push? {
        try database.one(
            """
            SELECT seq, revision, used FROM author JOIN pusher ON author.id = pusher.author
            WHERE user = ? AND client = ? AND document = ?
            """, .bytes(pusher.user.utf8), .bytes(pusher.client.utf8), .integer(document.value)
        ) { NewestPushes.Push(seq: $0.integer(0), revision: $0.integer(1), time: $0.integer(2)) }
    }

    package func hasPusher(
        of document: DocumentID, usedBefore time: Int64
    ) throws(StoreFault) -> Bool {
        try database.one(
            "SELECT 1 FROM pusher WHERE document = ? AND used < ? LIMIT 1", .integer(document.value),
            .integer(time),
            read: { _ in true }) ?? false
    }

    package func authors(
        of document: DocumentID, usedBefore time: Int64, limit: Int
    ) throws(StoreFault) -> [Int64] {
        try database.every(
            "SELECT author FROM pusher WHERE document = ? AND used < ? ORDER BY used LIMIT ?",
            .integer(document.value), .integer(time), .integer(Int64(limit))
        ) { $0.integer(0) }
    }

    package func forEachPusher(
        of document: DocumentID, _ body: (Pusher, PusherEntry?) throws(StoreFault) -> Void
    ) throws(StoreFault) {
        let columns = PusherRow.columns.split(separator: ", ").map { "pusher.\($0)" }.joined(separator: ", ")
        try database.forEach(
            """
            SELECT \(columns), user, client FROM pusher LEFT JOIN author ON author.id = pusher.author
            WHERE document = ?
            """, [.integer(document.value)], orFault: StoreFault.database
        ) { (row: Row) throws(StoreFault) in
            let pusher = Pusher(
                user: ByteString(utf8: row.bytes(6)), client: ByteString(utf8: row.bytes(7)))
            try body(pusher, PusherRow(row, of: pusher, in: document)?.entry)
            return true
        }
    }

    package func number(of pusher: Pusher) throws(StoreFault) -> Int64? {
        try database.one(
            "SELECT id FROM author WHERE user = ? AND client = ?", .bytes(pusher.user.utf8),
            .bytes(pusher.client.utf8)
        ) { $0.integer(0) }
    }

    package func author(_ number: Int64) throws(StoreFault) -> Pusher? {
        try database.one("SELECT user, client FROM author WHERE id = ?", .integer(number)) { row in
            Pusher(user: ByteString(utf8: row.bytes(0)), client: ByteString(utf8: row.bytes(1)))
        }
    }
}
