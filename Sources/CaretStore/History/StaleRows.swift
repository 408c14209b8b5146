import CaretCore
import CaretLog

// A disk can lose a write and keep a page as it was. Its rows are whole and sound then, and older than the rows beside
// them: only a comparison tells.
extension HistoryReader {
    /// The newest segment must end where the document's row says that the head is. Called where the head is a
    /// snapshot, so that no segment was read; a small segment is read for its pushers.
    mutating func checkEnd(
        of document: DocumentRow, _ pushes: inout NewestPushes
    ) throws(StoreFault) {
        let (head, start) = (document.entry.head, document.entry.start)
        let found = try database.one(
            """
            SELECT last, length(body), after FROM segment WHERE document = ? ORDER BY first DESC LIMIT 1
            """, .integer(document.entry.id.value)
        ) { (last: $0.integer(0), bytes: $0.integer(1), after: Digest(bytes: $0.bytes(2))) }
        // What was trimmed is removed by and by.
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

    /// The most bytes of a segment that is read when a document opens. Reading longer ones made opening three times as
    /// slow. `verify` reads them all.
    private static let smallSegment: Int64 = 2048

    /// Each pusher's row names the last of the pusher's changes. An older row would let a push be committed twice.
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

    /// Whether an older pusher than this is remembered. Those who pushed longest ago are forgotten first, so nobody who
    /// pushed later was forgotten then.
    func hasPusher(of id: DocumentID, usedBefore time: Int64) throws(StoreFault) -> Bool {
        try database.one(
            "SELECT 1 FROM pusher WHERE document = ? AND used < ? LIMIT 1", .integer(id.value),
            .integer(time),
            read: { _ in true }) ?? false
    }
}
