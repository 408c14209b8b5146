import CaretCore
import CaretFormat
import CaretLog

/// An append that locks the document's row, reads what it has missed, and rebases its changes over that. Nobody
/// else can append in between.
struct LockedAppend {
    private let append: Append
    private let lane: Lane
    private let rows: KnownRows
    /// The changes after the expected head.
    private(set) var missed: [LoggedChange] = []
    /// The document, if upkeep is due for it.
    private(set) var due: Set<DocumentID> = []
    /// The number of commits of the lane with this append.
    private var commits: Int64?

    /// It rebases over at most this number of revisions, because all other appends to the document wait for it.
    private static let maxMissedRevisions = 4096

    init(_ append: Append, _ lane: Lane, _ rows: KnownRows) {
        self.append = append
        self.lane = lane
        self.rows = rows
    }

    mutating func run(
        _ rebase: ([LoggedChange]) -> [PushedChange]
    ) -> Result<AppendOutcome, PostgresFault> {
        Result { () throws(PostgresFault) in
            try addAuthors()
            let outcome = try lane.write(to: [append.document]) { writer throws(PostgresFault) in
                try appended(&writer, rebase)
            }
            // Not before, because a commit with a warning may be missing on the standbys.
            if let commits { lane.committed(commits) }
            return outcome
        }
    }

    /// Adds the authors before the document is locked, so that others wait less. They stay if the append fails.
    private func addAuthors() throws(PostgresFault) {
        var table = AuthorTable(known: lane.authors)
        let pushers = Set(append.changes.map(\.logged.pusher))
        do throws(PostgresFault) {
            try PostgresStore.tryingAgain { () throws(PostgresFault) in
                try lane.run { connection throws(PostgresFault) in
                    _ = try table.numbers(of: pushers, connection)
                }
            }
        } catch {
            // Nothing was appended yet.
            throw error.endsConnection ? .away("\(error)") : error
        }
        lane.authors = table.known
    }

    private mutating func appended(
        _ writer: inout DocumentWriter, _ rebase: ([LoggedChange]) -> [PushedChange]
    ) throws(PostgresFault) -> AppendOutcome {
        let row: DocumentRow
        do throws(PostgresFault) {
            row = try writer.document(append.document)
        } catch {
            guard case .refused = error else { throw error }
            return error.appendOutcome
        }
        let head = row.entry.head
        if row.entry.epoch != append.epoch { return .documentGone }
        let count = head.value - append.expected.value
        if append.expected < row.entry.start || count < 0 || count > LockedAppend.maxMissedRevisions {
            return .conflict(head: head)
        }
        var reader = HistoryReader(writer.rows, authors: lane.authors)
        missed = try reader.changes(of: row, after: append.expected, limit: .max)
        lane.authors = reader.authors
        let rebased = Append(
            document: append.document, epoch: append.epoch, expected: head, changes: rebase(missed),
            lineBreak: append.lineBreak)
        if rebased.changes.isEmpty { return try writer.setLineBreak(rebased) }
        return try commit(rebased, after: row, writer)
    }

    private mutating func commit(
        _ rebased: Append, after row: DocumentRow, _ writer: DocumentWriter
    ) throws(PostgresFault) -> AppendOutcome {
        if lane.shared.isDamaged(rebased.document) { return .documentDamaged }
        // An author that is added now is not remembered, because this transaction may be rolled back.
        var (authors, columns) = (AuthorTable(known: lane.authors), SegmentColumns())
        let numbers = try authors.numbers(
            of: Set(rebased.changes.map(\.logged.pusher)), writer.connection)
        guard let prepared = PreparedAppend(rebased, after: row, authors: numbers, in: &columns) else {
            return .invalidChange
        }
        let answer = try AppendStatement(lane: lane).run(
            [prepared], on: writer.connection, endingTransaction: true)
        commits = answer.commits
        if let fault = answer.damaged[rebased.document] { throw fault }
        guard let found = answer.rows[rebased.document], found.isAppended else {
            // The row is locked, so only a renewed generation can be the reason.
            return .documentGone
        }
        var new = prepared.row
        (new.unmergedSegments, new.bytesSinceSnapshot) = (found.unmergedSegments, found.bytesSinceSnapshot)
        if UpkeepPolicy.isDue(new) { due = [rebased.document] }
        rows.note(new)
        return .committed(head: prepared.row.entry.head)
    }
}
