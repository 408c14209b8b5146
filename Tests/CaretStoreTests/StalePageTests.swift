import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import Foundation
import TestSupport
import Testing

/// If a disk loses a write, an old page remains. Its bytes have a correct checksum, but are out of date.
@Suite("Stale pages: old contents after a lost write") struct StalePageTests {
    /// A store in which `table` has its old content, from before `after` ran.
    private func staleFolder(
        _ table: String, before: (inout TrackedDocument) async throws -> Void = { try await $0.type("abc") },
        after: (inout TrackedDocument) async throws -> Void = { try await $0.type("defg") }
    ) async throws -> Scratch {
        let scratch = try Scratch.inMemory()
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        var document = try await TrackedDocument(on: store)
        try await before(&document)
        await store.close()
        let old = try scratch.databaseBytes()
        let again = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        document.store = again
        try await after(&document)
        await again.close()
        try scratch.putBack(table, from: old)
        return scratch
    }

    /// Reads the document of `TrackedDocument`, and returns the refusal.
    private func opened(_ store: SQLiteStore) async throws -> HistoryRefusal? {
        let entry = try await store.find(try DocumentName("notes/today")).get()
        return refusal(await store.text(of: entry.id))
    }

    @Test("a stale document row is found when its text or a pusher is read")
    func document() async throws {
        let scratch = try await staleFolder("document")
        defer { scratch.remove() }
        let recorder = EventRecorder()
        let store = try SQLiteStore(folder: scratch.path) { recorder.add($0) }
        let id = try await store.find(try DocumentName("notes/today")).get().id
        #expect(refusal(await store.pusher(SampleLog.ann, in: id)) == .damaged)
        #expect(try await opened(store) == .refused(.damaged))
        #expect(recorder.all.contains(.damaged(id)))
        #expect(try await !store.verify().isSound)
        await store.close()
    }

    @Test("a stale document row is found even if a snapshot is at its head")
    func documentAtSnapshot() async throws {
        let scratch = try await staleFolder("document") { document in
            try await document.type("abc")
            #expect(await document.putSnapshot() == nil)
        }
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        #expect(try await opened(store) == .refused(.damaged))
        await store.close()
    }

    @Test("stale segments are found even if a snapshot is at the head")
    func segmentsAtSnapshot() async throws {
        let scratch = try await staleFolder("segment") { document in
            try await document.type("defg")
            #expect(await document.putSnapshot() == nil)
        }
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        #expect(try await opened(store) == .refused(.damaged))
        await store.close()
    }

    @Test("a stale pusher row is found when the text is read, and by a check")
    func pusher() async throws {
        let scratch = try await staleFolder("pusher")
        defer { scratch.remove() }
        #expect(try SQLiteStore.verify(folder: scratch.path).findings.map(\.fault) == [.pusher])
        let store = try SQLiteStore(folder: scratch.path)
        #expect(try await opened(store) == .refused(.damaged))
        await store.close()
    }

    @Test("a stale pusher row is found even if a snapshot is at the head")
    func pusherAtSnapshot() async throws {
        let scratch = try await staleFolder("pusher") { document in
            try await document.type("defg")
            #expect(await document.putSnapshot() == nil)
        }
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        #expect(try await opened(store) == .refused(.damaged))
        await store.close()
    }

    @Test("a missing pusher row is found if an older pusher still has a row")
    func missingPusher() async throws {
        let scratch = try await staleFolder("pusher") { try await $0.type("d", by: SampleLog.bob) }
        defer { scratch.remove() }
        #expect(try SQLiteStore.verify(folder: scratch.path).findings.map(\.fault) == [.pusher])
        let store = try SQLiteStore(folder: scratch.path)
        #expect(try await opened(store) == .refused(.damaged))
        await store.close()
    }

    @Test("a check finds a stale pusher row of a push before the newest snapshot")
    func pusherFarBack() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        var document = try await TrackedDocument(on: store)
        try await document.type("a", by: SampleLog.bob)
        await store.close()
        try DataFolder(scratch.path).openForWriting().execute("CREATE TABLE kept AS SELECT * FROM pusher")
        document.store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        try await document.type("b", by: SampleLog.bob)
        #expect(await document.putSnapshot() == nil)
        try await document.type("c")
        await document.close()
        #expect(try SQLiteStore.verify(folder: scratch.path).isSound)
        try DataFolder(scratch.path).openForWriting().execute("REPLACE INTO pusher SELECT * FROM kept")
        #expect(try SQLiteStore.verify(folder: scratch.path).findings.map(\.fault) == [.pusher])
    }

    /// A store with 39 documents, in which the first page of `part` is from when it had 20.
    private func staleNames(_ part: String) async throws -> Scratch {
        let scratch = try Scratch.inMemory()
        let names = try (10..<49).map { try DocumentName("notes/\($0)") }
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        for name in names.prefix(20) { _ = await store.create(name) }
        await store.close()
        let old = try scratch.databaseBytes()
        let again = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        for name in names.dropFirst(20) { _ = await again.create(name) }
        await again.close()
        try scratch.putBack(part, from: old)
        return scratch
    }

    @Test("a stale index of names is made again from the documents")
    func names() async throws {
        let scratch = try await staleNames("document_name")
        defer { scratch.remove() }
        #expect(try !SQLiteStore.verify(folder: scratch.path).isSound)
        let recorder = EventRecorder()
        let store = try SQLiteStore(folder: scratch.path) { recorder.add($0) }
        #expect(recorder.all.contains(.namesRebuilt))
        let name = try DocumentName("notes/48")
        let found = try await store.find(name).get()
        #expect(await store.create(name) == .exists(found))
        let all = try await store.list(prefix: ByteString(""), after: nil, limit: 100).get()
        #expect(all.entries.count == 39)
        #expect(try await store.verify().isSound)
        await store.close()
        let opened = EventRecorder()
        await (try SQLiteStore(folder: scratch.path) { opened.add($0) }).close()
        #expect(!opened.all.contains(.namesRebuilt))
    }

    @Test("if the row of a document was lost, its name does not become free")
    func lostRows() async throws {
        let scratch = try await staleNames("document")
        defer { scratch.remove() }
        let recorder = EventRecorder()
        let store = try SQLiteStore(folder: scratch.path) { recorder.add($0) }
        #expect(recorder.all.contains(.damaged(nil)) && !recorder.all.contains(.namesRebuilt))
        let name = try DocumentName("notes/48")
        #expect(refusal(await store.find(name)) == .damaged)
        #expect(await store.create(name) == .refused(.damaged))
        await store.close()
    }

    @Test("a page that became stale while the store is open is damage, until all connections are closed")
    func staleWhileOpen() throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let path = scratch.databasePath
        var writer: Database? = try Database(path: path, for: .write)
        try writer?.reserveSums()
        try writer?.execute("CREATE TABLE item (id INTEGER PRIMARY KEY); INSERT INTO item VALUES (1)")
        let old = try scratch.databaseBytes()
        try writer?.execute("INSERT INTO item VALUES (2)")
        let new = try scratch.databaseBytes()
        func count() throws -> Int64 { try scratch.number("SELECT count(*) FROM item") }
        try scratch.putBack("item", from: old)
        #expect(throws: DatabaseFault.self) { try count() }
        try scratch.putBack("item", from: new)
        #expect(try count() == 2)
        try scratch.putBack("item", from: old)
        writer = nil
        #expect(try count() == 1)
    }

    @Test("a forgotten pusher is never reported as damage")
    func forgotten() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        var document = try await TrackedDocument(on: store)
        try await document.type("a")
        try await document.type("b", by: SampleLog.bob)
        // Ann pushed at 1001, and Bob at 1002. Upkeep removes the entry of a pusher more than 90 days after
        // the push, so it removes Ann's entry 1 ms before Bob's.
        await store.runUpkeep(at: 1002 + 90 * StoreSettings.day)
        #expect(try scratch.count("pusher") == 1)
        #expect(try await opened(store) == nil)
        #expect(try await store.verify().isSound)
        await store.runUpkeep(at: 1003 + 90 * StoreSettings.day)
        #expect(try scratch.count("pusher") == 0)
        #expect(try await opened(store) == nil)
        #expect(try await store.verify().isSound)
        await store.close()
    }
}

extension TrackedDocument {
    func close() async { await (store as? SQLiteStore)?.close() }

    /// Stores the text at the head as a snapshot.
    func putSnapshot() async -> HistoryRefusal? {
        await refusal(store.putSnapshot(Snapshot(revision: head, text: text), of: entry.id))
    }
}

extension Scratch {
    /// Replaces the first page of a table or an index by its old content. A small one has only one page.
    fileprivate func putBack(_ part: String, from old: Data) throws {
        let root = try Int(number("SELECT rootpage FROM sqlite_schema WHERE name = '\(part)'"))
        let place = (root - 1) * PageSums.pageSize..<root * PageSums.pageSize
        var bytes = try databaseBytes()
        bytes.replaceSubrange(place, with: old[place])
        // Writes into the same file, because a store may have it open.
        let file = try FileHandle(forWritingTo: URL(filePath: databasePath))
        try file.write(contentsOf: bytes)
        try file.close()
    }
}
