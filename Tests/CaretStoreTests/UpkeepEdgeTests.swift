import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import TestSupport
import Testing

@Suite("Extreme numbers in upkeep") struct UpkeepEdgeTests {
    @Test("a revision with an earlier time does not make newer revisions expire")
    func clockSetBack() async throws {
        var settings = StoreSettings()
        settings.keepHistory = .time(10_000)
        let times =
            Array(repeating: Int64(1_000_000), count: 20) + [7]
            + Array(repeating: 1_000_001, count: 10)
        for isOneSegment in [true, false] {
            let scratch = try Scratch.inMemory()
            defer { scratch.remove() }
            let store = try SQLiteStore(folder: scratch.path, settings: settings)
            let document = try await TrackedDocument(on: store)
            let append = try document.letters(String(repeating: "x", count: times.count)).at(times)
            for part in isOneSegment ? [append] : append.eachAlone {
                guard case .committed = await store.append(part) else {
                    throw Unexpected(what: "an append was refused")
                }
            }
            await store.runUpkeep(at: 1_000_002)
            #expect(try await store.find(document.entry.name).get().start == 0)
            // A change with an early time counts as old only if all earlier changes are old too.
            await store.runUpkeep(at: 1_010_001)
            #expect(try await store.find(document.entry.name).get().start == 21)
            await store.runUpkeep(at: 1_010_002)
            #expect(try await store.find(document.entry.name).get().start == 31)
            await store.close()
        }
    }

    @Test(
        "extreme history settings keep every revision or none",
        arguments: [
            (.revisions(.max), 0), (.revisions(0), 10), (.revisions(-1), 10), (.time(.max), 0),
            (.time(0), 10), (.time(.min), 10),
        ] as [(StoreSettings.History, Revision)])
    func settings(keep: StoreSettings.History, start: Revision) async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        var settings = StoreSettings()
        settings.keepHistory = keep
        settings.keepPushers = .max
        settings.keepDeleted = .max
        let store = try SQLiteStore(folder: scratch.path, settings: settings)
        var document = try await TrackedDocument(on: store)
        try await document.typeAtOnce("0123456789")
        await store.runUpkeep(at: 10_000)
        #expect(try await store.find(document.entry.name).get().start == start)
        #expect(try await store.text(of: document.entry.id).get().text == document.text)
        // The document has only one segment, so a trim up to the head removes it.
        #expect(try scratch.count("segment") == (start == 0 ? 1 : 0))
        await store.close()
    }

    @Test(
        "history is trimmed by count only if it exceeds the limit by over 1/16",
        arguments: [(34, 0, 4), (35, 3, 3)] as [(Int, Revision, Revision)])
    func excess(count: Int, start: Revision, next: Revision) async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        var settings = StoreSettings()
        settings.keepHistory = .revisions(32)
        let store = try SQLiteStore(folder: scratch.path, settings: settings)
        var document = try await TrackedDocument(on: store)
        try await document.typeAtOnce(String(repeating: "x", count: count))
        await store.runUpkeep(at: 10_000)
        #expect(try await store.find(document.entry.name).get().start == start)
        try await document.typeAtOnce("ab")
        await store.runUpkeep(at: 10_000)
        #expect(try await store.find(document.entry.name).get().start == next)
        await store.close()
    }

    @Test(
        "upkeep reports and keeps a segment row with impossible revisions",
        arguments: [
            "first = -9223372036854775808", "first = 0", "last = 0", "last = 9223372036854775807",
        ])
    func impossibleRevisions(damage: String) async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        var settings = StoreSettings()
        settings.keepHistory = .time(100_000)
        let store = try SQLiteStore(folder: scratch.path, settings: settings)
        var document = try await TrackedDocument(on: store)
        try await document.typeAtOnce("ab")
        await store.close()
        try DataFolder(scratch.path).openForWriting().execute("UPDATE segment SET \(damage)")
        let recorder = EventRecorder()
        let again = try SQLiteStore(folder: scratch.path, settings: settings) { recorder.add($0) }
        // The last change has the time 1002. So the document is idle, and that change is not old yet.
        await again.runUpkeep(at: 101_002)
        #expect(recorder.all.contains(.damaged(document.entry.id)))
        #expect(try await again.find(document.entry.name).get().start == 0)
        #expect(try scratch.count("segment") == 1)
        await again.close()
    }

    @Test("upkeep removes nothing at time `Int64.min`, everything at `Int64.max`", arguments: [true, false])
    func times(isLatest: Bool) async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        var document = try await TrackedDocument(on: store)
        try await document.type("ab")
        let other = try await TrackedDocument(on: store, "other")
        #expect(await store.delete(other.entry.id, at: 1) == nil)
        await store.runUpkeep(at: isLatest ? .max : .min)
        let entry = try await store.pusher(SampleLog.ann, in: document.entry.id).get().entry
        #expect((entry == nil) == isLatest)
        #expect(try await store.deleted().get().entries.isEmpty == isLatest)
        await store.close()
    }
}

extension Append {
    /// The same append with other times.
    fileprivate func at(_ times: [Int64]) -> Append {
        let changes = zip(changes, times).map { change, time in
            let logged = change.logged
            return PushedChange(
                LoggedChange(pusher: logged.pusher, seq: logged.seq, time: time, edits: logged.edits),
                digest: change.digest)
        }
        return Append(document: document, epoch: epoch, expected: expected, changes: changes)
    }

    /// One append for each change.
    fileprivate var eachAlone: [Append] {
        changes.enumerated().map { index, change in
            Append(
                document: document, epoch: epoch, expected: Revision(expected.value + index),
                changes: [change])
        }
    }
}
