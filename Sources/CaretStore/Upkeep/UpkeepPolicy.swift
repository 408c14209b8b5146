import CaretCore
import CaretLog

/// The thresholds that decide when upkeep is due.
package enum UpkeepPolicy {
    /// This number of appended segments is merged.
    static let unmergedLimit = 64
    /// This number of merged segments of similar size is merged again.
    static let fanOut = 16
    /// In an idle document, this number of appended or merged segments is merged.
    static let fanOutWhenIdle = 4
    /// A document without changes for this time is idle, in milliseconds.
    package static let idle: Int64 = 60_000

    /// An older snapshot stays if the history before it is at least this many times as long as the snapshot,
    /// in stored bytes.
    static let snapshotShare = 32

    /// The most changes after a snapshot before the next one is due. To replay so many takes about as long as
    /// to read the text: a change is replayed in about the time in which 150 bytes are decompressed and
    /// checked.
    package static func mostChanges(sinceSnapshotOf utf8: Int) -> Int { max(256, utf8 / 150) }

    /// The most weight of the changes after a snapshot before the next one is due.
    package static func mostWeight(sinceSnapshotOf utf8: Int) -> Int { max(256 << 10, 2 * utf8) }

    /// An idle document gets a last snapshot, so it is due after fewer changes. A text that was inserted by a
    /// few changes needs none: it can be read from its segment just as fast.
    static func isSnapshotDue(_ row: DocumentRow, isIdle: Bool = false) -> Bool {
        let utf8 = row.entry.length.utf8
        let changes = row.entry.head.value - row.snapshot.value
        // `bytesSinceSnapshot` may be too high, but it does not count if there are no changes after the snapshot.
        return changes > mostChanges(sinceSnapshotOf: utf8) / (isIdle ? 8 : 1)
            || changes > 0 && row.bytesSinceSnapshot > mostWeight(sinceSnapshotOf: utf8)
    }

    static func isDue(_ row: DocumentRow) -> Bool {
        row.unmergedSegments >= unmergedLimit || isSnapshotDue(row)
    }

    /// The pause between two runs of upkeep. A document with constant writes is always due. With a longer
    /// pause more segments are merged at once, and each revision is compressed less often. What is appended
    /// during a pause can be read within about ten milliseconds.
    static let pause = Duration.milliseconds(250)

    /// One transaction commits steps up to this number of rows and pages. With the last step that takes about
    /// two milliseconds of the writer's time.
    static let doneAtOnce = 1024
    /// The most segments that one step merges.
    static let joinedAtOnce = 512

    /// The most rows, and bytes of them, that one step removes, so that the writer is not delayed.
    static let rowsAtOnce = 64
    static let bytesAtOnce = 1 << 20
    static let pushersAtOnce = 256
    /// The pages that one step returns to the file system.
    static let pagesAtOnce = 128
}

extension Int64 {
    /// This time minus `length`, clamped to the range of the type.
    func less(_ length: Int64) -> Int64 {
        let (result, hasOverflowed) = subtractingReportingOverflow(length)
        return hasOverflowed ? (length > 0 ? .min : .max) : result
    }
}
