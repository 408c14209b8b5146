import CaretCore
package import CaretLog

/// Reads a document's history three times: forward to find the passage, backward to find who wrote it, and
/// forward again to rewrite the history. It does so in steps, so that other calls can run between them.
package struct RedactionReader<Connection: SQLConnection> {
    typealias Fault = Connection.Fault

    private enum Phase {
        case finding
        /// The segments before `end` were not read yet.
        case tracing(PassageOrigins, end: Int)
        case rewriting(Rewriting)
    }

    private let redaction: Redaction
    private let row: DocumentRow
    private let start: CheckedText
    private var search: PassageSearch
    private var phase = Phase.finding
    private var report: RedactionReport?
    /// The revisions of each segment, and whether it is stored as it was appended.
    private var segments: [(first: Revision, last: Revision, isPlain: Bool)] = []
    /// The changes that inserted a part of the passage, the newest first.
    private var changes: [(revision: Revision, logged: LoggedChange)] = []

    init(_ redaction: Redaction, of row: DocumentRow, _ reader: HistoryReader<Connection>) throws(Fault) {
        self.redaction = redaction
        self.row = row
        start = try reader.newestSnapshot(of: row, through: row.entry.start)
        guard start.snapshot.revision == row.entry.start else { throw .damaged }
        search = PassageSearch(redaction.passage, in: start.snapshot)
    }

    /// Does the next step on one snapshot of the database. Returns nil if more steps follow.
    mutating func step(_ reader: inout HistoryReader<Connection>) throws(Fault) -> PreparedRedaction? {
        let entry = try reader.document(row.entry.id).entry
        guard entry.epoch == row.entry.epoch, entry.head == row.entry.head, entry.start == row.entry.start
        else { return .changed }
        switch phase {
        case .finding: return try find(&reader)
        case .tracing(var origins, var end): return try trace(&origins, until: &end, &reader)
        case .rewriting(var rewriting): return try rewrite(&rewriting, &reader)
        }
    }

    // MARK: Finding

    private mutating func find(_ reader: inout HistoryReader<Connection>) throws(Fault) -> PreparedRedaction?
    {
        var (search, segments, left) = (search, segments, TextReplay.changesPerStep)
        let (rows, id, isFirst) = (reader.rows, row.entry.id, segments.isEmpty)
        var isMerged = false
        if search.head.revision < row.entry.head {
            try reader.forEachSegment(of: row, from: search.head.revision.next) { stored throws(Fault) in
                guard stored.segment.first == search.head.revision.next else {
                    // The history begins with a segment of its own. Later ones may be merged between two steps.
                    if isFirst { throw .damaged }
                    isMerged = true
                    return false
                }
                segments.append(
                    (stored.segment.first, stored.last, try rows.isPlain(stored.segment.first, of: id)))
                try RedactionReader.apply { () throws(ChangeError) in
                    for change in stored.segment.changes { try search.add(change) }
                }
                left -= stored.segment.changes.count
                return left > 0 || stored.last == row.entry.head
            }
        }
        if isMerged { return .changed }
        (self.search, self.segments) = (search, segments)
        if search.head.revision < row.entry.head { return nil }
        if search.revisions == 0 { return try traced(PassageOrigins(search), reader) }
        phase = .tracing(PassageOrigins(search), end: segments.count)
        return nil
    }

    // MARK: Tracing

    private mutating func trace(
        _ origins: inout PassageOrigins, until end: inout Int, _ reader: inout HistoryReader<Connection>
    ) throws(Fault) -> PreparedRedaction? {
        var left = TextReplay.changesPerStep
        while end > 0, left > 0 {
            end -= 1
            guard let segment = try segment(end, &reader) else { return .changed }
            for index in segment.changes.indices.reversed() {
                let revision = Revision(segment.first.value + index)
                origins.add(segment.changes[index], at: revision)
                if origins.inserted[revision] != nil { changes.append((revision, segment.changes[index])) }
            }
            if origins.work > RedactionWork.most { return .tooFrequent }
            left -= segment.changes.count
        }
        if end == 0 { return try traced(origins, reader) }
        phase = .tracing(origins, end: end)
        return nil
    }

    private mutating func traced(
        _ origins: PassageOrigins, _ reader: HistoryReader<Connection>
    ) throws(Fault) -> PreparedRedaction? {
        var authors = PassageAuthors()
        for (revision, logged) in changes.reversed() { authors.add(logged, at: revision) }
        let notes = try reader.rows.notes(of: row.entry.id)
        let report = RedactionReport(
            search, notes: notes.count { $0.content.redacted(redaction.passage) != nil },
            authors: authors.authors, changed: authors.changes, epoch: row.entry.epoch)
        if redaction.isDryRun || !report.changes { return .found(report, nil) }
        self.report = report
        phase = .rewriting(try Rewriting(of: row, origins, redaction, start, reader))
        return nil
    }

    /// A segment that was found; nil if it was merged since then.
    private func segment(
        _ index: Int, _ reader: inout HistoryReader<Connection>
    ) throws(Fault) -> Segment? {
        var found: StoredSegment?
        try reader.forEachSegment(of: row, from: segments[index].first) { stored throws(Fault) in
            found = stored
            return false
        }
        guard let found else { throw .damaged }
        let isSame = found.segment.first == segments[index].first && found.last == segments[index].last
        return isSame ? found.segment : nil
    }

    // MARK: Rewriting

    /// What was rewritten so far.
    private struct Rewriting {
        let epoch: UInt64
        var entry: DocumentEntry
        var history: RedactedHistory
        var chain: Chain
        var segments: [EncodedSegment] = []
        var snapshots: [StoredSnapshot] = []
        /// What the last step has rewritten, to be compressed before the next one.
        var newSegments: [Unpacked<EncodedSegment>] = []
        var newSnapshots: [CheckedText] = []
        /// The revisions of the snapshots to keep.
        let revisions: Set<Revision>

        init(
            of row: DocumentRow, _ origins: PassageOrigins, _ redaction: Redaction, _ start: CheckedText,
            _ reader: HistoryReader<Connection>
        ) throws(Fault) {
            var origins = origins
            let letters = origins.letters(atStart: row.entry.start)
            guard
                let history = try? RedactedHistory(redaction.passage, origins, start.snapshot, letters)
            else { throw .damaged }
            (self.history, entry, epoch) = (history, row.entry, .random(in: .min ... .max))
            entry.epoch = Epoch(generation: entry.epoch.generation, document: epoch)
            chain = Chain(of: entry.epoch)
            revisions = Set(try reader.rows.snapshotRevisions(of: row.entry.id, from: row.entry.start))
            if isSnapshotKept { keepSnapshot(chain) }
        }

        var isSnapshotKept: Bool { revisions.contains(history.head.revision) }

        mutating func keepSnapshot(_ chain: Chain) {
            newSnapshots.append(CheckedText(snapshot: history.head, chain: chain))
        }

        mutating func pack() {
            segments += newSegments.map { $0.packed() }
            snapshots += newSnapshots.map { StoredSnapshot($0, of: entry) }
            (newSegments, newSnapshots) = ([], [])
        }
    }

    /// Compresses what the last step has rewritten. Needs no connection.
    package func packed() -> RedactionReader {
        guard case .rewriting(var rewriting) = phase else { return self }
        var packed = self
        rewriting.pack()
        packed.phase = .rewriting(rewriting)
        return packed
    }

    private mutating func rewrite(
        _ rewriting: inout Rewriting, _ reader: inout HistoryReader<Connection>
    ) throws(Fault) -> PreparedRedaction? {
        if rewriting.segments.count == segments.count, let report {
            return .found(
                report,
                RedactionPlan(
                    old: row.entry, without: redaction.passage, epoch: rewriting.epoch,
                    segments: rewriting.segments, snapshots: rewriting.snapshots, chain: rewriting.chain,
                    length: rewriting.history.head.text.length))
        }
        var left = TextReplay.changesPerStep
        for index in rewriting.segments.count..<segments.count where left > 0 {
            guard let segment = try segment(index, &reader) else { return .changed }
            var changes: [LoggedChange] = []
            for logged in segment.changes {
                try RedactionReader.apply { () throws(ChangeError) in
                    changes.append(try rewriting.history.next(logged))
                }
                if rewriting.isSnapshotKept {
                    let chain = rewriting.chain.extended(by: changes[...], from: segment.first)
                    rewriting.keepSnapshot(chain)
                }
            }
            let new = try reader.unpacked(
                Segment(first: segment.first, changes: changes), after: rewriting.chain,
                packing: segments[index].isPlain ? .plain : .deflated)
            rewriting.newSegments.append(new)
            rewriting.chain = rewriting.chain.extended(by: changes[...], from: segment.first)
            left -= segment.changes.count
        }
        phase = .rewriting(rewriting)
        return nil
    }

    /// A change that does not fit its text shows that the history is damaged.
    private static func apply(_ body: () throws(ChangeError) -> Void) throws(Fault) {
        do throws(ChangeError) { try body() } catch { throw .damaged }
    }
}

extension UpkeepReader {
    /// Does the next step. Then the result must be packed.
    package mutating func step(
        _ redaction: RedactionReader<Connection>
    ) -> Result<(RedactionReader<Connection>, PreparedRedaction?), Fault> {
        var redaction = redaction
        return reading { reader throws(Fault) in
            let prepared = try redaction.step(&reader)
            return (redaction, prepared)
        }
    }

    package mutating func begin(
        _ redaction: Redaction, of document: DocumentID
    ) -> Result<RedactionReader<Connection>, Fault> {
        reading { reader throws(Fault) in
            try RedactionReader(redaction, of: reader.document(document), reader)
        }
    }
}

private enum RedactionWork {
    /// About ten seconds of work.
    static let most = 1_000_000_000
}
