import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("The steps of upkeep") struct UpkeepStepTests {
    @Test("one run of upkeep does all steps that are due for a document")
    func allSteps() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        var document = try await TrackedDocument(on: store)
        await store.close()
        do {
            var pieces = try UpkeepPieces(scratch)
            for _ in 0..<64 {
                let append = try document.letters("abcde")
                _ = try pieces.commit { writer throws(StoreFault) in try writer.append(append) }
                try document.follow(append)
            }
        }
        let (steps, report) = AsyncStream.makeStream(of: StoreEvent.self)
        let again = try SQLiteStore(folder: scratch.path, settings: .withoutRounds) { event in
            switch event {
            case .merging, .snapshotting: report.yield(event)
            default: break
            }
        }
        document.store = again
        try await document.typeAtOnce("f")
        let id = document.entry.id
        var found = steps.makeAsyncIterator()
        #expect(await found.next() == .merging(id, segments: 65))
        #expect(await found.next() == .snapshotting(id, 321))
        await again.close()
    }

    @Test("an imported document gets its upkeep once it is published")
    func published() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let (steps, report) = AsyncStream.makeStream(of: StoreEvent.self)
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds) { event in
            if case .snapshotting = event { report.yield(event) }
        }
        let document = try await TrackedDocument(on: store)
        let entry = try await store.beginImport(
            DocumentImport(
                name: try DocumentName("imported"), start: Snapshot(revision: 0, text: TextBuffer()),
                lineBreak: .lf, updated: 7))
        let changes = try document.letters(String(repeating: "x", count: 257)).changes
        let append = Append(document: entry.id, epoch: entry.epoch, expected: 0, changes: changes)
        #expect(await store.append(append) == .committed(head: 257))
        // Meanwhile the upkeep that the append has caused finds no document.
        await store.runUpkeep(at: 0)
        #expect(try await store.publish([Publication(entry.id)]) == nil)
        var found = steps.makeAsyncIterator()
        #expect(await found.next() == .snapshotting(entry.id, 257))
        await store.close()
    }

    @Test("the store removes trimmed segments soon after a trim, without a round")
    func afterTrim() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        var document = try await TrackedDocument(on: store)
        try await document.type("abc")
        #expect(await store.trim(document.entry.id, through: 2) == .trimmed(start: 2))
        // After two minutes, the suite's time limit ends this loop.
        while try !Task.isCancelled && scratch.count("segment") > 1 { await Task.yield() }
        #expect(try scratch.number("SELECT first FROM segment") == 3)
        await store.close()
    }

    @Test("a round with nothing to do writes nothing")
    func idleRound() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let recorder = EventRecorder()
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds) { recorder.add($0) }
        var document = try await TrackedDocument(on: store)
        try await document.type("abc")
        let before = recorder.all
        for time in [0, Int64.max] { await store.runUpkeep(at: time) }
        #expect(recorder.all == before)
        await store.close()
    }

    @Test("steps for several documents share transactions of limited weight")
    func transactions() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        var documents: [TrackedDocument] = []
        for number in 0..<20 { documents.append(try await TrackedDocument(on: store, "doc/\(number)")) }
        await store.close()
        do {
            var pieces = try UpkeepPieces(scratch)
            for index in documents.indices {
                for _ in 0..<63 { try pieces.append("x", to: &documents[index]) }
            }
        }
        let (merges, report) = AsyncStream.makeStream(of: Void.self)
        let recorder = EventRecorder()
        let gate = WriterGate()
        let again = try SQLiteStore(folder: scratch.path, settings: .withoutRounds) { event in
            if case .writing = event { gate.pass() }
            if case .committing = event { recorder.add(event) }
            if case .merged = event { report.yield() }
        }
        _ = await gate.append(
            try documents.map { try $0.letters("x") }, to: again, behind: .undelete(DocumentID(99)))
        var merged = merges.makeAsyncIterator()
        for _ in documents { await merged.next() }
        await again.close()
        // A merge of 64 small segments has the weight 65. A transaction gets no further step once it has the
        // weight 1024.
        #expect(recorder.all == [.committing(20), .committing(16), .committing(4)])
    }

    @Test("a merged segment that is not stored as written is undone")
    func notWritten() async throws {
        let sample = try await PreparedDocument()
        defer { sample.scratch.remove() }
        var document = sample.document
        document.store = try SQLiteStore(folder: sample.scratch.path, settings: .withoutRounds)
        try await document.type("abcdef")
        await document.close()
        try DataFolder(sample.scratch.path).openForWriting().execute(
            """
            CREATE TRIGGER harm AFTER INSERT ON segment WHEN substr(NEW.body, 2, 1) = x'01'
            BEGIN UPDATE segment SET body = zeroblob(9) WHERE id = NEW.id; END
            """)
        let recorder = EventRecorder()
        let path = sample.scratch.path
        let store = try SQLiteStore(folder: path, settings: .withoutRounds) { recorder.add($0) }
        await store.runUpkeep(at: .max)
        let id = document.entry.id
        #expect(recorder.all.contains(.merging(id, segments: 6)) && recorder.all.contains(.damaged(nil)))
        #expect(try await store.read(id, after: 0).get().segment.changes == document.log)
        #expect(try await store.verify().isSound)
        await store.close()
    }

    @Test("an interrupted purge is no damage, and the next round completes it")
    func interruptedPurge() async throws {
        let sample = try await PreparedDocument()
        let scratch = sample.scratch
        defer { scratch.remove() }
        var document = sample.document
        let first = try SQLiteStore(folder: scratch.path)
        document.store = first
        try await document.type("abc")
        #expect(await first.delete(document.entry.id, at: 1) == nil)
        await first.close()
        try DataFolder(scratch.path).openForWriting().execute(
            "CREATE TRIGGER halt BEFORE DELETE ON pusher BEGIN SELECT RAISE(ABORT, 'halt'); END")
        let halted = try SQLiteStore(folder: scratch.path)
        await halted.runUpkeep(at: 40 * StoreSettings.day)
        let report = try await halted.verify()
        #expect(report.isSound && report.documents == 1)
        await halted.close()
        #expect(try scratch.count("segment") == 0)
        try DataFolder(scratch.path).openForWriting().execute("DROP TRIGGER halt")
        let store = try SQLiteStore(folder: scratch.path)
        #expect(await store.undelete(document.entry.id) == .refused(.gone))
        await store.runUpkeep(at: 40 * StoreSettings.day)
        await store.close()
        #expect(try scratch.count("document") == 0)
    }

    @Test("a document cannot be undeleted once its first rows are purged")
    func begunPurge() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let isPurging = ThreadSafeCounter()
        let purging = Mutex<[Int64]>([])
        let store = try SQLiteStore(folder: scratch.path) { event in
            guard case .committed = event, isPurging.count > 0 else { return }
            let count = try? scratch.number("SELECT count(*) FROM document WHERE deleted = 0")
            purging.withLock { $0.append(count ?? -1) }
        }
        var document = try await TrackedDocument(on: store)
        for number in 0..<100 {
            try await document.type("x", by: Pusher(user: ByteString("user \(number)"), client: "client"))
        }
        #expect(await store.delete(document.entry.id, at: 1000) == nil)
        isPurging.add()
        await store.runUpkeep(at: 40 * StoreSettings.day)
        let found = purging.withLock { $0 }
        // At least one step removes segments, and two steps remove the hundred pushers.
        #expect(found.prefix(3) == [1, 1, 1] && found.last == 0, "\(found)")
        await store.close()
    }

    @Test("upkeep reports which history it trims and how many pushers it forgets")
    func reports() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let recorder = EventRecorder()
        var settings = StoreSettings()
        settings.keepHistory = .revisions(0)
        let store = try SQLiteStore(folder: scratch.path, settings: settings) { recorder.add($0) }
        var document = try await TrackedDocument(on: store)
        try await document.type("abc")
        try await document.type("d", by: SampleLog.bob)
        await store.runUpkeep(at: 2000 + settings.keepPushers)
        let id = document.entry.id
        let reports = recorder.all.filter { event in
            switch event {
            case .pushersForgotten, .trimmed: true
            default: false
            }
        }
        #expect(reports == [.pushersForgotten(id, pushers: 2), .trimmed(id, start: 4)])
        await store.close()
    }

    @Test("by default, upkeep rounds use the system clock")
    func clock() {
        func system() -> Int64 {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        }
        let before = system()
        let now = StoreSettings().now()
        #expect(before <= now && now <= system())
    }
}
