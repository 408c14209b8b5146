import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import TestSupport
import Testing

/// Each test has a document with so many changes that rebuilding its text takes several steps, and no
/// snapshots. No store has its folder open.
@Suite("Rebuilding old texts in steps") struct TextReplayTests {
    /// A revision that takes four steps.
    private static let far = 3 * TextReplay.changesPerStep + 50
    private let scratch: Scratch
    private let document: TrackedDocument
    private var id: DocumentID { document.entry.id }

    init() async throws {
        let sample = try await PreparedDocument()
        var document = sample.document
        var pieces = try UpkeepPieces(sample.scratch)
        while document.head < Revision(Self.far + 100) {
            let append = try document.letters(String(repeating: "ab", count: 50))
            _ = try pieces.commit { writer throws(StoreFault) in try writer.append(append) }
            try document.follow(append)
        }
        (scratch, self.document) = (sample.scratch, document)
    }

    private func reader(_ cache: HistoryCache? = nil) throws -> HistoryReader<Database> {
        let database = try DataFolder(scratch.path).openForReading()
        let generation = try StoreRow.read(database)?.progress.generation ?? 0
        return HistoryReader(database: database, generation: Generation(generation), cache: cache)
    }

    /// Runs a replay to its end. Calls `between` after each step but the last. Returns the text and the
    /// number of steps.
    private func run(
        _ revision: Int, _ reader: inout HistoryReader<Database>, between: (Int) throws -> Void = { _ in }
    ) throws -> (text: TextBuffer, steps: Int) {
        var replay = TextReplay(id, at: Revision(revision))
        for steps in 1... {
            if let snapshot = try replay.step(&reader) {
                #expect(snapshot.revision == Revision(revision))
                return (snapshot.text, steps)
            }
            try between(steps)
        }
        throw Unexpected(what: "the replay has no end")
    }

    @Test("each step ends after some thousand changes, and the text is right")
    func steps() throws {
        defer { scratch.remove() }
        var reader = try reader()
        let most = TextReplay.changesPerStep
        for revision in [0, 1, most - 1, most, most + 1, 2 * most + 5, document.head.value] {
            let found = try run(revision, &reader)
            #expect(found.text == document.texts[revision], "revision \(revision)")
            // A step ends at the end of a segment.
            #expect(found.steps <= revision / most + 1, "\(found.steps) steps to \(revision)")
        }
        #expect(try run(Self.far, &reader).steps == 4)
    }

    @Test("a second read starts at the texts that the first one has passed")
    func rungs() throws {
        defer { scratch.remove() }
        var reader = try reader(HistoryCache())
        #expect(try run(Self.far, &reader).steps == 4)
        var random = Seeded(5)
        for _ in 0..<50 {
            let revision = random.number(0...Self.far)
            let found = try run(revision, &reader)
            #expect(found.text == document.texts[revision], "revision \(revision)")
            #expect(found.steps <= 2, "\(found.steps) steps to \(revision)")
        }
    }

    @Test("a trim between two steps never gives a wrong text")
    func trimmedMeanwhile() throws {
        defer { scratch.remove() }
        var reader = try reader(HistoryCache())
        let start = 2 * TextReplay.changesPerStep + 77
        var pieces = try UpkeepPieces(scratch)
        let found = try run(Self.far, &reader) { step in
            if step > 1 { return }
            let plan = try pieces.prepareTrim(id, through: Revision(start))
            _ = try pieces.commit { writer throws(StoreFault) in try writer.trim(plan) }
            for _ in 0..<4 {
                try pieces.commit { writer throws(StoreFault) in try writer.removeTrimmed(of: id) }
            }
        }
        #expect(found.text == document.texts[Self.far])
        var refusal: HistoryRefusal?
        do {
            _ = try run(start - 1, &reader)
        } catch let StoreFault.refused(found) {
            refusal = found
        }
        #expect(refusal == .trimmed(start: Revision(start)))
    }

    @Test("merges between two steps do not change the text")
    func mergedMeanwhile() throws {
        defer { scratch.remove() }
        var reader = try reader()
        var pieces = try UpkeepPieces(scratch)
        let found = try run(Self.far, &reader) { _ in
            while let due = try pieces.due(id, isIdle: true) {
                guard case .merge(let replacement) = due.step else { return }
                _ = try pieces.commit { writer throws(StoreFault) in try writer.replace(replacement) }
            }
        }
        #expect(found.text == document.texts[Self.far])
    }

    @Test("a check of a document has steps, too, and appends and merges between them do not disturb it")
    func checkedMeanwhile() throws {
        defer { scratch.remove() }
        var (check, document) = (DocumentCheck(try reader().rows), self.document)
        var (pieces, steps) = (try UpkeepPieces(scratch), 1)
        while !check.step(id) {
            steps += 1
            while let due = try pieces.due(id, isIdle: true), case .merge(let replacement) = due.step {
                _ = try pieces.commit { writer throws(StoreFault) in try writer.replace(replacement) }
            }
            let append = try document.letters("c")
            _ = try pieces.commit { writer throws(StoreFault) in try writer.append(append) }
            try document.follow(append)
        }
        #expect(steps >= 2)
        #expect(check.report.isSound, "\(check.report.findings)")
        #expect(check.report.revisions == document.head.value)
    }

    @Test("a long replay does not delay a short one")
    func turns() async throws {
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        let (answers, sink) = AsyncStream.makeStream(of: Int.self)
        // This completion runs on the queue of the replays, so both replays wait before either begins.
        store.run(.read(id, after: 0, limit: 1)) { [id] _ in
            for revision in [Self.far, 5] {
                store.run(.text(id, at: Revision(revision))) { answer in
                    if case .text(.success(let snapshot)) = answer { sink.yield(snapshot.revision.value) }
                }
            }
        }
        var found = answers.makeAsyncIterator()
        #expect(await [found.next(), found.next()] == [5, Self.far])
        await store.close()
    }
}
