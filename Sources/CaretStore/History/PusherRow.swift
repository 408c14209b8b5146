import CaretCore
import CaretFormat
import CaretLog

/// A row of `pusher`, with its author.
struct PusherRow {
    static let columns = "author, seq, revision, digest, used, sum"

    let document: DocumentID
    let author: Int64
    let pusher: Pusher
    let entry: PusherEntry

    init(document: DocumentID, author: Int64, pusher: Pusher, entry: PusherEntry) {
        self.document = document
        self.author = author
        self.pusher = pusher
        self.entry = entry
    }

    /// Nil if the row is damaged.
    init?(_ row: Row, of pusher: Pusher, in document: DocumentID) {
        guard let digest = Digest(bytes: row.bytes(3)) else { return nil }
        self.document = document
        self.pusher = pusher
        author = row.integer(0)
        entry = PusherEntry(
            seq: row.integer(1), revision: Revision(Int(row.integer(2))), digest: digest, used: row.integer(4)
        )
        if sum != row.integer(5) || !entry.isPlausible { return nil }
    }

    /// Writes the row, and replaces an older row of the same author in the same document.
    func write(_ database: Database) throws(StoreFault) {
        try database.write(
            """
            INSERT INTO pusher (document, author, seq, revision, digest, used, sum) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (document, author) DO UPDATE SET seq = excluded.seq, revision = excluded.revision,
            digest = excluded.digest, used = excluded.used, sum = excluded.sum
            """
        ) { row in
            row.next(document.value)
            row.next(author)
            row.next(entry.seq)
            row.next(entry.revision.value)
            row.next(entry.digest)
            row.next(entry.used)
            row.next(sum)
        }
    }

    var sum: Int64 {
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
