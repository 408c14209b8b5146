import CaretConcurrency
import CaretCore
import CaretFormat
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

    @Test("a clock that is behind the newest change is reported at the start")
    func clockBehind() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        _ = try await typed(into: scratch, "ab")
        for (now, expected) in [(0, 0), (-10_000, 1)] as [(Int64, Int)] {
            var settings = StoreSettings.withoutRounds
            settings.now = { now }
            let recorder = EventRecorder()
            let store = try SQLiteStore(folder: scratch.path, settings: settings) { recorder.add($0) }
            let found = recorder.all.count { if case .clockIsBehind = $0 { true } else { false } }
            #expect(found == expected, "\(now)")
            await store.close()
        }
    }

    @Test("a call that changes nothing is answered without a commit")
    func noCommit() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let recorder = EventRecorder()
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds) { recorder.add($0) }
        #expect(await store.undelete(DocumentID(99)) == .refused(.gone))
        let migrations = recorder.all
        #expect(migrations.last == .writing(1))
        let document = try await TrackedDocument(on: store)
        let append = try document.append([SampleChange.edit(0, 0, "x")], seq: 1)
        #expect(await store.append(append) == .committed(head: 1))
        let commit: [StoreEvent] = [.writing(1), .committing(1), .committed]
        #expect(recorder.all == migrations + commit + commit)
        let entry = try await store.find(document.entry.name).get()
        let (name, first) = (try DocumentName("filled"), InitialHistory(append.changes))
        guard case .created = await store.create(name, first) else { throw Unexpected(what: "no document") }
        #expect(recorder.all == migrations + commit + commit + commit)
        #expect(await store.undelete(DocumentID(99)) == .refused(.gone))
        #expect(await store.append(append) == .conflict(head: 1))
        #expect(await store.create(entry.name) == .exists(entry))
        #expect(await store.undelete(entry.id) == .live)
        #expect(await store.revokeToken(TokenID(9)) == .gone)
        let unchanged = Array(repeating: StoreEvent.writing(1), count: 5)
        #expect(recorder.all == migrations + commit + commit + commit + unchanged)
        await store.close()
        #expect(recorder.all.suffix(2) == [.checkpointing, .checkpointed])
    }

    @Test("grouped commits of many writers have each change once, and in order")
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
            // A digest has exactly 32 bytes.
            "UPDATE segment SET before = CAST(before || x'00' AS BLOB) WHERE first = 2",
            "UPDATE segment SET after = CAST(after || x'00' AS BLOB) WHERE first = 2",
            "UPDATE document SET chain = CAST(chain || x'00' AS BLOB) WHERE id = 1",
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

    @Test("damage in one segment does not prevent reads that need only other ones")
    func damageElsewhere() async throws {
        for (damaged, readable) in [(1, [0]), (3, [0, 1, 2])] {
            let scratch = try Scratch.inMemory()
            defer { scratch.remove() }
            let (entry, _) = try await typed(into: scratch, "abc")
            try DataFolder(scratch.path).openForWriting().execute(
                "UPDATE segment SET time = time + 1 WHERE first = \(damaged)")
            let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
            for revision in 0...3 {
                let text = await store.text(of: entry.id, at: Revision(revision))
                #expect((refusal(text) == nil) == readable.contains(revision), "\(damaged): \(revision)")
            }
            // A page with the first change ends where the second change does not fit.
            let page = await store.read(entry.id, after: 0, limit: 1)
            #expect((refusal(page) == nil) == (damaged == 3))
            await store.close()
        }
    }

    @Test("a text with a snapshot at its head is read without a large segment")
    func largeLastSegment() async throws {
        for (count, isRead) in [(10, true), (3000, false)] {
            let scratch = try Scratch.inMemory()
            defer { scratch.remove() }
            let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
            var document = try await TrackedDocument(on: store)
            let text = String(repeating: "x", count: count)
            let append = try document.append([SampleChange.edit(0, 0, text)], seq: 1)
            #expect(await store.append(append) == .committed(head: 1))
            try document.follow(append)
            #expect(await document.putSnapshot() == nil)
            await store.close()
            try DataFolder(scratch.path).openForWriting().execute(
                "UPDATE segment SET body = zeroblob(length(body))")
            let again = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
            let answer = refusal(await again.text(of: document.entry.id))
            #expect((answer == .refused(.damaged)) == isRead, "\(count)")
            await again.close()
        }
    }

    @Test(
        "a damaged row of a pusher is refused, and found by a check",
        arguments: [
            "seq = seq + 1", "revision = revision - 1", "used = used + 1", "digest = zeroblob(32)",
            "digest = CAST(digest || x'00' AS BLOB)", "sum = sum + 1",
        ])
    func damagedPusher(damage: String) async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let (entry, _) = try await typed(into: scratch, "abc")
        try DataFolder(scratch.path).openForWriting().execute("UPDATE pusher SET \(damage)")
        #expect(try SQLiteStore.verify(folder: scratch.path).findings.map(\.fault) == [.pusher])
        let store = try SQLiteStore(folder: scratch.path)
        #expect(refusal(await store.pusher(SampleLog.ann, in: entry.id)) == .damaged)
        await store.close()
    }

    @Test("an append writes the row of each pusher only once")
    func pusherRows() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        try DataFolder(scratch.path).openForWriting().execute(
            """
            CREATE TABLE written (seq);
            CREATE TRIGGER note AFTER INSERT ON pusher BEGIN INSERT INTO written VALUES (NEW.seq); END;
            CREATE TRIGGER note_again AFTER UPDATE ON pusher BEGIN INSERT INTO written VALUES (NEW.seq); END;
            """)
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        var document = try await TrackedDocument(on: store)
        for _ in 0..<2 { try await document.typeAtOnce("abcde") }
        await store.close()
        #expect(try scratch.count("written") == 2 && scratch.number("SELECT sum(seq) FROM written") == 15)
    }

    @Test("a call that fails before its commit reports that it saved nothing")
    func failedCall() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let recorder = EventRecorder()
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds) { recorder.add($0) }
        let document = try await TrackedDocument(on: store)
        try Database(path: scratch.databasePath, for: .write).execute("ALTER TABLE pusher RENAME TO lost")
        let append = try document.append([SampleChange.edit(0, 0, "x")], seq: 1)
        for _ in 0..<2 { #expect(await store.append(append) == .diskFailed) }
        #expect(recorder.hasFailed)
        await store.close()
    }

    @Test("a write waits for another connection that has locked the database")
    func lockedDatabase() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        await (try SQLiteStore(folder: scratch.path, settings: .withoutRounds)).close()
        // Its own queue releases the lock, because the threads of the tests may be busy for longer than a write waits.
        let (database, commits) = (try Database(path: scratch.databasePath, for: .write), Shared(0))
        let other = QueueConfined(database, on: "caret.test.other")
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds) { event in
            guard case .writing = event else { return }
            other.async { database in
                if (try? database.run("COMMIT")) != nil { commits.change { $0 += 1 } }
            }
        }
        #expect(await other.run { database in (try? database.run("BEGIN IMMEDIATE")) != nil })
        let answer = await store.create(try DocumentName("notes"))
        #expect(commits.value == 1)
        guard case .created = answer else { throw Unexpected(what: "the write did not wait") }
        await store.close()
    }

    @Test("reads start at the newest snapshot, and a trim may split a segment")
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

    @Test("an append under the store's lock rebases over at most 4096 revisions")
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
func type(_ count: Int, as writer: Int, into store: SQLiteStore) async {
    do {
        var document = try await TrackedDocument(on: store, "doc/\(writer)")
        try await document.type(String(repeating: "x", count: count))
    } catch {
        Issue.record("writer \(writer): \(error)")
    }
}
