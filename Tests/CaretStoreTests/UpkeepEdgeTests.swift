import CaretCore
import CaretLog
import CaretStore
import TestSupport
import Testing

@Suite("Extreme numbers in upkeep") struct UpkeepEdgeTests {
    @Test("a clock set back for one revision makes no newer revision old")
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
            let document = try await Following(on: store)
            let append = try document.letters(String(repeating: "x", count: times.count)).at(times)
            for part in isOneSegment ? [append] : append.eachAlone {
                guard case .committed = await store.append(part) else {
                    throw Unexpected(what: "an append was refused")
                }
            }
            await store.tend(at: 1_000_002)
            #expect(try await store.find(document.entry.name).get().start == 0)
            // A change with an early time counts as old only when the changes before it are old too.
            await store.tend(at: 1_010_001)
            #expect(try await store.find(document.entry.name).get().start == 21)
            await store.tend(at: 1_010_002)
            #expect(try await store.find(document.entry.name).get().start == 31)
            await store.close()
        }
    }

    @Test(
        "extreme settings keep everything or nothing",
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
        var document = try await Following(on: store)
        try await document.typeAtOnce("0123456789")
        await store.tend(at: 10_000)
        #expect(try await store.find(document.entry.name).get().start == start)
        #expect(try await store.text(of: document.entry.id).get().text == document.text)
        await store.close()
    }

    @Test("at the earliest time nothing is old, and at the latest everything is", arguments: [true, false])
    func times(isLatest: Bool) async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        var document = try await Following(on: store)
        try await document.type("ab")
        let other = try await Following(on: store, "other")
        #expect(refusal(await store.delete(other.entry.id, at: 1)) == nil)
        await store.tend(at: isLatest ? .max : .min)
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
