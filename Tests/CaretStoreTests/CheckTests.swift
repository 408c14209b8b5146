import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import Dispatch
import Foundation
import TestSupport
import Testing

@Suite("Checking a store") struct CheckTests {
    /// Rule A14.
    @Test("a check of a sound store, open or closed, counts everything in it")
    func sound() async throws {
        let sample = try await SampleStore(isCutOff: true)
        defer { sample.scratch.remove() }
        let closed = try SQLiteStore.verify(folder: sample.scratch.path)
        #expect(closed.isSound && closed.documents == 4, "\(closed.findings)")
        #expect(closed.revisions == sample.documents.reduce(-70) { $0 + $1.head.value })
        #expect(closed.pushers == 4 && closed.snapshots >= 2)
        let store = try SQLiteStore(folder: sample.scratch.path)
        let seen = ThreadSafeCounter()
        let open = try await store.verify { progress in
            #expect(progress.documents <= progress.allDocuments)
            seen.add()
        }
        #expect(open == closed && seen.count == 1)
        let one = try await store.verify(sample.documents[2].entry.id)
        #expect(one.isSound && one.documents == 1 && one.revisions == 5)
        await store.close()
    }

    /// Rule A14.
    @Test("a check finds the damaged row, and reports nothing else", arguments: Damage.all)
    func harmed(damage: Damage) async throws {
        let sample = try await SampleStore(isCutOff: false)
        defer { sample.scratch.remove() }
        // The revision of the snapshot depends on when upkeep ran.
        let newest = try sample.scratch.number("SELECT max(revision) FROM snapshot WHERE document = 1")
        let fault =
            if case .snapshot = damage.fault { CheckReport.Fault.snapshot(Int(newest)) } else {
                damage.fault
            }
        try DataFolder(sample.scratch.path).openForWriting().execute(damage.sql)
        let report = try SQLiteStore.verify(folder: sample.scratch.path)
        let document = sample.documents[damage.document].entry
        let found = report.findings.map(\.fault)
        #expect(found == [fault], "\(damage.sql): \(report.findings)")
        #expect(report.findings.allSatisfy { $0.document == document.id })
    }

    /// Changes the rows of one document with SQL, so every page still has a correct checksum.
    struct Damage: Sendable {
        let document: Int
        let sql: String
        let fault: CheckReport.Fault

        static let all = [
            Damage(document: 0, sql: "UPDATE document SET head = head - 1 WHERE id = 1", fault: .row),
            Damage(document: 2, sql: "UPDATE document SET deleted = 5 WHERE id = 3", fault: .row),
            Damage(
                document: 0,
                sql:
                    "DELETE FROM segment WHERE document = 1 AND first = (SELECT max(first) FROM segment WHERE document = 1)",
                fault: .history),
            Damage(
                document: 2, sql: "UPDATE segment SET before = zeroblob(32) WHERE document = 3 AND first = 2",
                fault: .history),
            Damage(
                document: 0,
                sql:
                    "UPDATE snapshot SET chain = zeroblob(32) WHERE document = 1 AND revision = (SELECT max(revision) FROM snapshot WHERE document = 1)",
                fault: .snapshot(0)),
            Damage(document: 2, sql: "UPDATE pusher SET seq = 4 WHERE document = 3", fault: .pusher),
        ]
    }

    @Test("a check compares each snapshot, wherever it is in the history")
    func everySnapshot() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        var document = try await TrackedDocument(on: store)
        // Revisions 1, 2 and 3 get a segment each, and revisions 4 to 8 get one segment together.
        try await document.type("abc")
        try await document.typeAtOnce("defgh")
        let (id, revisions) = (document.entry.id, [2, 3, 5, 6, 8])
        for revision in revisions {
            let snapshot = Snapshot(revision: Revision(revision), text: document.texts[revision])
            #expect(refusal(await store.putSnapshot(snapshot, of: id)) == nil)
        }
        let sound = try await store.verify()
        #expect(sound.isSound && sound.snapshots == 5)
        await store.close()
        for revision in revisions {
            let copy = try scratch.copied()
            defer { copy.remove() }
            try DataFolder(copy.path).openForWriting().execute(
                "UPDATE snapshot SET chain = zeroblob(32) WHERE revision = \(revision)")
            let found = try SQLiteStore.verify(folder: copy.path).findings.map(\.fault)
            #expect(found == [.snapshot(revision)])
        }
        let again = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        #expect(await again.trim(id, through: 8) == .trimmed(start: 8))
        let trimmed = try await again.verify()
        #expect(trimmed.isSound && trimmed.revisions == 0 && trimmed.pushers == 1)
        await again.close()
    }

    @Test("a check reads all pages of tokens")
    func manyTokens() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        for _ in 0..<130 { _ = try await store.addToken(of: UserName("ann"), .all).get() }
        #expect(try await store.verify().tokens == 130)
        await store.close()
    }

    @Test("a check finds rows that belong to no document")
    func orphans() async throws {
        let sample = try await SampleStore(isCutOff: false)
        defer { sample.scratch.remove() }
        for table in ["segment", "snapshot", "pusher"] {
            let copy = try sample.scratch.copied()
            defer { copy.remove() }
            try Database(path: copy.databasePath, for: .write).execute(
                "UPDATE \(table) SET document = 99 WHERE document = 2")
            let findings = try SQLiteStore.verify(folder: copy.path).findings
            #expect(findings.contains { $0.fault == .orphans(table) && $0.document == nil }, "\(table)")
        }
    }

    /// Rule A14.
    @Test("a check lists at most 1,000 findings, and says if there were more")
    func manyFindings() async throws {
        for excess in [0, 1] {
            let scratch = try Scratch.inMemory()
            defer { scratch.remove() }
            let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
            for number in 0..<1_000 + excess { _ = await store.create(try DocumentName("\(number)")) }
            await store.close()
            try DataFolder(scratch.path).openForWriting().execute("UPDATE document SET deleted = 5")
            let report = try SQLiteStore.verify(folder: scratch.path)
            #expect(report.findings.count == 1_000 && report.hasMore == (excess > 0))
        }
    }

    @Test("a check finds a damaged page of the file")
    func damagedPage() async throws {
        let sample = try await SampleStore(isCutOff: false)
        defer { sample.scratch.remove() }
        let root = try Database(path: sample.scratch.databasePath, for: .read).first(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'segment'", read: { Int($0.integer(0)) })
        var bytes = try sample.scratch.databaseBytes()
        bytes[try #require(root) * PageSums.pageSize - 2000] ^= 1
        try sample.scratch.write(bytes)
        #expect(try !SQLiteStore.verify(folder: sample.scratch.path).isSound)
    }

    @Test("a stopped check reports that it was stopped, and reads nothing more")
    func stopped() async throws {
        let sample = try await SampleStore(isCutOff: false, crowd: 150)
        defer { sample.scratch.remove() }
        let pages = ThreadSafeCounter()
        let database = try DataFolder(sample.scratch.path).openForReading()
        var check = StoreCheck(SQLRows(database, Generation(1)), isStopped: { pages.count > 0 })
        let report = check.run { progress in
            #expect(progress.documents == 64 && progress.allDocuments == 154)
            pages.add()
        }
        #expect(report.documents == 64 && report.findings.map(\.fault) == [.stopped])
    }

    /// Rules A13 and A15.
    @Test("closing a store stops a check and a backup, and leaves no partial file")
    func closedWhileChecked() async throws {
        let sample = try await SampleStore(isCutOff: false, crowd: 150)
        let target = try Scratch.inMemory()
        defer { sample.scratch.remove() }
        defer { target.remove() }
        let store = try SQLiteStore(folder: sample.scratch.path)
        // The file gets more than 256 pages, so a backup has several steps.
        let document = try await TrackedDocument(on: store, "large")
        let paste = SampleChange.edit(0, 0, String(repeating: "x", count: 2 << 20))
        #expect(await store.append(try document.append([paste], seq: 1)) == .committed(head: 1))
        let gate = DispatchSemaphore(value: 0)
        let (steps, step) = AsyncStream.makeStream(of: Void.self)
        let pause = { @Sendable in
            step.yield()
            gate.wait()
            gate.signal()
        }
        let check = Task { try await store.verify { _ in pause() } }
        let backup = Task { try await store.backUp(to: target.databasePath, at: 1) { _, _ in pause() } }
        var begun = steps.makeAsyncIterator()
        for _ in 0..<2 { await begun.next() }
        let (closing, closed) = AsyncStream.makeStream(of: Void.self)
        store.close { closed.finish() }
        // As soon as the store is closing, a further check stops at once.
        var isClosing = false
        for _ in 0..<500 where !isClosing { isClosing = try await store.verify().isStopped }
        #expect(isClosing)
        gate.signal()
        let report = try await check.value
        #expect(report.documents == 64 && report.findings.map(\.fault) == [.stopped])
        let interrupted = DatabaseFault(code: 0, message: "the copy was interrupted")
        await #expect(throws: BackupFault.database(interrupted)) { try await backup.value }
        for await _ in closing {}
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path).isEmpty)
    }

    /// Rule A14.
    @Test("a check does not change a closed folder, and refuses a locked one")
    func leftAlone() async throws {
        let sample = try await SampleStore(isCutOff: false)
        defer { sample.scratch.remove() }
        try FileManager.default.removeItem(at: sample.scratch.file("caret.commits"))
        let before = try sample.scratch.files()
        _ = try SQLiteStore.verify(folder: sample.scratch.path)
        let after = try sample.scratch.files()
        #expect(after == before)
        let store = try SQLiteStore(folder: sample.scratch.path)
        #expect(throws: OpeningFault.folderLocked) { try SQLiteStore.verify(folder: sample.scratch.path) }
        await store.close()
    }
}
