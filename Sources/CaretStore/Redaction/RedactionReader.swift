import CaretCore
package import CaretFormat
package import CaretLog

/// Reads a document's history three times: forward to find the passage, backward to find who wrote it, and
/// forward again to rewrite the history.
struct RedactionReader {
    private let redaction: Redaction
    private let row: DocumentRow
    private let start: CheckedText
    private var search: PassageSearch
    /// The first revision of each segment, and whether it is stored as it was appended.
    private var segments: [(first: Revision, isPlain: Bool)] = []
    /// The changes that inserted a part of the passage, the newest first.
    private var changes: [(revision: Revision, logged: LoggedChange)] = []

    /// About ten seconds of work.
    static let mostWork = 1_000_000_000

    init(_ redaction: Redaction, of row: DocumentRow, _ reader: HistoryReader) throws(StoreFault) {
        self.redaction = redaction
        self.row = row
        start = try reader.newestSnapshot(of: row, through: row.entry.start)
        guard start.snapshot.revision == row.entry.start else { throw .damaged }
        search = PassageSearch(redaction.passage, in: start.snapshot)
    }

    mutating func prepared(_ reader: inout HistoryReader) throws(StoreFault) -> PreparedRedaction {
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

    private mutating func find(_ reader: inout HistoryReader) throws(StoreFault) {
        var (search, segments) = (search, segments)
        let rows = reader
        if row.entry.start < row.entry.head {
            try reader.forEachSegment(of: row, from: row.entry.start.next) { stored throws(StoreFault) in
                // The history begins with a segment of its own.
                guard stored.segment.first == search.head.revision.next else { throw .damaged }
                segments.append((stored.segment.first, try rows.isPlain(stored.row)))
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
        _ origins: inout PassageOrigins, _ reader: inout HistoryReader
    ) throws(StoreFault) -> Bool {
        for (first, _) in segments.reversed() {
            let segment = try segment(from: first, &reader)
            for index in segment.changes.indices.reversed() {
                let revision = Revision(segment.first.value + index)
                origins.add(segment.changes[index], at: revision)
                if origins.inserted[revision] != nil { changes.append((revision, segment.changes[index])) }
            }
            if origins.work > RedactionReader.mostWork { return false }
        }
        return true
    }

    private func segment(from first: Revision, _ reader: inout HistoryReader) throws(StoreFault) -> Segment {
        var found: Segment?
        try reader.forEachSegment(of: row, from: first) { stored throws(StoreFault) in
            found = stored.segment
            return false
        }
        guard let found else { throw .damaged }
        return found
    }

    private func rewritten(
        _ origins: PassageOrigins, _ reader: inout HistoryReader
    ) throws(StoreFault) -> RedactionPlan {
        var (origins, snapshots, new) = (origins, [StoredSnapshot](), [EncodedSegment]())
        let letters = origins.letters(atStart: row.entry.start)
        var entry = row.entry
        let epoch = UInt64.random(in: .min ... .max)
        entry.epoch = Epoch(generation: entry.epoch.generation, document: epoch)
        guard
            var history = try? RedactedHistory(redaction.passage, origins, start.snapshot, letters)
        else { throw .damaged }
        var chain = Chain(of: entry.epoch)
        let revisions = Set(try snapshotRevisions(reader))
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

    private func snapshotRevisions(_ reader: HistoryReader) throws(StoreFault) -> [Revision] {
        try reader.database.every(
            "SELECT revision FROM snapshot WHERE document = ? AND revision >= ?",
            .integer(row.entry.id.value), .integer(Int64(row.entry.start.value))
        ) { Revision(Int($0.integer(0))) }
    }

    /// A change that does not fit its text shows that the history is damaged.
    private static func apply(_ body: () throws(ChangeError) -> Void) throws(StoreFault) {
        do throws(ChangeError) { try body() } catch { throw .damaged }
    }
}

extension UpkeepReader {
    package mutating func prepared(
        _ redaction: Redaction, of document: DocumentID
    ) -> Result<PreparedRedaction, StoreFault> {
        reading { reader throws(StoreFault) in
            var redacting = try RedactionReader(redaction, of: reader.document(document), reader)
            return try redacting.prepared(&reader)
        }
    }

    /// Whether removed text may remain in unused parts of the files.
    func isErasureDue() -> Bool {
        // If the row cannot be read, the next upkeep tries again.
        (try? reader.database.isErasureDue()) ?? false
    }
}

extension Database {
    /// Whether removed text may remain in unused parts of the files.
    func isErasureDue() throws(DatabaseFault) -> Bool {
        try first("SELECT erasure IS NOT NULL FROM store") { $0.integer(0) == 1 } ?? false
    }
}

extension HistoryWriter {
    /// Replaces a document's history by one without the passage. Returns false if the document has changed
    /// since the plan was made.
    package mutating func redact(_ plan: RedactionPlan, at time: Int64) throws(StoreFault) -> Bool {
        var row = try document(plan.old.id)
        guard row.entry.epoch.document == plan.old.epoch.document, row.entry.head == plan.old.head,
            row.entry.start == plan.old.start
        else { return false }
        let id = Value.integer(plan.old.id.value)
        try database.write("DELETE FROM segment WHERE document = ?", [id])
        try database.write("DELETE FROM snapshot WHERE document = ?", [id])
        for segment in plan.segments { try insert(segment, of: plan.old.id) }
        for snapshot in plan.snapshots { try write(snapshot) }
        row.entry.epoch = Epoch(generation: generation, document: plan.epoch)
        (row.entry.length, row.chain) = (plan.length, plan.chain)
        row.snapshot = plan.snapshots.map(\.revision).max() ?? 0
        try save(row)
        try database.write("UPDATE store SET erasure = ?", [.integer(time)])
        forgetHistory(of: plan.old.id)
        return true
    }
}
