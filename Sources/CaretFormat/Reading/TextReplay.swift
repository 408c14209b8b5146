package import CaretCore
package import CaretLog

/// A read of a history in steps, so that other reads can run between them. Each step reads from its own snapshot of the
/// database.
package protocol SteppedRead: Sendable {
    var document: DocumentID { get }

    /// Does the next step on one snapshot of the database. Returns the answer after the last step. If a step throws, it may
    /// be tried again.
    mutating func nextStep<Connection>(
        _ reader: inout HistoryReader<Connection>
    ) throws(Connection.Fault) -> StoreAnswer?
}

/// Rebuilds the text at an old revision in steps.
package struct TextReplay: SteppedRead {
    package let document: DocumentID
    let revision: Revision
    /// The document's part of the epoch of the history that is read; nil before the first step.
    private var epoch: UInt64?
    /// The text that was rebuilt so far.
    private var reached: CheckedText?

    /// A step ends after this number of changes, at the end of a segment. It takes a few milliseconds, and at
    /// most as long as a whole merged segment.
    package static let changesPerStep = 4096

    package init(_ document: DocumentID, at revision: Revision) {
        self.document = document
        self.revision = revision
    }

    package mutating func nextStep<Connection>(
        _ reader: inout HistoryReader<Connection>
    ) throws(Connection.Fault) -> StoreAnswer? {
        try step(&reader).map { .text(.success($0)) }
    }

    /// Does the next step. Returns the text after the last step.
    package mutating func step<Connection>(
        _ reader: inout HistoryReader<Connection>
    ) throws(Connection.Fault) -> Snapshot? {
        var replay = self
        defer { self = replay }
        return try reader.reading { reader throws(Connection.Fault) in try replay.read(&reader) }
    }

    private mutating func read<Connection>(
        _ reader: inout HistoryReader<Connection>
    ) throws(Connection.Fault) -> Snapshot? {
        let row = try reader.document(document)
        try reader.check(revision, of: row)
        // After a redaction the document has another history, so the replay starts again.
        if epoch != row.entry.epoch.document { (epoch, reached) = (row.entry.epoch.document, nil) }
        if revision == row.entry.head { return try reader.text(of: row, at: revision).snapshot }
        guard let start = try start(of: row, reader) else {
            return try reader.text(of: row, at: revision).snapshot
        }
        if start.snapshot.revision == revision { return start.snapshot }
        var (replay, text, left) = (
            Replay<Connection.Fault>(start), TextBuffer?.none, TextReplay.changesPerStep
        )
        try reader.forEachSegment(of: row, from: start.snapshot.revision.next) {
            stored throws(Connection.Fault) in
            if stored.last > revision {
                text = try replay.text(after: stored, at: revision)
                return false
            }
            try replay.apply(stored, through: stored.last)
            left -= stored.segment.changes.count
            return left > 0 && stored.last < revision
        }
        reached = replay.checked
        reader.cache?.add(replay.checked, of: row.entry)
        if let text { return Snapshot(revision: revision, text: text) }
        return replay.checked.snapshot.revision == revision ? replay.checked.snapshot : nil
    }

    /// The nearest known text before the revision: the one that was reached, a rung, or the newest snapshot.
    /// Nil if that snapshot is at the revision itself.
    private func start<Connection>(
        of row: DocumentRow, _ reader: HistoryReader<Connection>
    ) throws(Connection.Fault) -> CheckedText? {
        let stored = try reader.rows.newestSnapshotRevision(of: row.entry.id, through: revision)
        let known = [reached, reader.cache?.rung(of: row.entry, through: revision)].compactMap { $0 }
            .max { $0.snapshot.revision < $1.snapshot.revision }
        // The rows up to the start may have been trimmed since the last step.
        if let known, known.snapshot.revision >= max(stored, row.entry.start) { return known }
        return stored == revision ? nil : try reader.newestSnapshot(of: row, through: revision)
    }
}
