import CaretCore
package import CaretLog

/// Finds out in steps who changed the lines of a text last. Between the steps it has only the lines in memory, and neither
/// changes nor texts.
package struct BlameReplay: SteppedRead {
    package let document: DocumentID
    private let query: BlameQuery
    /// The revision of the text; nil before the first step if the query is about the head.
    private var revision: Revision?
    /// The document's part of the epoch of the history that is read; nil before the first step.
    private var epoch: UInt64?
    /// The part of the history that was read so far.
    private var reached: CheckedBlame?

    /// A step ends after this number of edits, at the end of a segment, as a step of `TextReplay` does.
    private static var editsPerStep: Int { TextReplay.changesPerStep }

    package init(_ document: DocumentID, _ query: BlameQuery) {
        (self.document, self.query, revision) = (document, query, query.revision)
    }

    package mutating func nextStep<Connection>(
        _ reader: inout HistoryReader<Connection>
    ) throws(Connection.Fault) -> StoreAnswer? {
        var next = self
        let answer = try reader.reading { reader throws(Connection.Fault) in try next.read(&reader) }
        self = next
        return answer
    }

    private mutating func read<Connection>(
        _ reader: inout HistoryReader<Connection>
    ) throws(Connection.Fault) -> StoreAnswer? {
        let row = try reader.document(document)
        let revision = self.revision ?? row.entry.head
        self.revision = revision
        try reader.check(revision, of: row)
        // After a redaction the document has another history, and after a trim another start.
        if epoch != row.entry.epoch.document || reached?.text.start != row.entry.start {
            (epoch, reached) = (row.entry.epoch.document, nil)
        }
        guard var blame = try start(of: row, at: revision, &reader) else { return BlameReplay.refusal }
        if blame.text.revision < revision {
            var (left, hasTooManyLines) = (BlameReplay.editsPerStep, false)
            try reader.forEachSegment(of: row, from: blame.text.revision.next) {
                stored throws(Connection.Fault) in
                do throws(AttributedLines.Fault) {
                    left -= try blame.apply(stored, through: revision)
                } catch {
                    // A sound history has no other change that cannot be applied.
                    guard error == .tooManyLines else { throw .damaged }
                    hasTooManyLines = true
                }
                return left > 0 && !hasTooManyLines && blame.text.revision < revision
            }
            if hasTooManyLines { return BlameReplay.refusal }
            if blame.text.revision < revision {
                reached = blame
                return nil
            }
            blame.text.forgetUnusedAuthors()
            reader.cache?.add(blame, of: row.entry)
        }
        return .blamed(.success(BlamePage(epoch: row.entry.epoch, of: blame.text, query)))
    }

    private static var refusal: StoreAnswer { .blamed(.failure(.tooManyLines)) }

    /// Where to begin: what was read so far or is in memory, or the oldest text that is kept. Nil if that text has too many
    /// lines.
    private func start<Connection>(
        of row: DocumentRow, at revision: Revision, _ reader: inout HistoryReader<Connection>
    ) throws(Connection.Fault) -> CheckedBlame? {
        let known = [reached, reader.cache?.blame(of: row.entry, through: revision)].compactMap { $0 }
        if let newest = known.max(by: { $0.text.revision < $1.text.revision }) { return newest }
        let oldest = row.entry.start
        // Without changes after it, only `text` compares the oldest text with the history.
        let checked =
            revision == oldest
            ? try reader.text(of: row, at: oldest) : try reader.newestSnapshot(of: row, through: oldest)
        guard checked.snapshot.revision == oldest else { throw .damaged }
        do throws(AttributedLines.Fault) {
            return CheckedBlame(
                text: try BlamedText(checked.snapshot.text, at: oldest), chain: checked.chain)
        } catch {
            return nil
        }
    }
}
