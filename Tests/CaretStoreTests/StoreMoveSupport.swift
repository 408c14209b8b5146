import CaretCore
import CaretFormat
import CaretLog
import CaretPostgres
import CaretStore
import TestSupport
import Testing

// Calls, a sample and planted failures for tests of moves.
extension StoreMoveTests {
    func opened(_ address: String) throws -> PostgresStore {
        try PostgresStore(PostgresAddress(address), node: "test", allowsUnreplicated: true)
    }

    func postgresTarget(_ address: String) throws -> PostgresMoveTarget {
        try PostgresMoveTarget(PostgresAddress(address), allowsUnreplicated: true)
    }

    @discardableResult
    func moved(_ source: some MoveSource, _ target: some MoveTarget, to words: String) throws
        -> MoveOutcome
    {
        try StoreMove(from: source, to: target, MoveNote(target: words, day: "2026-03-01")) { _, _, _ in }
            .run()
    }

    func rows(of store: some MovableRows) throws -> [MovedTable: [MovedRow]] {
        var rows: [MovedTable: [MovedRow]] = [:]
        for table in MovedTable.allCases {
            rows[table] = []
            try store.forEachRow(of: table) { rows[table, default: []].append($0) }
        }
        return rows
    }
}

/// A target that fails at one step, or that writes another last use of the tokens.
final class FailingTarget<Target: MoveTarget>: MoveTarget {
    private let target: Target
    private let step: StoreMoveTests.Step
    let rows: FailingRows<Target.Rows>

    init(_ target: Target, at step: StoreMoveTests.Step) {
        (self.target, self.step) = (target, step)
        rows = FailingRows(rows: target.rows, step: step)
    }

    func write(_ row: MovedRow, to table: MovedTable) throws(StoreMoveFault) {
        if table == .segment { try step.fail(at: .write) }
        let isChanged = step == .changeValue && table == .token
        try target.write(isChanged ? Array(row.dropLast()) + [.integer(1)] : row, to: table)
    }

    var copiedDigest: [UInt8]? { target.copiedDigest }

    func finish(_ identity: StoreIdentity, digest: [UInt8]) throws(StoreMoveFault) {
        try step.fail(at: .finish)
        try target.finish(identity, digest: digest)
    }

    func publish() throws(StoreMoveFault) {
        try step.fail(at: .publish)
        try step.kill(at: .killedBeforePublish)
        try target.publish()
        try step.kill(at: .killedAfterPublish)
    }
}

struct FailingRows<Rows: MovableRows>: MovableRows {
    let rows: Rows
    let step: StoreMoveTests.Step

    func forEachRow(
        of table: MovedTable, _ body: (MovedRow) throws(StoreMoveFault) -> Void
    ) throws(StoreMoveFault) {
        try step.fail(at: .compare)
        try rows.forEachRow(of: table, body)
    }

    func rowCount(of table: MovedTable) throws(StoreMoveFault) -> Int { try rows.rowCount(of: table) }

    func check(_ progress: (CheckProgress) -> Void) throws(StoreMoveFault) -> CheckReport {
        try rows.check(progress)
    }
}

extension StoreMoveTests {
    enum Step {
        case write, changeValue, finish, compare, publish, killedBeforePublish, killedAfterPublish

        static let beforeEnd: [Step] = [.write, .finish, .compare, .publish]

        func fail(at step: Step) throws(StoreMoveFault) {
            if step == self { throw .failed("planted") }
        }

        /// After this fault, the move does nothing more, as if it had been killed.
        func kill(at step: Step) throws(StoreMoveFault) {
            if step == self { throw .unfinished("planted", advice: "") }
        }
    }
}

extension StoreMoveTests {
    /// Expects that `body` refuses, with a message that contains these words.
    func expect<Result>(
        refusal words: String, _ body: () throws -> Result, location: SourceLocation = #_sourceLocation
    ) {
        let isRefused = isRefused(body, words)
        #expect(isRefused, "not refused: \(words)", sourceLocation: location)
    }

    func isRefused<Result>(_ body: () throws -> Result, _ words: String) -> Bool {
        do {
            _ = try body()
            return false
        } catch {
            return "\(error)".contains(words)
        }
    }
}

/// A closed store in a folder, with rows in every table.
struct MovedSample {
    private let sample: SampleStore
    let generation: UInt64
    let deleted: DocumentEntry
    let token: TokenText
    let lastToken: TokenID
    let lastDocument: DocumentID
    private let tag: CaretLog.Tag
    private let notes: [Note]

    var path: String { sample.scratch.path }
    var documents: [TrackedDocument] { sample.documents }

    init() async throws {
        sample = try await SampleStore(isCutOff: false, crowd: 1)
        let store = try SQLiteStore(folder: sample.scratch.path)
        generation = store.generation
        deleted = try await TrackedDocument(on: store, "deleted").entry
        #expect(await store.delete(deleted.id, at: 77) == nil)
        token = try await store.addToken(of: UserName("ann"), Grants.all, expires: 5_000_000).get()
        _ = try await store.addToken(of: UserName("bob"), Grants.none).get()
        lastToken = try await store.addToken(of: UserName("gone"), Grants.none).get().token
        #expect(await store.revokeToken(lastToken) == nil)
        #expect(await store.noteUses([TokenUse(token.token, at: 4_000)]) == nil)
        #expect(await store.noteEnds(of: [token.token]) == nil)
        #expect(await store.signOut(.user("ann"), before: 5_000) == nil)
        #expect(await store.signOut(.token("a-1"), before: 6_000) == nil)
        tag = CaretLog.Tag(
            name: try #require(TagName("first-draft")), revision: 2, user: "ann", time: 9)
        #expect(await store.addTag(tag, to: sample.documents[2].entry.id) == .tagged)
        let note = NoteContent(
            user: "ann", time: 9, text: "why?",
            place: NotePlace(at: 0, Selection(caret: 0), suggesting: try Change([Edit(0..<0, "so")])))
        let answer = NoteContent(parent: NoteNumber(1), user: "bob", time: 10, text: "because")
        for content in [note, answer] {
            guard case .written = await store.addNote(content, to: sample.documents[2].entry.id) else {
                throw Unexpected(what: "the note was not written")
            }
        }
        notes = try await store.notes(of: sample.documents[2].entry.id).get().notes
        lastDocument = deleted.id
        await store.close()
    }

    func remove() { sample.scratch.remove() }

    /// Checks what each kind of call answers.
    func requireAll(in store: any DocumentStore, _ durable: any DurableStore)
        async throws
    {
        for document in documents {
            #expect(try await store.find(document.entry.name).get().epoch == document.entry.epoch)
            #expect(try await store.text(of: document.entry.id).get().text == document.text)
        }
        // A repeat of an old push is answered with its revision.
        let (short, last) = (documents[2], documents[2].log[documents[2].log.count - 1])
        let entry = try await store.pusher(last.pusher, in: short.entry.id).get().entry
        #expect(entry?.seq == last.seq && entry?.revision == short.head)
        #expect(try await store.deleted().get().entries.map(\.id) == [deleted.id])
        let ann = try await store.token(shown: token.bytes).get()
        #expect(try ann.user == UserName("ann") && ann.hasEnded)
        let tokens = try await store.tokens().get()
        #expect(tokens.items.count == 2)
        let signOuts = [SignOut(.user("ann"), before: 5_000), SignOut(.token("a-1"), before: 6_000)]
        #expect(try await store.signOuts().get().signOuts == signOuts)
        #expect(try await store.tags(of: short.entry.id).get() == [tag])
        #expect(try await store.notes(of: short.entry.id).get().notes == notes)
        #expect(try await durable.findings() == [])
    }
}
