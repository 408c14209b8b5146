import CaretCore
import CaretLog
import CaretStore
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("The steps of upkeep", .timeLimit(.minutes(2))) struct UpkeepStepTests {
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
        #expect(refusal(await store.delete(document.entry.id, at: 1000)) == nil)
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

    @Test("the default clock of rounds is the clock of the system")
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
