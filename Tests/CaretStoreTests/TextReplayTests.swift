import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import TestSupport
import Testing

@Suite("Rebuilding old texts in steps") struct TextReplayTests {
    private static let far = LongHistory.far
    private let history: LongHistory
    private var scratch: Scratch { history.scratch }
    private var document: TrackedDocument { history.document }
    private var id: DocumentID { document.entry.id }

    init() async throws { history = try await LongHistory(typing: String(repeating: "ab", count: 50)) }

    /// Runs a replay to its end. Calls `between` after each step but the last. Returns the text and the
    /// number of steps.
    private func run(
        _ revision: Int, _ reader: inout HistoryReader<Database>, between: (Int) throws -> Void = { _ in }
    ) throws -> (text: TextBuffer, steps: Int) {
        let found = try history.run(TextReplay(id, at: Revision(revision)), &reader, between: between)
        guard case .text(.success(let snapshot)) = found.answer else {
            throw Unexpected(what: "the answer is \(found.answer)")
        }
        #expect(snapshot.revision == Revision(revision))
        return (snapshot.text, found.steps)
    }

    @Test("each step ends after some thousand changes, and the text is right")
    func steps() throws {
        defer { scratch.remove() }
        var reader = try history.reader()
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
        var reader = try history.reader(HistoryCache())
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
        var reader = try history.reader(HistoryCache())
        let start = 2 * TextReplay.changesPerStep + 77
        var pieces = try UpkeepPieces(scratch)
        let found = try run(Self.far, &reader) { step in
            if step > 1 { return }
            try history.trim(&pieces, through: start)
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
        var reader = try history.reader()
        var pieces = try UpkeepPieces(scratch)
        let found = try run(Self.far, &reader) { _ in try history.merge(&pieces) }
        #expect(found.text == document.texts[Self.far])
    }

    @Test("a check of a document has steps, too, and appends and merges between them do not disturb it")
    func checkedMeanwhile() throws {
        defer { scratch.remove() }
        var (check, document) = (DocumentCheck(try history.reader().rows), self.document)
        var (pieces, steps) = (try UpkeepPieces(scratch), 1)
        while !check.step(id) {
            steps += 1
            try history.merge(&pieces)
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
