import CaretCore
import CaretLog
import CaretStore
import TestSupport
import Testing

@Suite("The store in SQLite") struct SQLiteStoreTests {
    @Test("committed changes can be read after reopening, in the same epoch")
    func reopened() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let (entry, text) = try await typed(into: scratch, "a😀é\u{301}b")
        let store = try SQLiteStore(folder: scratch.path)
        #expect(try await store.find(entry.name).get() == entry)
        #expect(try await store.text(of: entry.id).get() == Snapshot(revision: entry.head, text: text))
        #expect(try await store.pusher(SampleLog.ann, in: entry.id).get().entry?.revision == entry.head)
    }

    @Test("a call that changes nothing is answered without a commit")
    func noCommit() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let recorder = EventRecorder()
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds) { recorder.add($0) }
        let migrations = recorder.all
        let document = try await TrackedDocument(on: store)
        let append = try document.append([SampleChange.edit(0, 0, "x")], seq: 1)
        #expect(await store.append(append) == .committed(head: 1))
        let commit: [StoreEvent] = [.writing(1), .committing(1), .committed]
        #expect(recorder.all == migrations + commit + commit)
        let entry = try await store.find(document.entry.name).get()
        #expect(await store.append([]) == [])
        #expect(await store.append(append) == .conflict(head: 1))
        #expect(await store.create(entry.name) == .exists(entry))
        #expect(await store.undelete(entry.id) == .live)
        #expect(refusal(await store.revokeToken(TokenID(9))) == .gone)
        let unchanged = Array(repeating: StoreEvent.writing(1), count: 5)
        #expect(recorder.all == migrations + commit + commit + unchanged)
        await store.close()
        #expect(recorder.all.suffix(2) == [.checkpointing, .checkpointed])
    }

    @Test("changes of many writers are committed in groups, each once, in order")
    func groups() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        await withTaskGroup { group in
            for writer in 0..<24 {
                group.addTask { await type(40, as: writer, into: store) }
            }
        }
        for writer in 0..<24 {
            let entry = try await store.find(DocumentName("doc/\(writer)")).get()
            #expect(entry.head == 40)
            #expect(try await store.text(of: entry.id).get().text.length.utf8 == 40)
        }
    }

    @Test(
        "a changed segment, snapshot or row damages only its document"
    )
    func damage() async throws {
        let harms = [
            "UPDATE segment SET body = CAST(substr(body, 1, length(body) - 1) || x'7A' AS BLOB) WHERE first = 2",
            "UPDATE segment SET after = zeroblob(32) WHERE first = 3", "DELETE FROM segment WHERE first = 2",
            "UPDATE document SET chain = zeroblob(32) WHERE id = 1",
            "UPDATE document SET name = CAST(x'2F' || name AS BLOB) WHERE id = 1",
            "UPDATE segment SET last = 5 WHERE first = 3",
        ]
        for damage in harms {
            let scratch = try Scratch()
            defer { scratch.remove() }
            let (entry, _) = try await typed(into: scratch, "abc")
            try DataFolder(scratch.path).openForWriting().execute(damage)
            let store = try SQLiteStore(folder: scratch.path)
            #expect(refusal(await store.text(of: entry.id)) == .refused(.damaged), "\(damage)")
            guard case .created(let other) = await store.create(try DocumentName("other")) else {
                throw Unexpected(what: "another document cannot be created after \(damage)")
            }
            #expect(try await store.text(of: other.id).get().text == TextBuffer())
            await store.close()
        }
    }

    @Test("a history is read from its newest snapshot, trimmed inside a segment")
    func snapshots() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        var document = try await TrackedDocument(on: store)
        for _ in 0..<3 { try await document.typeAtOnce("abcdef") }
        let id = document.entry.id
        #expect(
            refusal(await store.putSnapshot(Snapshot(revision: 10, text: document.texts[10]), of: id)) == nil)
        for (revision, text) in document.texts.enumerated() {
            #expect(try await store.text(of: id, at: Revision(revision)).get().text == text)
        }
        #expect(await store.trim(id, through: 10) == .trimmed(start: 10))
        #expect(try await store.read(id, after: 10).get().segment.changes == Array(document.log[10...]))
        #expect(try await store.text(of: id, at: 15).get().text == document.texts[15])
        #expect(refusal(await store.text(of: id, at: 9)) == .trimmed(start: 10))
    }

    @Test("a locked append rebases over at most 4096 revisions")
    func lockedAppend() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        var document = try await TrackedDocument(on: store)
        let late = try document.append([SampleChange.edit(0, 0, "y")], by: SampleLog.bob, seq: 1)
        func missed(_ append: Append) async -> (missed: [LoggedChange], outcome: AppendOutcome) {
            await store.appendLocked(append) { _ in late.changes }
        }
        try await document.typeAtOnce(String(repeating: "x", count: 4096))
        let answer = await missed(late)
        #expect(answer.missed.count == 4096 && answer.outcome == .committed(head: 4097))
        let beyond = await missed(late)
        #expect(beyond.missed.isEmpty && beyond.outcome == .conflict(head: 4097))
        let other = Epoch(generation: late.epoch.generation, document: late.epoch.document &+ 1)
        for expected in [Revision(0), 4097, 9999] {
            let elsewhere = Append(
                document: late.document, epoch: other, expected: expected, changes: late.changes)
            #expect(await missed(elsewhere).outcome == .documentGone, "\(expected)")
        }
        #expect(await store.trim(late.document, through: 4000) == .trimmed(start: 4000))
        #expect(await missed(late).outcome == .conflict(head: 4097))
        await store.close()
    }

    /// Commits letters one by one to a new document, and closes the store.
    private func typed(into scratch: Scratch, _ letters: String) async throws -> (DocumentEntry, TextBuffer) {
        let store = try SQLiteStore(folder: scratch.path)
        var document = try await TrackedDocument(on: store)
        try await document.type(letters)
        let entry = try await store.find(document.entry.name).get()
        await store.close()
        return (entry, document.text)
    }
}

/// Types letters into a document of this writer. Waits for each ack.
private func type(_ count: Int, as writer: Int, into store: SQLiteStore) async {
    do {
        var document = try await TrackedDocument(on: store, "doc/\(writer)")
        try await document.type(String(repeating: "x", count: count))
    } catch {
        Issue.record("writer \(writer): \(error)")
    }
}
