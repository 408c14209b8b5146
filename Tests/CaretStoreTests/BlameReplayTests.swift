import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import TestSupport
import Testing

@Suite("Finding out in steps who changed each line") struct BlameReplayTests {
    private static let far = LongHistory.far
    private let history: LongHistory
    private var scratch: Scratch { history.scratch }
    private var document: TrackedDocument { history.document }
    private var id: DocumentID { document.entry.id }

    init() async throws {
        history = try await LongHistory(typing: String(repeating: "ab\n", count: 33) + "a")
    }

    private func expected(from start: Int = 0, through end: Int) throws -> [BlamedRange] {
        var blamed = try BlamedText(document.texts[start], at: Revision(start))
        for change in document.log[start..<end] { try blamed.apply(change) }
        return blamed.ranges(after: 0, limit: .max).ranges
    }

    /// Runs a replay to its end. Calls `between` after each step but the last.
    private func run(
        _ revision: Int, _ reader: inout HistoryReader<Database>, between: (Int) throws -> Void = { _ in }
    ) throws -> (ranges: [BlamedRange], steps: Int) {
        let query = BlameQuery(at: Revision(revision), after: 0, limit: .max)
        let found = try history.run(BlameReplay(id, query), &reader, between: between)
        guard case .blamed(.success(let page)) = found.answer else {
            throw Unexpected(what: "the answer is \(found.answer)")
        }
        #expect(page.revision == Revision(revision))
        return (page.ranges, found.steps)
    }

    @Test("each step ends after some thousand changes, and the answer is right")
    func steps() throws {
        defer { scratch.remove() }
        var reader = try history.reader()
        let most = TextReplay.changesPerStep
        for revision in [0, 1, most - 1, most, most + 1, 2 * most + 5, document.head.value] {
            let found = try run(revision, &reader)
            #expect(try found.ranges == expected(through: revision), "revision \(revision)")
            // A step ends at the end of a segment.
            #expect(found.steps <= revision / most + 1, "\(found.steps) steps to \(revision)")
        }
        #expect(try run(Self.far, &reader).steps == 4)
    }

    @Test("the next page, and a later revision, begin at the answer before")
    func cache() throws {
        defer { scratch.remove() }
        var reader = try history.reader(HistoryCache())
        #expect(try run(Self.far, &reader).steps == 4)
        for revision in [Self.far, Self.far + 60, document.head.value, Self.far] {
            let found = try run(revision, &reader)
            #expect(try found.steps == 1 && found.ranges == expected(through: revision))
        }
        // An older revision needs the history from its start.
        #expect(try run(Self.far - 1, &reader).steps == 4)
    }

    @Test("after merges, an answer goes on from an answer inside a segment")
    func insideSegment() throws {
        defer { scratch.remove() }
        var (reader, pieces) = (try history.reader(HistoryCache()), try UpkeepPieces(scratch))
        try history.merge(&pieces)
        for revision in [5, 40, 41, 5_000, 5_000, 5_010, Self.far, Self.far + 1] {
            #expect(try run(revision, &reader).ranges == expected(through: revision))
        }
    }

    @Test("a trim between two steps never gives a wrong answer")
    func trimmedMeanwhile() throws {
        defer { scratch.remove() }
        var (reader, pieces) = (try history.reader(HistoryCache()), try UpkeepPieces(scratch))
        let start = 2 * TextReplay.changesPerStep + 77
        let found = try run(Self.far, &reader) { step in
            if step > 1 { return }
            try history.trim(&pieces, through: start)
        }
        #expect(try found.ranges == expected(from: start, through: Self.far))
        #expect(throws: StoreFault.self) { try run(start - 1, &reader) }
    }

    @Test("merges between two steps do not change the answer")
    func mergedMeanwhile() throws {
        defer { scratch.remove() }
        var (reader, pieces) = (try history.reader(), try UpkeepPieces(scratch))
        let found = try run(Self.far, &reader) { _ in try history.merge(&pieces) }
        #expect(try found.ranges == expected(through: Self.far))
    }

    @Test("a long history does not delay a short read")
    func turns() async throws {
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        let (answers, sink) = AsyncStream.makeStream(of: String.self)
        // This completion runs on the queue of the histories, so both reads wait before either begins.
        store.run(.read(id, after: 0, limit: 1)) { [id] _ in
            store.run(.blame(id, BlameQuery(at: nil, after: 0, limit: 1))) { _ in sink.yield("blame") }
            store.run(.text(id, at: 5)) { _ in sink.yield("text") }
        }
        var found = answers.makeAsyncIterator()
        #expect(await [found.next(), found.next()] == ["text", "blame"])
        await store.close()
    }
}
