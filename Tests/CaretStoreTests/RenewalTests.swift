import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Databases that were replaced by an older copy") struct RenewalTests {
    @Test("an unchanged folder keeps its epochs when it is opened again")
    func unchanged() async throws {
        let sample = try await SampleStore(isCutOff: true)
        defer { sample.scratch.remove() }
        for _ in 0..<2 {
            let (events, entry) = try await opened(sample)
            #expect(events.isEmpty && entry?.epoch == sample.documents[0].entry.epoch)
            // Closing the store has copied the log into the database and removed it.
            #expect(try sample.scratch.files().keys.sorted() == ["caret.commits", "caret.sqlite"])
        }
    }

    @Test("the commit counter has fixed bytes, and is updated by each commit")
    func counterBytes() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        try DataFolder(scratch.path).openForWriting().execute(
            "INSERT INTO store (one, generation, commits, backup) VALUES (1, \(0x0102_0304_0506_0708), 9, NULL); PRAGMA user_version = 3"
        )
        // The generation, 9 commits, 3 checkpoints, and 16 bytes of a digest. Another program computed these
        // bytes as docs/storage.md describes.
        let counter: [UInt8] = [
            0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, 9, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0,
            0xB5, 0x35, 0xF4, 0xD2, 0xFF, 0x36, 0xA3, 0x60, 0x9E, 0xF2, 0xE0, 0xDA, 0x15, 0x4C, 0x72, 0x3D,
        ]
        let file = scratch.file("caret.commits")
        func found() throws -> [UInt8] { [UInt8](try Data(contentsOf: file)) }
        try Data(counter).write(to: file)
        let recorder = EventRecorder()
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds) { recorder.add($0) }
        #expect(try recorder.all.isEmpty && found() == counter)
        for number in 10...11 as ClosedRange<UInt8> {
            _ = await store.create(try DocumentName("\(number)"))
            // The writer updates the counter before it completes a call.
            #expect(try found()[8] == number && found()[16] == 3)
        }
        await store.close()
        #expect(try found()[8] == 11 && found()[16] == 4)
        #expect(try scratch.number("PRAGMA user_version") == 4)
    }

    /// Rules T4 and T6.
    @Test("an older copy of the database is reported, and renews every epoch")
    func older() async throws {
        let sample = try await SampleStore(isCutOff: false)
        defer { sample.scratch.remove() }
        let old = try sample.scratch.databaseBytes()
        let store = try SQLiteStore(folder: sample.scratch.path)
        var document = sample.documents[0]
        document.store = store
        try await document.type("more")
        await store.close()
        try sample.scratch.write(old)
        let (events, entry) = try await opened(sample)
        guard case .renewed(.behind(let commits, let known))? = events.first else {
            throw Unexpected(what: "\(events)")
        }
        #expect(known == commits + 4 && events.count == 1)
        #expect(entry?.epoch.generation != sample.documents[0].entry.epoch.generation)
        #expect(entry?.epoch.document == sample.documents[0].entry.epoch.document)
        #expect(entry?.head == sample.documents[0].head)
        // The renewal happens once: the next opening reports nothing.
        #expect(try await opened(sample).events.isEmpty)
    }

    @Test("a missing, unreadable or wrong commit counter is reported")
    func counters() async throws {
        let sample = try await SampleStore(isCutOff: false)
        let other = try await SampleStore(isCutOff: false)
        defer { sample.scratch.remove() }
        defer { other.scratch.remove() }
        let counter = sample.scratch.file("caret.commits")
        try FileManager.default.removeItem(at: counter)
        #expect(try await opened(sample).events == [.renewed(.noCounter)])
        try Data("not a counter".utf8).write(to: counter)
        #expect(try await opened(sample).events == [.renewed(.noCounter)])
        try Data(contentsOf: other.scratch.file("caret.commits")).write(to: counter)
        #expect(try await opened(sample).events == [.renewed(.otherGeneration)])
        #expect(try await opened(sample).events.isEmpty)
        try (Data(contentsOf: counter) + [0]).write(to: counter)
        #expect(try await opened(sample).events == [.renewed(.noCounter)])
        #expect(try await opened(sample).events.isEmpty)
    }

    @Test("a store restored from an older copy can still be opened after a crash")
    func olderAndCrashed() async throws {
        let sample = try await SampleStore(isCutOff: false)
        defer { sample.scratch.remove() }
        let old = try sample.scratch.databaseBytes()
        // Each closing is a checkpoint, so the counter gets a higher checkpoint number than the old copy.
        let store = try SQLiteStore(folder: sample.scratch.path)
        _ = await store.create(try DocumentName("later"))
        await store.close()
        try sample.scratch.write(old)
        let again = try SQLiteStore(folder: sample.scratch.path)
        _ = await again.create(try DocumentName("again"))
        let crashed = try sample.scratch.copied()
        defer { crashed.remove() }
        await again.close()
        let recorder = EventRecorder()
        let last = try SQLiteStore(folder: crashed.path) { recorder.add($0) }
        #expect(!recorder.isRenewed)
        #expect(refusal(await last.find(try DocumentName("again"))) == nil)
        await last.close()
    }

    @Test("the epochs of a new store or a restored backup are not renewed twice")
    func fresh() async throws {
        let (scratch, target) = (try Scratch.inMemory(), try Scratch.inMemory())
        defer { scratch.remove() }
        defer { target.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        let id = try await TrackedDocument(on: store).entry.id
        #expect(await store.renewEpochs(known: 9, of: id) == .success(false))
        _ = try await store.backUp(to: target.databasePath, at: 5)
        await store.close()
        // A backup has no log. So a log beside it belongs to another database.
        try Data("log".utf8).write(to: target.file("caret.sqlite-wal"))
        #expect(throws: OpeningFault.logOfOtherDatabase) { try SQLiteStore(folder: target.path) }
        // Write an empty log beside the backup. The store must not take it for the log of another database.
        try Data().write(to: target.file("caret.sqlite-wal"))
        for isFirst in [true, false] {
            let recorder = EventRecorder()
            let restored = try SQLiteStore(folder: target.path) { recorder.add($0) }
            #expect(recorder.isRenewed == isFirst)
            #expect(await restored.renewEpochs(known: 9, of: id) == .success(!isFirst))
            await restored.close()
        }
    }

    @Test("a removed database that had no commits can be created again")
    func unused() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let first = try SQLiteStore(folder: scratch.path)
        #expect(try Data(contentsOf: scratch.file("caret.commits")).count == 40)
        await first.close()
        try FileManager.default.removeItem(atPath: scratch.databasePath)
        let store = try SQLiteStore(folder: scratch.path)
        #expect(try await TrackedDocument(on: store).entry.head == 0)
        await store.close()
    }

    /// Rules T4 and B4.
    @Test("if a client knows later revisions, every epoch is renewed once")
    func clientIsAhead() async throws {
        let sample = try await SampleStore(isCutOff: true)
        defer { sample.scratch.remove() }
        let events = Mutex<[StoreEvent]>([])
        let store = try SQLiteStore(folder: sample.scratch.path) { event in
            if case .renewed = event { events.withLock { $0.append(event) } }
        }
        let old = try await store.find(sample.documents[0].entry.name).get()
        let append = Append(document: old.id, epoch: old.epoch, expected: old.head, changes: [])
        #expect(await store.append(append) == .committed(head: old.head))
        #expect(await store.renewEpochs(known: 999, of: old.id) == .success(true))
        #expect(events.withLock { $0 } == [.renewed(.clientIsAhead(old.id, known: 999))])
        let new = try await store.find(old.name).get()
        #expect(new.epoch.generation != old.epoch.generation && new.epoch.document == old.epoch.document)
        #expect(new.head == old.head)
        // An append with the old epoch is refused, because it belongs to another history. A second renewal
        // does nothing, because in the new epoch no client can know a later revision than the store.
        #expect(await store.append(append) == .documentGone)
        let renewed = Append(document: old.id, epoch: new.epoch, expected: old.head, changes: [])
        #expect(await store.append(renewed) == .committed(head: old.head))
        #expect(await store.renewEpochs(known: 1_000, of: old.id) == .success(false))
        await store.close()
        let (later, entry) = try await opened(sample)
        #expect(later.isEmpty && entry?.epoch == new.epoch)
    }

    @Test("a missing database is not replaced by an empty one")
    func lost() async throws {
        let sample = try await SampleStore(isCutOff: false)
        defer { sample.scratch.remove() }
        try sample.scratch.write(Data())
        #expect {
            try SQLiteStore(folder: sample.scratch.path)
        } throws: { fault in
            guard case .missingDatabase(let commits?) = fault as? OpeningFault else { return false }
            return commits > 100
        }
        #expect(try sample.scratch.databaseBytes().isEmpty)
        try Data("not a counter".utf8).write(to: sample.scratch.file("caret.commits"))
        #expect(throws: OpeningFault.missingDatabase(commits: nil)) {
            try SQLiteStore(folder: sample.scratch.path)
        }
    }

    /// Opens a store. Returns the events during opening, and the entry of the first document.
    private func opened(
        _ sample: SampleStore
    ) async throws -> (events: [StoreEvent], entry: DocumentEntry?) {
        let recorder = EventRecorder()
        let store = try SQLiteStore(folder: sample.scratch.path) { recorder.add($0) }
        let events = recorder.all
        let entry = try await store.find(sample.documents[0].entry.name).get()
        let text = try await store.text(of: entry.id).get().text
        #expect(text == sample.documents[0].texts[entry.head.value])
        await store.close()
        return (events, entry)
    }
}
