import CaretCore
import CaretFormat
import CaretLog
import CaretPostgres
import CaretStore
import Synchronization
import TestSupport
import Testing

@Suite("The store compared with its model") struct RandomStoreTests {
    @Test("random calls get the same answers from the store and its model", arguments: StoreKind.durable)
    func likeTheModel(kind: StoreKind) async throws {
        // Each call of PostgreSQL takes several times as long.
        let isSlow = kind == .postgres
        let cases = Seeds.share(of: isSlow ? 100 : 400, everyCommit: isSlow ? 8 : 40)
        var steps = 0
        for seed in Seeds.first(cases) {
            var run = try RandomRun(seed, kind)
            do {
                for _ in 0..<150 { try await run.step() }
                steps += 150
            } catch {
                Issue.record("seed \(seed): \(error)\nreplay: \(Seeds.replay(seed, of: "likeTheModel"))")
                return
            }
            try await run.end()
        }
        print("\(kind) compared with its model: \(cases) seeds, \(steps) steps, no answer differs")
    }
}

/// A store that can be closed and opened again with its data.
protocol DurableStore: SnapshotStore {
    func close() async
    func runUpkeep(at time: Int64) async
    func findings() async throws -> [CheckReport.Finding]
}

extension SQLiteStore: DurableStore {
    func findings() async throws -> [CheckReport.Finding] { try await verify().findings }
}

extension PostgresStore: DurableStore {
    func findings() async throws -> [CheckReport.Finding] {
        try await check(nil, progress: { _ in }).findings
    }
}

/// One run of random calls on a store and on its model.
private struct RandomRun {
    private var random: Seeded
    private let scratch: Scratch
    private let reopened: () throws -> any DurableStore
    private var store: any DurableStore
    /// A second store over the same database, if there can be one. Calls go to both in turns.
    private var second: (any DurableStore)?
    private let model = MemoryStore()
    /// The documents in both stores, deleted or not. Both stores give them the same IDs.
    private var documents: [(id: DocumentID, store: Epoch, model: Epoch)] = []
    private var seq: Int64 = 0
    private var time: Int64 = 1000

    init(_ seed: UInt64, _ kind: StoreKind) throws {
        random = Seeded(seed)
        let scratch = try Scratch.inMemory()
        self.scratch = scratch
        switch kind {
        case .sqlite, .memory: reopened = { try RandomRun.opened(scratch) }
        case .postgres:
            let address = try PostgresCluster.shared.get().newAddress()
            // Both stores run at the same time, so each needs a name of its own.
            let names = Atomic(0)
            reopened = {
                try RandomRun.opened(address, as: "test-\(names.add(1, ordering: .relaxed).newValue)")
            }
        }
        store = try reopened()
        second = kind == .postgres ? try reopened() : nil
    }

    private static func opened(_ scratch: Scratch) throws(OpeningFault) -> SQLiteStore {
        try SQLiteStore(folder: scratch.path) { event in
            switch event {
            case .renewed, .damaged, .damagedRow, .diskFailed, .diskFull, .checkpointDiskFull:
                Issue.record("\(event)")
            default: break
            }
        }
    }

    private static func opened(_ address: String, as node: String) throws -> PostgresStore {
        try PostgresStore(PostgresAddress(address), node: node, allowsUnreplicated: true) { event in
            switch event {
            case .renewed, .damaged, .damagedRow, .failed, .full, .lost: Issue.record("\(event)")
            default: break
            }
        }
    }

    func end() async throws {
        let findings = try await store.findings()
        #expect(findings.isEmpty)
        await store.close()
        await second?.close()
        scratch.remove()
    }

    mutating func step() async throws {
        if let other = second, random.chance(50) { (store, second) = (other, store) }
        time += Int64(random.number(0...50))
        switch random.number(0...99) {
        case 0..<6: try await create()
        case 6..<8: try await delete()
        case 8..<11: try await undelete()
        case 11..<14: try await rename()
        case 14..<16: try await trim()
        case 16..<18: try await trimBesideAppends()
        case 18..<20: try await putSnapshot()
        case 20..<22: await store.runUpkeep(at: time + UpkeepPolicy.idle)
        case 22..<24: try await reopen()
        case 24..<34: try await look()
        case 34..<44: try await readHistory()
        case 44..<52: try await writeNote()
        case 52..<56: try await readNotes()
        default: try await append()
        }
    }

    private mutating func create() async throws {
        let name = try DocumentName("doc/\(random.number(0...4))")
        let (one, other) = (await store.create(name, at: time), await model.create(name, at: time))
        switch (one, other) {
        case (.created(let one), .created(let other)):
            try agree(one.like(other), other, "create \(name)")
            documents.append((one.id, one.epoch, other.epoch))
        case (.exists(let one), .exists(let other)): try agree(one.like(other), other, "create \(name)")
        default: throw Unexpected(what: "create \(name): \(one), \(other)")
        }
    }

    private mutating func append() async throws {
        guard !documents.isEmpty else { return }
        try await append(to: random.pick(documents))
    }

    private mutating func append(to document: (id: DocumentID, store: Epoch, model: Epoch)) async throws {
        var text = (try? await model.text(of: document.id).get().text) ?? TextBuffer()
        let entry = try? await model.entries(of: [document.id])[0].get()
        // Usually expect the head. Sometimes expect another revision, which may be trimmed.
        let expected = random.chance(5) ? Revision(random.number(0...60)) : entry?.head ?? 0
        var changes: [PushedChange] = []
        let pusher = random.pick([SampleLog.ann, SampleLog.bob])
        for _ in 0..<(random.chance(5) ? 0 : random.number(1...random.pick([1, 2, 30]))) {
            seq += 1
            let change = SampleChange.make(for: text, upTo: 2, &random)
            changes.append(try SampleLog.pushed(change, in: text, by: pusher, seq: seq))
            try text.apply(change)
        }
        func append(_ epoch: Epoch) -> Append {
            Append(
                document: document.id, epoch: epoch, expected: expected, changes: changes,
                lineBreak: seq % 7 == 0 ? .crlf : nil)
        }
        let outcome = await store.append(append(document.store))
        try agree(outcome, await model.append(append(document.model)), "append to \(document.id)")
    }

    private mutating func delete() async throws {
        guard !documents.isEmpty else { return }
        let id = random.pick(documents).id
        let (one, other) = (await store.delete(id, at: time), await model.delete(id, at: time))
        try agree(one, other, "delete \(id)")
        let (left, kept) = (try await store.deleted().get(), try await model.deleted().get())
        try agree(left.entries.map(\.id), kept.entries.map(\.id), "deleted")
    }

    private mutating func undelete() async throws {
        guard !documents.isEmpty else { return }
        let id = random.pick(documents).id
        switch (await store.undelete(id), await model.undelete(id)) {
        case (.undeleted(let one), .undeleted(let other)):
            try agree(one.like(other), other, "undelete \(id)")
        case (let one, let other): try agree(one, other, "undelete \(id)")
        }
    }

    private mutating func rename() async throws {
        guard !documents.isEmpty else { return }
        let (id, name) = (random.pick(documents).id, try DocumentName("doc/\(random.number(0...4))"))
        let (one, other) = (await store.rename(id, to: name), await model.rename(id, to: name))
        try agree(one, other, "rename \(id)")
    }

    private mutating func trim() async throws {
        guard !documents.isEmpty else { return }
        let (id, revision) = (random.pick(documents).id, Revision(random.number(0...60)))
        let (one, other) = (
            await store.trim(id, through: revision), await model.trim(id, through: revision)
        )
        try agree(one, other, "trim \(id) through \(revision)")
    }

    /// Starts a trim, and writes to the same document and reads it before the trim has ended.
    private mutating func trimBesideAppends() async throws {
        guard !documents.isEmpty else { return }
        let document = random.pick(documents)
        guard let entry = try? await model.entries(of: [document.id])[0].get() else { return }
        let revision = Revision(random.number(entry.start.value...entry.head.value))
        let (answers, sink) = AsyncStream.makeStream(of: StoreAnswer.self)
        store.run(.trim(document.id, through: revision)) { sink.yield($0) }
        for _ in 0..<random.number(0...4) {
            try await append(to: document)
            // The kept revisions can be read during the trim and after it.
            let kept = Revision(random.number(revision.value...entry.head.value))
            let (text, known) = (
                await store.text(of: document.id, at: kept), await model.text(of: document.id, at: kept)
            )
            try agree(text, known, "text of \(document.id) at \(kept) beside a trim")
            if random.chance(30) { try await putSnapshot(of: document.id, at: kept) }
            if random.chance(30) { await store.runUpkeep(at: time + UpkeepPolicy.idle) }
        }
        var answer = answers.makeAsyncIterator()
        let other = await model.trim(document.id, through: revision)
        try agree(
            await answer.next(), .trimmed(other), "trim \(document.id) through \(revision) beside appends")
    }

    private mutating func putSnapshot() async throws {
        guard !documents.isEmpty else { return }
        try await putSnapshot(of: random.pick(documents).id, at: Revision(random.number(0...60)))
    }

    /// Stores a snapshot of the right text, or sometimes of a wrong text.
    private mutating func putSnapshot(of id: DocumentID, at revision: Revision) async throws {
        var text = (try? await model.text(of: id, at: revision).get().text) ?? TextBuffer()
        if random.chance(20) { try text.apply(SampleChange.change([SampleChange.edit(0, 0, "x")])) }
        let snapshot = Snapshot(revision: revision, text: text)
        let (one, other) = (
            await store.putSnapshot(snapshot, of: id), await model.putSnapshot(snapshot, of: id)
        )
        try agree(refusal(one), refusal(other), "snapshot of \(id) at \(revision)")
    }

    /// Compares the lists of names, and the pushers of a document, in the store and in the model.
    private mutating func look() async throws {
        let (list, known) = (
            try await store.list(prefix: "doc", limit: 3).get(),
            try await model.list(prefix: "doc", limit: 3).get()
        )
        try agree(list.hasMore, known.hasMore, "list")
        for (one, other) in zip(list.entries, known.entries) { try agree(one.like(other), other, "list") }
        try agree(list.entries.count, known.entries.count, "list")
        guard !documents.isEmpty else { return }
        let id = random.pick(documents).id
        for pusher in [SampleLog.ann, SampleLog.bob] {
            let (one, other) = (await store.pusher(pusher, in: id), await model.pusher(pusher, in: id))
            try agree(one, other, "\(pusher) in \(id)")
        }
    }

    private mutating func readHistory() async throws {
        guard !documents.isEmpty else { return }
        let (id, revision) = (random.pick(documents).id, Revision(random.number(0...200)))
        let at = random.chance(30) ? nil : revision
        let (text, known) = (await store.text(of: id, at: at), await model.text(of: id, at: at))
        try agree(text, known, "text of \(id) at \(revision)")
        let limit = random.number(0...300)
        let (read, log) = (
            await store.read(id, after: revision, limit: limit),
            await model.read(id, after: revision, limit: limit)
        )
        try agree(read, log, "read \(id) after \(revision)")
    }

    // MARK: Notes

    private mutating func writeNote() async throws {
        guard !documents.isEmpty else { return }
        let id = random.pick(documents).id
        let known = (try? await model.notes(of: id).get())?.notes ?? []
        let limits = NoteLimits(notes: 12, bytes: 600)
        guard let note = known.isEmpty || random.chance(40) ? nil : random.pick(known) else {
            let parent = random.chance(30) ? NoteNumber(Int64(random.number(1...6))) : nil
            let content = NoteContent(
                parent: parent, user: random.pick(["ann", "bob"]), time: time,
                text: ByteString(SampleText.lines(bytes: 40, &random)),
                quote: "x", place: parent == nil ? await place(in: id) : nil,
                request: random.chance(50) ? "" : ByteString("r\(random.number(0...9))"))
            let (one, other) = (
                await store.addNote(content, to: id, limits), await model.addNote(content, to: id, limits)
            )
            return try agree(one, other, "note in \(id)")
        }
        let change: NoteChange =
            switch random.number(0...9) {
            case 0..<4:
                .rewrite(ByteString(SampleText.lines(bytes: 60, &random)), await place(in: id), at: time)
            case 4..<6: .resolve
            case 6: .reopen
            case 7: .reject
            default: .remove
            }
        let version = random.chance(10) ? note.version + 1 : note.version
        if random.chance(20) { return try await accept(note, version, in: id) }
        let user: ByteString? = random.pick([nil, nil, "ann", "bob"])
        let (one, other) = (
            await store.changeNote(note.number, of: id, version: version, change, limits, ifBy: user),
            await model.changeNote(note.number, of: id, version: version, change, limits, ifBy: user)
        )
        try agree(one, other, "note \(note.number.value) of \(id)")
    }

    /// Accepts a note with its suggestion, if it has one, and sometimes at another revision than the head.
    private mutating func accept(_ note: Note, _ version: Int64, in id: DocumentID) async throws {
        guard let loaded = try? await model.load(id).get() else { return }
        let text = loaded.head.text
        let change = note.movingPlace?.suggestion ?? Change()
        let logged = LoggedChange(
            pusher: Pusher(user: "ann", client: ByteString("note/\(note.number.value)")), seq: 1,
            time: max(time, loaded.entry.updated),
            edits: try change.edits.map { try LoggedEdit($0, in: text) })
        let expected = Revision(loaded.head.revision.value + (random.chance(10) ? 1 : 0))
        let append = Append(
            document: id, epoch: loaded.entry.epoch, expected: expected,
            changes: change.isEmpty ? [] : [PushedChange(logged, digest: Digest(.zero))])
        // The epochs of the store and of the model differ.
        guard let entry = try? await store.load(id).get().entry else { return }
        let own = Append(
            document: id, epoch: entry.epoch, expected: expected, changes: append.changes)
        let (one, other) = (
            await store.acceptNote(note.number, version: version, own),
            await model.acceptNote(note.number, version: version, append)
        )
        try agree(one, other, "acceptance of note \(note.number.value) of \(id)")
    }

    /// A place in a text of the document, and sometimes in a text that is not kept, or nowhere.
    private mutating func place(in id: DocumentID) async -> NotePlace? {
        if random.chance(20) { return nil }
        let revision = Revision(random.number(0...60))
        guard let text = try? await model.text(of: id, at: revision).get().text else {
            return NotePlace(at: revision, Selection(caret: 0))
        }
        let ends = [random.number(0...text.end.value), random.number(0...text.end.value)].sorted()
        let words = Selection(anchor: Offset(ends[0]), head: Offset(ends[1]))
        return NotePlace(
            at: revision, words,
            suggesting: random.chance(50) ? SampleChange.make(for: text, upTo: 2, &random) : nil)
    }

    private mutating func readNotes() async throws {
        guard !documents.isEmpty else { return }
        let (id, counter) = (random.pick(documents).id, Int64(random.number(0...12)))
        let (number, limit) = (Int64(random.number(0...6)), random.pick([1, 3, .max]))
        let (one, other) = (
            await store.notes(of: id, since: counter, after: number, limit: limit),
            await model.notes(of: id, since: counter, after: number, limit: limit)
        )
        switch (one, other) {
        case (.success(let one), .success(let other)):
            try agree(one.entry.like(other.entry), other.entry, "notes of \(id)")
            try agree(one.notes, other.notes, "notes of \(id)")
            try agree(
                [one.counter, one.isWhole ? 1 : 0], [other.counter, other.isWhole ? 1 : 0], "notes of \(id)")
        case (.failure(let one), .failure(let other)): try agree(one, other, "notes of \(id)")
        default: throw Unexpected(what: "notes of \(id): \(one), and the model: \(other)")
        }
    }

    private mutating func reopen() async throws {
        await store.close()
        store = try reopened()
    }

    private func agree<Answer: Equatable>(_ store: Answer, _ model: Answer, _ call: String) throws {
        if store != model { throw Unexpected(what: "\(call): \(store), and the model: \(model)") }
    }
}

extension DocumentEntry {
    /// The same entry with the epoch of `other`. Epochs are random, so a comparison must ignore them.
    fileprivate func like(_ other: DocumentEntry) -> DocumentEntry {
        DocumentEntry(
            id: id, name: name, epoch: other.epoch, head: head, start: start, length: length,
            updated: updated,
            lineBreak: lineBreak, deleted: deleted)
    }
}
