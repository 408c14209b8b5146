import CaretCore
import CaretLog

/// The thresholds that decide when upkeep is due.
package enum UpkeepPolicy {
    /// Upkeep merges appended segments as soon as there are this many.
    package static let unmergedLimit = 64
    /// Upkeep merges merged segments again as soon as there are this many of similar size.
    package static let fanOut = 16
    /// In an idle document, upkeep merges as soon as there are this many appended or merged segments.
    package static let fanOutWhenIdle = 4
    /// A step is prepared again if the history has changed meanwhile. After this many attempts in a row, the rows
    /// probably contradict each other.
    package static let attempts = 100
    /// A document without changes for this time is idle, in milliseconds.
    package static let idle: Int64 = 60_000

    /// An older snapshot stays if the history before it is at least this many times as long as the snapshot,
    /// in stored bytes.
    package static let snapshotShare = 32

    /// The next snapshot is due when more changes than this follow the newest snapshot. Replaying this many
    /// changes takes about as long as reading the text. One change takes about as long as decompressing and
    /// checking 150 bytes.
    package static func mostChanges(sinceSnapshotOf utf8: Int) -> Int { max(256, utf8 / 150) }

    /// The next snapshot is due when the changes after the newest snapshot have more bytes than this.
    package static func mostWeight(sinceSnapshotOf utf8: Int) -> Int { max(256 << 10, 2 * utf8) }

    /// In an idle document a snapshot is due after fewer changes. If a few changes inserted the whole text,
    /// the document needs no snapshot: reading its segment is just as fast.
    package static func isSnapshotDue(_ row: DocumentRow, isIdle: Bool = false) -> Bool {
        let utf8 = row.entry.length.utf8
        let changes = row.entry.head.value - row.snapshot.value
        // `bytesSinceSnapshot` may be too high, so ignore it if no changes follow the snapshot.
        return changes > mostChanges(sinceSnapshotOf: utf8) / (isIdle ? 8 : 1)
            || changes > 0 && row.bytesSinceSnapshot > mostWeight(sinceSnapshotOf: utf8)
    }

    package static func isDue(_ row: DocumentRow) -> Bool {
        row.unmergedSegments >= unmergedLimit || isSnapshotDue(row)
    }

    /// The pause between two runs of upkeep. A document with constant writes is always due. With a longer
    /// pause more segments are merged at once, and each revision is compressed less often. The changes
    /// appended during one pause can be read within about ten milliseconds.
    package static let pause = Duration.milliseconds(250)

    /// The size of a database's page, for estimates of how much a step writes.
    static let pageSize = 4096
    /// A transaction gets no further step once its steps write this number of rows and pages. The whole
    /// transaction takes about two milliseconds of the writer's time.
    package static let weightPerTransaction = 1024
    /// The most segments that one step merges.
    package static let segmentsAtOnce = 512

    /// The most rows that one step removes. This limit and the next two keep a step from delaying the writer.
    package static let rowsAtOnce = 64
    package static let bytesAtOnce = 1 << 20
    package static let pushersAtOnce = 256
    /// The most notes whose places one step moves.
    static let notesAtOnce = 256
    /// The pages that one step returns to the file system.
    package static let pagesAtOnce = 128
}

extension Int64 {
    /// This time minus `length`, clamped to the range of the type.
    package func minus(_ length: Int64) -> Int64 {
        let (result, hasOverflowed) = subtractingReportingOverflow(length)
        return hasOverflowed ? (length > 0 ? .min : .max) : result
    }
}
