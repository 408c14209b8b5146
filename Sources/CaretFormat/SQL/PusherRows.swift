import CaretLog

// The rows of pushers and of their authors.
extension SQLRows {
    func entry(of pusher: Pusher, in document: DocumentID) throws(Fault) -> PusherEntry? {
        try connection.one(
            PusherRow.selection(dialect), values: values(of: pusher, in: document)
        ) { row throws(DamagedRow) in try PusherRow(row, of: pusher, in: document, dialect).entry }
    }

    /// The last push of a pusher, as its row has it.
    func lastPush(of pusher: Pusher, in document: DocumentID) throws(Fault) -> NewestPushes.Push? {
        try connection.one(
            PusherRow.selection(dialect), values: values(of: pusher, in: document)
        ) { row throws(DamagedRow) in
            NewestPushes.Push(
                seq: try row.integer(1), revision: try row.integer(2), time: try row.integer(4))
        }
    }

    private func values(of pusher: Pusher, in document: DocumentID) -> [SQLValue] {
        [.bytes(pusher.user.utf8), .bytes(pusher.client.utf8), .id(document)]
    }

    /// Returns true if any pusher of the document last pushed before `time`.
    func hasPusher(of document: DocumentID, usedBefore time: Int64) throws(Fault) -> Bool {
        try connection.hasRow(
            "SELECT 1 FROM pusher WHERE document = $1 AND used < $2 LIMIT 1", .id(document), .integer(time))
    }

    /// The authors who last pushed before `time`, oldest first.
    func authors(
        of document: DocumentID, usedBefore time: Int64, limit: Int
    ) throws(Fault) -> [Int64] {
        try connection.every(
            "SELECT author FROM pusher WHERE document = $1 AND used < $2 ORDER BY used LIMIT $3",
            .id(document), .integer(time), .count(limit)
        ) { row throws(DamagedRow) in try row.integer(0) }
    }

    /// All pushers of a document; nil if there are more than `most`.
    func pushers(of document: DocumentEntry, atMost most: Int) throws(Fault) -> [KnownPusher]? {
        if most == 0 { return nil }
        var pushers: [KnownPusher] = []
        try forEachPusher(of: document.id, atMost: most + 1) { pusher, entry throws(Fault) in
            guard let entry, entry.revision <= document.head else { throw .damaged }
            pushers.append(KnownPusher(pusher, entry))
        }
        return pushers.count > most ? nil : pushers
    }

    /// Calls `body` with the pushers of a document. The entry of a damaged row is nil.
    func forEachPusher(
        of document: DocumentID, atMost most: Int = .max, _ body: (Pusher, PusherEntry?) throws(Fault) -> Void
    ) throws(Fault) {
        let author: Int32 = dialect.hasSums ? 6 : 5
        try connection.forEach(
            """
            SELECT \(PusherRow.columns(dialect)), \(dialect.user), client FROM pusher
            LEFT JOIN author ON author.id = pusher.author WHERE document = $1 ORDER BY pusher.author
            LIMIT $2
            """, [.id(document), .count(most)],
            read: { row in
                let pusher = row.pusher(author)
                return (pusher, entry: (try? PusherRow(row, of: pusher, in: document, dialect))?.entry)
            },
            body: { found throws(Fault) in
                try body(found.0, found.entry)
                return true
            })
    }

    /// The number of a pusher; nil if the store does not know the pusher.
    func number(of pusher: Pusher) throws(Fault) -> Int64? {
        try connection.one(
            "SELECT id FROM author WHERE \(dialect.user) = $1 AND client = $2", .bytes(pusher.user.utf8),
            .bytes(pusher.client.utf8)
        ) { row throws(DamagedRow) in try row.integer(0) }
    }

    func author(_ number: Int64) throws(Fault) -> Pusher? {
        try connection.one(
            "SELECT \(dialect.user), client FROM author WHERE id = $1", .integer(number)
        ) { row throws(DamagedRow) in row.pusher(0) }
    }
}
