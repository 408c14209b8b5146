import CaretCore
import CaretFormat
import CaretLog

// A disk can lose a write and keep an old page. The rows of that page have correct checksums but are out of
// date. Only a comparison with other rows reveals them.
extension HistoryReader {
    /// Checks that the newest segment ends at the head of the document's row. Call this if a snapshot is at
    /// the head, because then no segment was read. Reads the segment's pushes if the segment is small.
    mutating func checkEnd(
        of document: DocumentRow, _ pushes: inout NewestPushes
    ) throws(StoreFault) {
        let (head, start) = (document.entry.head, document.entry.start)
        let found = try database.one(
            """
            SELECT last, length(body), after FROM segment WHERE document = ? ORDER BY first DESC LIMIT 1
            """, .integer(document.entry.id.value)
        ) { (last: $0.integer(0), bytes: $0.integer(1), after: Digest(bytes: $0.bytes(2))) }
        // After a trim to the head, the newest segment may be older than the head, or missing: upkeep removes
        // such segments in steps.
        if head == start, found.map({ $0.last <= Int64(head.value) }) ?? true { return }
        guard let found, found.last == Int64(head.value), found.after == document.chain.value else {
            throw .damaged
        }
        if found.bytes > HistoryReader.smallSegment { return }
        try forEachSegment(of: document, from: head) { stored throws(StoreFault) in
            pushes.add(stored.segment)
            return true
        }
    }

    /// The most bytes of a segment that `checkEnd` reads. Reading larger segments made opening a document
    /// three times as slow. `verify` reads all segments.
    private static let smallSegment: Int64 = 2048

    /// Checks that each pusher's row has the pusher's last push. With an older row the store could commit a
    /// push twice.
    func check(_ pushes: NewestPushes, of document: DocumentRow) throws(StoreFault) {
        let id = document.entry.id
        for (pusher, newest) in pushes.newest {
            let found = try database.one(
                """
                SELECT seq, revision, used FROM author JOIN pusher ON author.id = pusher.author
                WHERE user = ? AND client = ? AND document = ?
                """, .bytes(pusher.user.utf8), .bytes(pusher.client.utf8), .integer(id.value)
            ) { NewestPushes.Push(seq: $0.integer(0), revision: $0.integer(1), time: $0.integer(2)) }
            if let found {
                if found != newest { throw .damaged }
            } else if try hasPusher(of: id, usedBefore: newest.time) {
                throw .damaged
            }
        }
    }

    /// Whether the document has a pusher whose last push is older than `time`. The store forgets the oldest
    /// pushers first. So if such a pusher exists, no pusher with a later push was forgotten.
    func hasPusher(of id: DocumentID, usedBefore time: Int64) throws(StoreFault) -> Bool {
        try database.one(
            "SELECT 1 FROM pusher WHERE document = ? AND used < ? LIMIT 1", .integer(id.value),
            .integer(time),
            read: { _ in true }) ?? false
    }
}
