import CaretCore
package import CaretLog

/// Reads a document's history three times: forward to find the passage, backward to find who wrote it, and
/// forward again to rewrite the history.
struct RedactionReader<Rows: HistoryRows> {
    typealias Fault = Rows.Fault

    private let redaction: Redaction
    private let row: DocumentRow
    private let start: CheckedText
    private var search: PassageSearch
    /// The first revision of each segment, and whether it is stored as it was appended.
    private var segments: [(first: Revision, isPlain: Bool)] = []
    /// The changes that inserted a part of the passage, the newest first.
    private var changes: [(revision: Revision, logged: LoggedChange)] = []

    init(_ redaction: Redaction, of row: DocumentRow, _ reader: HistoryReader<Rows>) throws(Fault) {
        self.redaction = redaction
        self.row = row
        start = try reader.newestSnapshot(of: row, through: row.entry.start)
        guard start.snapshot.revision == row.entry.start else { throw .damaged }
        search = PassageSearch(redaction.passage, in: start.snapshot)
    }

    mutating func prepared(_ reader: inout HistoryReader<Rows>) throws(Fault) -> PreparedRedaction {
        try find(&reader)
        var origins = PassageOrigins(search)
        if search.revisions > 0, try !trace(&origins, &reader) { return .tooFrequent }
        var authors = PassageAuthors()
        for (revision, logged) in changes.reversed() { authors.add(logged, at: revision) }
        let report = RedactionReport(
            search, authors: authors.authors, changed: authors.changes, epoch: row.entry.epoch)
        if redaction.isDryRun || search.revisions == 0 { return .found(report, nil) }
        return .found(report, try rewritten(origins, &reader))
    }

    private mutating func find(_ reader: inout HistoryReader<Rows>) throws(Fault) {
        var (search, segments) = (search, segments)
        let (rows, id) = (reader.rows, row.entry.id)
        if row.entry.start < row.entry.head {
            try reader.forEachSegment(of: row, from: row.entry.start.next) { stored throws(Fault) in
                // The history begins with a segment of its own.
                guard stored.segment.first == search.head.revision.next else { throw .damaged }
                segments.append((stored.segment.first, try rows.isPlain(stored.row, of: id)))
                try RedactionReader.apply { () throws(ChangeError) in
                    for change in stored.segment.changes { try search.add(change) }
                }
                return true
            }
        }
        (self.search, self.segments) = (search, segments)
    }

    /// Returns false if the passage occurs too often.
    private mutating func trace(
        _ origins: inout PassageOrigins, _ reader: inout HistoryReader<Rows>
    ) throws(Fault) -> Bool {
        for (first, _) in segments.reversed() {
            let segment = try segment(from: first, &reader)
            for index in segment.changes.indices.reversed() {
                let revision = Revision(segment.first.value + index)
                origins.add(segment.changes[index], at: revision)
                if origins.inserted[revision] != nil { changes.append((revision, segment.changes[index])) }
            }
            if origins.work > RedactionWork.most { return false }
        }
        return true
    }

    private func segment(from first: Revision, _ reader: inout HistoryReader<Rows>) throws(Fault) -> Segment {
        var found: Segment?
        try reader.forEachSegment(of: row, from: first) { stored throws(Fault) in
            found = stored.segment
            return false
        }
        guard let found else { throw .damaged }
        return found
    }

    private func rewritten(
        _ origins: PassageOrigins, _ reader: inout HistoryReader<Rows>
    ) throws(Fault) -> RedactionPlan {
        var (origins, snapshots, new) = (origins, [StoredSnapshot](), [EncodedSegment]())
        let letters = origins.letters(atStart: row.entry.start)
        var entry = row.entry
        let epoch = UInt64.random(in: .min ... .max)
        entry.epoch = Epoch(generation: entry.epoch.generation, document: epoch)
        guard
            var history = try? RedactedHistory(redaction.passage, origins, start.snapshot, letters)
        else { throw .damaged }
        var chain = Chain(of: entry.epoch)
        let revisions = Set(
            try reader.rows.snapshotRevisions(of: row.entry.id, from: row.entry.start))
        func keepSnapshot(_ chain: Chain) {
            if !revisions.contains(history.head.revision) { return }
            let checked = CheckedText(snapshot: history.head, chain: chain)
            snapshots.append(StoredSnapshot(checked, of: entry))
        }
        keepSnapshot(chain)
        for (first, isPlain) in segments {
            let segment = try segment(from: first, &reader)
            var changes: [LoggedChange] = []
            for logged in segment.changes {
                try RedactionReader.apply { () throws(ChangeError) in changes.append(try history.next(logged))
                }
                if revisions.contains(history.head.revision) {
                    keepSnapshot(chain.extended(by: changes[...], from: first))
                }
            }
            let encoded = try reader.encoded(
                Segment(first: first, changes: changes), after: chain, packing: isPlain ? .plain : .deflated)
            new.append(encoded)
            chain = encoded.after
        }
        return RedactionPlan(
            old: row.entry, epoch: epoch, segments: new, snapshots: snapshots, chain: chain,
            length: history.head.text.length)
    }

    /// A change that does not fit its text shows that the history is damaged.
    private static func apply(_ body: () throws(ChangeError) -> Void) throws(Fault) {
        do throws(ChangeError) { try body() } catch { throw .damaged }
    }
}

extension UpkeepReader {
    package mutating func prepared(
        _ redaction: Redaction, of document: DocumentID
    ) -> Result<PreparedRedaction, Fault> {
        reading { reader throws(Fault) in
            var redacting = try RedactionReader(redaction, of: reader.document(document), reader)
            return try redacting.prepared(&reader)
        }
    }
}

private enum RedactionWork {
    /// About ten seconds of work.
    static let most = 1_000_000_000
}
