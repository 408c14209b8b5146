import CaretCore
import CaretLog
import CaretRooms
import CaretStore
import TestSupport

/// Reads and pushes at old revisions of a document with a long history, and what they cost others.
struct OldRevisions {
    let base: BenchFolder
    let isQuick: Bool

    private static let name = "notes/paper"
    private static let readers = 10
    private static let otherDocuments = 50

    private var rounds: Int { isQuick ? 40 : 400 }

    func run() async {
        if let reason = TraceFolder.reasonForAbsence { return print("SKIPPED old revisions: \(reason)\n") }
        let trace = mustSucceed { try TypedHistory.changes(of: Trace(named: "automerge-paper")) }
        let (once, twice) = (base.makeFolder("once"), base.makeFolder("twice"))
        await write(trace, to: once)
        await write(OldRevisions.doubled(trace), to: twice)
        let joins = await joins(once)
        let store = SQLiteStore.opened(twice)
        let document = await document(in: store)
        // The first read after a restart has nothing in memory to start at.
        let first = await cost { await read(document, at: document.head.value - 1000, in: store) }
        let pushes = await pushes(to: document, in: store)
        let reads = await reads(of: document, in: store)
        let opens = await coldOpens(beside: document, in: store)
        await store.close()
        report(first, reads, pushes, joins, document)
        Goal.print([
            Goal("push 500 behind, CPU", .atMost(2e6), pushes[0]) { $0.time },
            Goal("push 5,000 behind, CPU", .atMost(5e6), pushes[1]) { $0.time },
            Goal("push 50,000 behind, CPU", .atMost(10e6), pushes[2]) { $0.time },
            Goal("an old text, CPU p50", .atMost(5e6), reads.median) { $0.time },
            Goal("an old text, CPU p99", .atMost(5e6), reads.percentile(99)) { $0.time },
            Goal("cold opens beside ten readers, p50, ratio", .atMost(2), opens) { $0.digits(2) },
            Goal("the newest text after a restart, CPU", .atMost(3e6), joins.median) { $0.time },
        ])
    }

    /// The history twice, one after the other.
    private static func doubled(_ changes: [LoggedChange]) -> [LoggedChange] {
        let seq = changes.reduce(0) { max($0, $1.seq) }
        let time = (changes.last?.time ?? 0) - (changes.first?.time ?? 0)
        return changes
            + changes.map { change in
                LoggedChange(
                    pusher: change.pusher, seq: change.seq + seq, time: change.time + time,
                    edits: change.edits)
            }
    }

    /// Writes the document and some short ones, and runs their upkeep.
    private func write(_ changes: [LoggedChange], to folder: String) async {
        let store = SQLiteStore.opened(folder)
        let document = await store.createDocument(OldRevisions.name)
        guard await TypedHistory.commit(changes, to: document, in: store, atOnce: 16) else {
            preconditionFailure("the store refused the history of a benchmark")
        }
        let text = String(repeating: "a line of a short document\n", count: 400)
        let edit = mustSucceed { try LoggedEdit(start: .zero, removed: .zero, text: text) }
        let insertion = LoggedChange(
            pusher: SampleLog.ann, seq: 1, time: 1_790_000_000_000, edits: [edit])
        for other in await store.createDocuments(OldRevisions.otherDocuments, name: { "other/\($0)" }) {
            guard await TypedHistory.commit([insertion], to: other, in: store, atOnce: 1) else {
                preconditionFailure("the store refused a document of a benchmark")
            }
        }
        await store.runUpkeep(at: .max)
        await store.close()
    }

    // MARK: Measuring

    /// The CPU time of the process while `body` runs.
    private func cost(_ body: () async -> Void) async -> Double {
        let start = processNanoseconds()
        await body()
        return processNanoseconds() - start
    }

    private func document(in store: SQLiteStore) async -> DocumentEntry {
        let name = mustSucceed { try DocumentName(OldRevisions.name) }
        guard case .success(let entry) = await store.find(name) else {
            preconditionFailure("a benchmark's document was not found")
        }
        return entry
    }

    private func read(_ document: DocumentEntry, at revision: Int, in store: SQLiteStore) async {
        guard case .success = await store.text(of: document.id, at: Revision(revision)) else {
            preconditionFailure("revision \(revision) cannot be read")
        }
    }

    /// The CPU times of finding and reading the newest text, each in a store that was just opened.
    private func joins(_ folder: String) async -> [Double] {
        var times: [Double] = []
        for _ in 0..<(isQuick ? 3 : 20) {
            let store = SQLiteStore.opened(folder)
            times.append(
                await cost {
                    let document = await document(in: store)
                    guard case .success = await store.text(of: document.id) else {
                        preconditionFailure("the newest text cannot be read")
                    }
                })
            await store.close()
        }
        return times
    }

    /// The median CPU times of pushes that are 500, 5,000 and 50,000 revisions behind: what the store reads,
    /// and rebasing.
    private func pushes(to document: DocumentEntry, in store: SQLiteStore) async -> [Double] {
        var medians: [Double] = []
        for behind in [500, 5_000, 50_000] {
            var times: [Double] = []
            for round in 0..<(isQuick ? 5 : 50) {
                let base = document.head.value - behind - round
                times.append(await cost { await push(to: document, at: base, in: store) })
            }
            medians.append(times.median)
        }
        return medians
    }

    /// Does what a room does for a push at a revision before its window.
    private func push(to document: DocumentEntry, at base: Int, in store: SQLiteStore) async {
        guard case .success(let old) = await store.text(of: document.id, at: Revision(base)) else {
            preconditionFailure("revision \(base) cannot be read")
        }
        let middle = Offset(old.text.length.utf16 / 2)
        var change = mustSucceed { try Change([Edit(middle..<middle, "x")]) }
        var at = base
        while at < document.head.value {
            guard
                case .success(let page) = await store.read(document.id, after: Revision(at), limit: 256 << 10)
            else { preconditionFailure("the history after \(at) cannot be read") }
            change = ChangeWork.rebaseOverLog(change, page.segment.changes).done()
            at = page.segment.last.value
        }
        consume(change)
    }

    /// The CPU times of reads at random revisions.
    private func reads(of document: DocumentEntry, in store: SQLiteStore) async -> [Double] {
        var random = Seeded(7)
        var times: [Double] = []
        for _ in 0..<rounds {
            let revision = random.number(1...document.head.value - 1)
            times.append(await cost { await read(document, at: revision, in: store) })
        }
        return times
    }

    /// How many times longer the median open of another document takes while ten clients read old texts.
    private func coldOpens(beside document: DocumentEntry, in store: SQLiteStore) async -> Double {
        let alone = await opens(in: store)
        let readers = (0..<OldRevisions.readers).map { number in
            Task.detached {
                var random = Seeded(UInt64(number))
                while !Task.isCancelled {
                    await read(document, at: random.number(1...document.head.value - 1), in: store)
                }
            }
        }
        let beside = await opens(in: store)
        for reader in readers { reader.cancel() }
        for reader in readers { await reader.value }
        var table = Table(["opening another document", "p50", "p99"])
        table.row("alone", alone.median.time, alone.percentile(99).time)
        table.row("beside ten readers", beside.median.time, beside.percentile(99).time)
        table.print(under: "Wall time to read the newest text of another document, of 11 KB")
        return beside.median / alone.median
    }

    private func opens(in store: SQLiteStore) async -> [Double] {
        var times: [Double] = []
        for round in 0..<rounds {
            let name = mustSucceed { try DocumentName("other/\(round % OldRevisions.otherDocuments)") }
            let start = wallNanoseconds()
            guard case .success(let entry) = await store.find(name),
                case .success = await store.text(of: entry.id)
            else { preconditionFailure("a document cannot be opened") }
            times.append(wallNanoseconds() - start)
            // A pause, because clients do not open documents in a row.
            try? await Task.sleep(for: .milliseconds(2))
        }
        return times
    }

    private func report(
        _ first: Double, _ reads: [Double], _ pushes: [Double], _ joins: [Double], _ document: DocumentEntry
    ) {
        var table = Table(["\(document.head.value) revisions", "CPU p50", "p99", "longest"])
        table.row("the first old text after a restart", first.time, "", "")
        table.row(
            "an old text later", reads.median.time, reads.percentile(99).time, (reads.max() ?? 0).time)
        for (behind, time) in zip(["500", "5,000", "50,000"], pushes) {
            table.row("a push \(behind) revisions behind", time.time, "", "")
        }
        table.row(
            "the newest text of half the history, after a restart", joins.median.time,
            joins.percentile(99).time, (joins.max() ?? 0).time)
        table.print(
            under: """
                CPU time of the process for old revisions of the document automerge-paper, typed twice. A push includes reading the
                text at its base, reading the revisions since then, and rebasing over each of them.
                """)
    }
}
