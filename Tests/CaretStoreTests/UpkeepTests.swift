import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import TestSupport
import Testing

@Suite("Upkeep: merging, trimming, purging and forgetting") struct UpkeepTests {
    @Test("a long history is merged into few segments, and gets a snapshot")
    func merged() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        var document = try await TrackedDocument(on: store)
        for round in 0..<40 {
            try await document.typeAtOnce(String(repeating: "abcdefgh ", count: 1 + round % 3))
            try await document.type("é😀\n", by: round % 4 == 0 ? SampleLog.bob : SampleLog.ann)
        }
        await store.runUpkeep(at: .max)
        let rows = try scratch.count("segment")
        #expect(rows < 8, "\(rows) segments")
        let (snapshot, head) = (try scratch.number("SELECT snapshot FROM document"), document.head.value)
        #expect(head - Int(snapshot) <= UpkeepPolicy.mostChanges(sinceSnapshotOf: document.text.length.utf8))
        let id = document.entry.id
        #expect(try await store.read(id, after: 0).get().segment == Segment(first: 1, changes: document.log))
        for revision in stride(from: 0, through: head, by: 7) {
            let text = try await store.text(of: id, at: Revision(revision)).get().text
            #expect(text == document.texts[revision], "revision \(revision)")
        }
        await store.close()
    }

    @Test("merging during writes refuses no call")
    func mergedWhileWriting() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let merges = ThreadSafeCounter()
        let store = try SQLiteStore(folder: scratch.path) { event in
            if case .merging = event { merges.add() }
        }
        try await withThrowingTaskGroup { group in
            for name in ["a", "b", "c"] {
                group.addTask {
                    var document = try await TrackedDocument(on: store, name)
                    try await document.type(String(repeating: "xyz", count: 150))
                    let changes = try await store.read(document.entry.id, after: 0).get().segment.changes
                    #expect(changes == document.log)
                }
            }
            try await group.waitForAll()
        }
        await store.runUpkeep(at: .max)
        #expect(merges.count >= 3)
        #expect(try scratch.count("segment") < 3 * 8)
        await store.close()
    }

    /// Rule A8.
    @Test("a deleted document is kept for the set time, then purged completely")
    func purged() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        var document = try await TrackedDocument(on: store)
        for _ in 0..<40 { try await document.type("ab") }
        let other = try await TrackedDocument(on: store, "other")
        let (id, month) = (document.entry.id, 30 * StoreSettings.day)
        #expect(await store.delete(id, at: 1000) == nil)
        await store.runUpkeep(at: month + 999)
        guard case .undeleted = await store.undelete(id) else {
            throw Unexpected(what: "the document was purged a millisecond too early")
        }
        #expect(await store.delete(id, at: 1000) == nil)
        await store.runUpkeep(at: month + 1000)
        #expect(await store.undelete(id) == .refused(.gone))
        for table in ["segment", "snapshot", "pusher"] { #expect(try scratch.count(table) == 0, "\(table)") }
        #expect(try scratch.count("document") == 1)
        #expect(refusal(await store.find(other.entry.name)) == nil)
        // The ID of a purged document is never used again.
        guard case .created(let again) = await store.create(document.entry.name) else {
            throw Unexpected(what: "the name was not free")
        }
        #expect(again.id > other.entry.id)
        await store.close()
    }

    @Test("a deleted document keeps its pushers as long as it can be undeleted")
    func deletedPushers() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        var settings = StoreSettings()
        settings.keepDeleted = 365 * StoreSettings.day
        let store = try SQLiteStore(folder: scratch.path, settings: settings)
        var document = try await TrackedDocument(on: store)
        try await document.type("ab")
        #expect(await store.delete(document.entry.id, at: 1000) == nil)
        await store.runUpkeep(at: 100 * StoreSettings.day)
        #expect(try scratch.count("pusher") == 1)
        await store.close()
    }

    @Test("a document undeleted before its purge begins is kept")
    func broughtBack() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let recorder = EventRecorder()
        let store = try SQLiteStore(folder: scratch.path) { recorder.add($0) }
        var documents: [DocumentID] = []
        for number in 0..<(isFullRun ? 1000 : 100) {
            let document = try await TrackedDocument(on: store, "doc/\(number)")
            documents.append(document.entry.id)
            #expect(await store.delete(document.entry.id, at: 1) == nil)
        }
        async let round: Void = store.runUpkeep(at: 40 * StoreSettings.day)
        var kept: Set<DocumentID> = []
        for id in documents.reversed() {
            if case .undeleted = await store.undelete(id) { kept.insert(id) }
        }
        await round
        let entries = await store.entries(of: documents)
        for (id, entry) in zip(documents, entries) {
            #expect((refusal(entry) == nil) == kept.contains(id), "\(id)")
            #expect(recorder.all.contains(.purged(id)) == !kept.contains(id), "\(id)")
        }
        await store.close()
    }

    /// Rule P11.
    @Test("a pusher is forgotten after the set time, and not before")
    func forgotten() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        var document = try await TrackedDocument(on: store)
        try await document.type("a")
        try await document.type("bc", by: SampleLog.bob)
        // Sample changes have the time 1000 plus their seq.
        let quarter = 90 * StoreSettings.day
        await store.runUpkeep(at: quarter + 1001)
        #expect(try await store.pusher(SampleLog.ann, in: document.entry.id).get().entry != nil)
        await store.runUpkeep(at: quarter + 1002)
        #expect(try await store.pusher(SampleLog.ann, in: document.entry.id).get().entry == nil)
        #expect(try await store.pusher(SampleLog.bob, in: document.entry.id).get().entry?.seq == 3)
        await store.close()
    }

    @Test("if the settings allow no rounds, the store deletes no data")
    func withoutRounds() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let settings = StoreSettings.withoutRounds
        #expect(settings.roundEvery == nil && settings.keepHistory == .all)
        let store = try SQLiteStore(folder: scratch.path, settings: settings)
        var document = try await TrackedDocument(on: store)
        try await document.type("ab")
        let id = document.entry.id
        #expect(await store.delete(id, at: 1000) == nil)
        await store.runUpkeep(at: .max)
        guard case .undeleted = await store.undelete(id) else {
            throw Unexpected(what: "the document was purged")
        }
        await store.runUpkeep(at: .max)
        #expect(try await store.pusher(SampleLog.ann, in: id).get().entry != nil)
        await store.close()
    }

    @Test("trimming by time keeps exactly the revisions of the set time")
    func trimmedByTime() async throws {
        var settings = StoreSettings()
        settings.keepHistory = .time(5000)
        let (store, document, scratch) = try await trimmed(settings, at: 1040 + 5000)
        defer { scratch.remove() }
        // Change n has the time 1000 + n. The changes before 1040 are trimmed.
        #expect(try await store.find(document.entry.name).get().start == 39)
        try await check(store, document, from: 39)
        #expect(try scratch.number("SELECT min(first) FROM segment") == 40)
        await store.runUpkeep(at: 1040 + 5000)
        #expect(try await store.find(document.entry.name).get().start == 39)
        await store.close()
    }

    @Test("trimming by count leaves exactly the set number of revisions")
    func trimmedByCount() async throws {
        var settings = StoreSettings()
        settings.keepHistory = .revisions(32)
        let (store, document, scratch) = try await trimmed(settings, at: .max)
        defer { scratch.remove() }
        #expect(try await store.find(document.entry.name).get().start == 68)
        try await check(store, document, from: 68)
        #expect(try scratch.number("SELECT min(first) FROM segment") == 69)
        #expect(try scratch.count("snapshot") >= 1)
        await store.close()
    }

    @Test("a round reads the history of an idle document only once")
    func idleDocument() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        var document = try await TrackedDocument(on: store)
        try await document.type("abcdef")
        await store.close()
        // Once the document is idle, a merge is due. Each attempt to merge reads the history, and reports the
        // damage.
        try DataFolder(scratch.path).openForWriting().execute(
            "UPDATE segment SET time = time + 1 WHERE first = 4")
        let recorder = EventRecorder()
        let again = try SQLiteStore(folder: scratch.path, settings: .withoutRounds) { recorder.add($0) }
        // The last change has the time 1006.
        let idle = 1006 + UpkeepPolicy.idle
        for (time, wanted) in [(idle - 1, 0), (idle, 1), (idle + 1, 1)] {
            await again.runUpkeep(at: time)
            let reports = recorder.all.count { $0 == .damaged(document.entry.id) }
            #expect(reports == wanted, "after the round at \(time)")
        }
        await again.close()
    }

    @Test("free space is returned to the file system")
    func space() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        var document = try await TrackedDocument(on: store)
        for _ in 0..<300 { try await document.type("abcd") }
        await store.close()
        let before = try scratch.databaseBytes().count
        let again = try SQLiteStore(folder: scratch.path)
        await again.runUpkeep(at: .max)
        await again.close()
        #expect(try scratch.databaseBytes().count < before)
        #expect(try scratch.number("PRAGMA freelist_count") * 8 <= scratch.number("PRAGMA page_count"))
    }

    @Test("rounds run at intervals, and use the clock of the settings")
    func rounds() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let (purged, purge) = AsyncStream.makeStream(of: DocumentID.self)
        var settings = StoreSettings()
        settings.roundEvery = .milliseconds(5)
        settings.now = { 31 * StoreSettings.day }
        let store = try SQLiteStore(folder: scratch.path, settings: settings) { event in
            if case .purged(let document) = event { purge.yield(document) }
        }
        let document = try await TrackedDocument(on: store)
        #expect(await store.delete(document.entry.id, at: 1000) == nil)
        var gone = purged.makeAsyncIterator()
        #expect(await gone.next() == document.entry.id)
        await store.close()
    }

    @Test("closing a store completes all earlier calls")
    func closedWhileBusy() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        var document = try await TrackedDocument(on: store)
        try await document.typeAtOnce(String(repeating: "abc", count: 300))
        let id = document.entry.id
        let (answers, sink) = AsyncStream.makeStream(of: StoreAnswer.self)
        store.run(.trim(id, through: 700)) { sink.yield($0) }
        store.run(.text(id, at: 900)) { sink.yield($0) }
        await store.close()
        sink.finish()
        let found = await answers.reduce(into: []) { $0.append($1) }
        #expect(found.count == 2)
        #expect(found.contains(.trimmed(.trimmed(start: 700))))
        #expect(found.contains(.text(.success(Snapshot(revision: 900, text: document.text)))))
        let again = try SQLiteStore(folder: scratch.path)
        #expect(try await again.find(document.entry.name).get().start == 700)
        await again.close()
    }

    /// A store with these settings and a document of a hundred letters, after one run of upkeep.
    private func trimmed(
        _ settings: StoreSettings, at time: Int64
    ) async throws -> (SQLiteStore, TrackedDocument, Scratch) {
        let scratch = try Scratch()
        let store = try SQLiteStore(folder: scratch.path, settings: settings)
        var document = try await TrackedDocument(on: store)
        for _ in 0..<10 { try await document.typeAtOnce("0123456789") }
        await store.runUpkeep(at: time)
        return (store, document, scratch)
    }

    private func check(_ store: SQLiteStore, _ document: TrackedDocument, from start: Int) async throws {
        let id = document.entry.id
        #expect(
            refusal(await store.text(of: id, at: Revision(start - 1))) == .trimmed(start: Revision(start)))
        for revision in start...document.head.value {
            let text = try await store.text(of: id, at: Revision(revision)).get().text
            #expect(text == document.texts[revision])
        }
        let changes = try await store.read(id, after: Revision(start)).get().segment.changes
        #expect(changes == Array(document.log[start...]))
    }
}
