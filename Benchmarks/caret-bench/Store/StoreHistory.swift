import CaretCore
import CaretLog
import CaretStore
import Glibc
import TestSupport

/// Compares a document with a long history to a document with only the final text: size on disk, and time to
/// open.
struct StoreHistory {
    let base: BenchFolder
    let isQuick: Bool

    /// A store with one document. Upkeep has run, and the store is closed.
    private struct StoredHistory {
        let folder: String
        let text: TextBuffer
        let revisions: Int
        let turns: WriterTurns

        /// The size of the database file. The store must be closed.
        var bytes: Int {
            var state = stat()
            guard stat(folder + "/caret.sqlite", &state) == 0 else {
                preconditionFailure("the store in \(folder) has no database file")
            }
            return Int(state.st_size)
        }
    }

    func run() async {
        if let reason = TraceFolder.reasonForAbsence { return print("SKIPPED long histories: \(reason)\n") }
        let changes = mustSucceed { try TypedHistory.changes(of: Trace(named: "automerge-paper")) }
        var turns = Table(WriterTurns.headings)
        var opening = Table([
            "revisions", "text", "find and text", "alone", "ratio", "a KB", "alone", "a page at random",
            "the pages in a row",
        ])
        for count in [changes.count / 4, changes.count / 2, changes.count] {
            let whole = await writeHistory(Array(changes[..<count]), "whole-\(count)", atOnce: 16)
            let alone = await writeHistory(
                [StoreHistory.insertion(of: whole.text)], "alone-\(count)", atOnce: 1)
            opening.row(await open(whole, alone))
            whole.turns.rows(in: &turns, named: "\(count) revisions")
            if count == changes.count { await printSizes(whole, alone, changes) }
        }
        opening.print(
            under: """
                Time to open the document automerge-paper after upkeep, with one keystroke in each revision (find and text).
                Alone: the same final text as the only revision of another store. Medians of \(rounds), in turns.
                A KB: the time for each KB of that text. A page is what `read` returns for 4 KB of history:
                at a random revision, and the pages that follow it in a row.
                """)
        turns.print(
            under:
                "How long each turn of the writer takes while such a document is written, 16 revisions in an append"
        )
    }

    private var rounds: Int { isQuick ? 20 : 200 }

    /// One change that inserts a whole text.
    private static func insertion(of text: TextBuffer) -> LoggedChange {
        let edit = mustSucceed { try LoggedEdit(start: .zero, removed: .zero, text: text.string) }
        return LoggedChange(pusher: SampleLog.ann, seq: 1, time: 1_790_000_000_000, edits: [edit])
    }

    /// Writes a document, and runs the upkeep that an unused document gets. With `isTrimmed`, only a packed
    /// snapshot of the text remains, without history.
    private func writeHistory(
        _ changes: [LoggedChange], _ name: String, atOnce: Int, isTrimmed: Bool = false
    ) async -> StoredHistory {
        let (folder, turns) = (base.makeFolder(name), WriterTurns())
        let store = SQLiteStore.opened(folder) { turns.record($0) }
        let document = await store.createDocument("notes/paper")
        guard await TypedHistory.commit(changes, to: document, in: store, atOnce: atOnce) else {
            preconditionFailure("the store refused the history of a benchmark")
        }
        if isTrimmed { _ = await store.trim(document.id, through: Revision(changes.count)) }
        await store.runUpkeep(at: .max)
        let text = await text(of: document.id, in: store)
        await store.close()
        return StoredHistory(folder: folder, text: text, revisions: changes.count, turns: turns)
    }

    private func text(of document: DocumentID, in store: SQLiteStore) async -> TextBuffer {
        guard case .success(let snapshot) = await store.text(of: document) else {
            preconditionFailure("a benchmark's document cannot be read")
        }
        return snapshot.text
    }

    // MARK: Opening

    private func open(_ whole: StoredHistory, _ alone: StoredHistory) async -> [String] {
        let stores = [SQLiteStore.opened(whole.folder), SQLiteStore.opened(alone.folder)]
        // Before each measurement another document is read, so no part of the measured history is cached.
        var others: [DocumentID] = []
        for store in stores {
            let other = await store.createDocument("notes/other")
            guard
                await TypedHistory.commit(
                    [StoreHistory.insertion(of: TextBuffer())], to: other, in: store, atOnce: 1)
            else {
                preconditionFailure("the store refused the document of a benchmark")
            }
            others.append(other.id)
        }
        var times: [[Double]] = [[], []]
        for _ in 0..<rounds {
            for (index, store) in stores.enumerated() {
                _ = await text(of: others[index], in: store)
                let start = wallNanoseconds()
                let text = await opened(store)
                times[index].append(wallNanoseconds() - start)
                precondition(
                    text.length == whole.text.length,
                    "the opened text differs in length from the written text")
            }
        }
        let pages = await pages(of: stores[0], whole.revisions)
        for store in stores { await store.close() }
        let (medians, kilobytes) = (times.map(\.median), Double(whole.text.length.utf8) / 1000)
        return [
            String(whole.revisions), kilobytes.digits(1) + " KB", medians[0].time, medians[1].time,
            (medians[0] / medians[1]).digits(2), (medians[0] / kilobytes).time,
            (medians[1] / kilobytes).time, pages.random.time, pages.successive.time,
        ]
    }

    private func opened(_ store: SQLiteStore) async -> TextBuffer {
        let name = mustSucceed { try DocumentName("notes/paper") }
        guard case .success(let entry) = await store.find(name) else {
            preconditionFailure("a benchmark's document was not found")
        }
        return await text(of: entry.id, in: store)
    }

    /// The time to read a page of history: at a random revision, and right after the previous page.
    private func pages(of store: SQLiteStore, _ revisions: Int) async -> (random: Double, successive: Double)
    {
        var random = Seeded(7)
        var times: (random: [Double], successive: [Double]) = ([], [])
        for _ in 0..<(isQuick ? 5 : 50) {
            var at = random.number(0...revisions - 20_000)
            for page in 0..<4 {
                let start = wallNanoseconds()
                let read = await store.read(DocumentID(1), after: Revision(at), limit: 4096)
                let time = wallNanoseconds() - start
                if page == 0 { times.random.append(time) } else { times.successive.append(time) }
                guard case .success(let reading) = read else { preconditionFailure("a page cannot be read") }
                at = reading.segment.last.value
            }
        }
        return (times.random.median, times.successive.median)
    }

    // MARK: Size

    private func printSizes(_ whole: StoredHistory, _ alone: StoredHistory, _ changes: [LoggedChange]) async {
        let time = changes[0].time
        let timeless = await writeHistory(changes.map { $0.at(time) }, "timeless", atOnce: 16)
        let packed = await writeHistory(
            [StoreHistory.insertion(of: whole.text)], "packed", atOnce: 1, isTrimmed: true)
        var table = Table([
            "automerge-paper, \(changes.count) revisions", "file", "beyond the text alone", "a revision",
            "beyond the text packed", "a revision",
        ])
        for (name, stored) in [("its whole history", whole), ("the same, all at one time", timeless)] {
            let beyond = [alone, packed].flatMap { text in
                let beyond = stored.bytes - text.bytes
                return [String(beyond), (Double(beyond) / Double(changes.count)).digits(3)]
            }
            table.row([name, String(stored.bytes)] + beyond)
        }
        table.row("its final text alone, as one revision", String(alone.bytes), "", "", "", "")
        table.row("its final text alone, as a packed snapshot", String(packed.bytes), "", "", "", "")
        table.print(
            under: """
                Bytes of the database file after upkeep, with one keystroke in each revision and two authors. The times between
                keystrokes are lognormal with a median of 150 ms. The whole history also contains its text as a packed snapshot.
                So the bytes beyond the packed text are the stricter figure.
                """)
    }
}
