import CaretCore
import CaretLog

/// When something is due, as numbers.
package enum UpkeepPolicy {
    /// So many segments as they were appended are merged.
    static let loose = 64
    /// So many merged ones of one size are merged again.
    static let fanOut = 16
    /// And so many of any size once nobody writes any more.
    static let fanOutWhenIdle = 4
    /// A document that nobody has changed for so long is idle, in milliseconds.
    package static let idle: Int64 = 60_000

    /// An older snapshot is worth its place where the history in front of it takes so many times as many bytes.
    static let snapshotShare = 32

    /// So many changes behind the newest snapshot cost about what reading the text costs: a change is replayed in
    /// about the time in which 150 bytes are unpacked and checked.
    package static func mostChanges(behindSnapshotOf utf8: Int) -> Int { max(256, utf8 / 150) }

    /// And so much of inserted text.
    package static func mostWeight(behindSnapshotOf utf8: Int) -> Int { max(256 << 10, 2 * utf8) }

    /// Once nobody writes any more a snapshot is made for the last time, so it is due with fewer changes behind it; a
    /// text that came at once is as well read from its segment.
    static func isSnapshotDue(_ row: DocumentRow, isIdle: Bool = false) -> Bool {
        let utf8 = row.entry.length.utf8
        let changes = row.entry.head.value - row.snapshot.value
        // What is counted as behind the newest snapshot may be too much, but never where there is nothing.
        return changes > mostChanges(behindSnapshotOf: utf8) / (isIdle ? 8 : 1)
            || changes > 0 && row.behind > mostWeight(behindSnapshotOf: utf8)
    }

    static func isDue(_ row: DocumentRow) -> Bool { row.loose >= loose || isSnapshotDue(row) }

    /// Between two goes at what has become due. A document that is being written to all the time is due all the time:
    /// the more is joined at once, the less often it is packed anew. It is as long as what came meanwhile is read in some
    /// ten milliseconds.
    static let pause = Duration.milliseconds(250)

    /// Steps are put in place in one transaction until they are so many rows and pages, which is about two
    /// milliseconds of the writer with the last of them.
    static let doneAtOnce = 1024
    /// Segments that one step joins.
    static let joinedAtOnce = 512

    /// Rows, and bytes of them, that one step removes, so that the writer is not held up.
    static let rowsAtOnce = 64
    static let bytesAtOnce = 1 << 20
    static let pushersAtOnce = 256
    /// Pages that one step gives back to the file system.
    static let pagesAtOnce = 128
}

extension Int64 {
    /// A time so much earlier, or the earliest of all.
    func less(_ length: Int64) -> Int64 {
        let (result, hasOverflowed) = subtractingReportingOverflow(length)
        return hasOverflowed ? (length > 0 ? .min : .max) : result
    }
}
