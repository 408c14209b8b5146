import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import Foundation
import TestSupport
import Testing

@Suite("Files that were removed or replaced under an open store")
struct LostFilesTests {
    /// What happens to the files of an open store.
    enum Loss: CaseIterable {
        case databaseRemoved, logRemoved, databaseReplaced

        func happen(in scratch: Scratch) throws {
            switch self {
            case .databaseRemoved: try FileManager.default.removeItem(atPath: scratch.databasePath)
            case .logRemoved: try FileManager.default.removeItem(at: scratch.file("caret.sqlite-wal"))
            case .databaseReplaced:
                try scratch.databaseBytes().write(to: scratch.file("caret.sqlite"), options: .atomic)
            }
        }
    }

    @Test("a store without its files refuses writes, but can be read", arguments: Loss.allCases)
    func refused(loss: Loss) async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let recorder = EventRecorder()
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds) { recorder.add($0) }
        var document = try await TrackedDocument(on: store)
        try await document.type("a")
        let id = document.entry.id
        // Each connection opens the log when it is first used.
        #expect(refusal(await store.text(of: id)) == nil)
        await store.runUpkeep(at: 0)
        try loss.happen(in: scratch)
        let log = try? Data(contentsOf: scratch.file("caret.sqlite-wal"))
        let append = try document.append([SampleChange.edit(0, 0, "b")], seq: 2)
        for _ in 0..<2 { #expect(await store.append(append) == .diskFailed) }
        #expect(await store.create(try DocumentName("other")) == .refused(.failed))
        try await expectRefusals(by: store, of: document, append)
        // The server must not ack a repeated push, because its change will be lost.
        #expect(refusal(await store.pusher(SampleLog.ann, in: id)) == .failed)
        #expect(try await store.text(of: id).get().text == document.text)
        await #expect(throws: OpeningFault.system(ENOENT)) { try await store.verify() }
        await #expect(throws: BackupFault.system(ENOENT)) {
            try await store.backUp(to: scratch.path + "/copy.sqlite", at: 1)
        }
        let lost = recorder.all.filter { if case .filesLost = $0 { true } else { false } }
        #expect(lost == [.filesLost(path: scratch.databasePath)])
        await store.close()
        // A log that still has its name is neither emptied nor removed.
        #expect((try? Data(contentsOf: scratch.file("caret.sqlite-wal"))) == log)
    }

    private func expectRefusals(
        by store: SQLiteStore, of document: TrackedDocument, _ append: Append
    ) async throws {
        let (id, user) = (document.entry.id, try UserName("ann"))
        let locked = await store.appendLocked(append) { _ in [] }
        #expect(locked.missed.isEmpty && locked.outcome == .diskFailed)
        #expect(await store.rename(id, to: try DocumentName("other")) == .refused(.failed))
        #expect(await store.delete(id) == .failed)
        #expect(await store.undelete(id) == .refused(.failed))
        let snapshot = Snapshot(revision: 1, text: document.text)
        #expect(refusal(await store.putSnapshot(snapshot, of: id)) == .refused(.failed))
        #expect(refusal(await store.renewEpochs(known: 9, of: id)) == .failed)
        #expect(await store.trim(id, through: 1) == .refused(.refused(.failed)))
        #expect(refusal(await store.addToken(of: user, .all)) == .failed)
        #expect(await store.revokeToken(TokenID(1)) == .failed)
        await #expect(throws: StoreRefusal.failed) { try await store.publish([Publication(id)]) }
    }

    @Test("a commit is not acked if the database was removed during the commit")
    func duringCommit() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let (path, isArmed) = (scratch.databasePath, ThreadSafeCounter())
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds) { event in
            if case .committing = event, isArmed.count > 0 { unlink(path) }
        }
        var document = try await TrackedDocument(on: store)
        try await document.type("a")
        isArmed.add()
        let append = try document.append([SampleChange.edit(0, 0, "b")], seq: 2)
        #expect(await store.append(append) == .diskFailed)
        await store.close()
    }

    @Test("a store reports a removed database even if no call writes")
    func withoutCalls() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let (lost, report) = AsyncStream.makeStream(of: StoreEvent.self)
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds) { event in
            if case .filesLost = event { report.yield(event) }
        }
        try Loss.databaseRemoved.happen(in: scratch)
        var events = lost.makeAsyncIterator()
        #expect(await events.next() == .filesLost(path: scratch.databasePath))
        await store.close()
    }
}
