import CaretCore
import CaretLog

// A disk can lose a write and keep an old page. The rows of that page may look sound but are out of date. Only a
// comparison with other rows reveals them.
extension HistoryReader {
    /// Checks that the newest segment ends at the head of the document's row. Call this if a snapshot is at
    /// the head, because then no segment was read. Reads the segment's pushes if the segment is small.
    mutating func checkEnd(
        of document: DocumentRow, _ pushes: inout NewestPushes
    ) throws(Fault) {
        let (head, start) = (document.entry.head, document.entry.start)
        let found = try rows.lastSegment(of: document.entry.id)
        // After a trim to the head, the newest segment may be older than the head, or missing: upkeep removes
        // such segments in steps.
        if head == start, found.map({ $0.row.last <= Int64(head.value) }) ?? true { return }
        guard let found, found.row.last == Int64(head.value), found.row.after == document.chain.value else {
            throw .damaged
        }
        if found.bytes > StaleRows.smallSegment { return }
        try forEachSegment(of: document, from: head) { stored throws(Fault) in
            pushes.add(stored.segment)
            return true
        }
    }

    /// Checks that each pusher's row has the pusher's last push. With an older row the store could commit a
    /// push twice.
    func check(_ pushes: NewestPushes, of document: DocumentRow) throws(Fault) {
        let id = document.entry.id
        for (pusher, newest) in pushes.newest {
            if let found = try rows.lastPush(of: pusher, in: id) {
                if found != newest { throw .damaged }
                // The store forgets the oldest pushers first. So if there is an older pusher, no pusher with a later push
                // was forgotten.
            } else if try rows.hasPusher(of: id, usedBefore: newest.time) {
                throw .damaged
            }
        }
    }
}

private enum StaleRows {
    /// The most bytes of a segment that `checkEnd` reads. Reading larger segments made opening a document
    /// three times as slow. `verify` reads all segments.
    static let smallSegment = 2048
}
