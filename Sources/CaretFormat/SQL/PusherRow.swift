import CaretCore
package import CaretLog

/// A row of `pusher`, with its author.
package struct PusherRow {
    package let document: DocumentID
    package let author: Int64
    private let pusher: Pusher
    package let entry: PusherEntry

    package init(document: DocumentID, author: Int64, pusher: Pusher, entry: PusherEntry) {
        self.document = document
        self.author = author
        self.pusher = pusher
        self.entry = entry
    }

    /// The columns, in a statement that also reads from `author`.
    static func columns(_ dialect: SQLDialect) -> String {
        "pusher.author, pusher.seq, pusher.revision, pusher.digest, pusher.used"
            + (dialect.hasSums ? ", pusher.sum" : "")
    }

    /// The statement that reads the row of a pusher in a document.
    static func selection(_ dialect: SQLDialect) -> String { dialect.hasSums ? fromSQLite : fromPostgres }

    private static let (fromSQLite, fromPostgres) = (select(.sqlite), select(.postgres))

    private static func select(_ dialect: SQLDialect) -> String {
        """
        SELECT \(columns(dialect)) FROM author JOIN pusher ON author.id = pusher.author
        WHERE \(dialect.user) = $1 AND client = $2 AND document = $3
        """
    }

    package init(
        _ row: SQLRow, of pusher: Pusher, in document: DocumentID, _ dialect: SQLDialect
    ) throws(DamagedRow) {
        self.init(
            document: document, author: try row.integer(0), pusher: pusher,
            entry: PusherEntry(
                seq: try row.integer(1), revision: try row.revision(2), digest: try row.digest(3),
                used: try row.integer(4)))
        if dialect.hasSums { try row.check(sum, 5) }
        if !entry.isPlausible { throw DamagedRow(reason: "a row of pusher has a number that no push has") }
    }

    /// The checksum of the row.
    package var sum: Int64 {
        var sum = RowSum()
        sum.update(document.value)
        sum.update(author)
        sum.update(entry.seq)
        sum.update(Int64(entry.revision.value))
        sum.update(entry.used)
        sum.update(entry.digest)
        sum.update(pusher.user.utf8)
        sum.update(pusher.client.utf8)
        return sum.value()
    }
}
