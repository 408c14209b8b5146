import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Backups") struct BackupTests {
    /// Rules T6, A11 and A15.
    @Test("a backup during writes is one undamaged file, marked as a backup")
    func whileWriting() async throws {
        let sample = try await SampleStore(isCutOff: false)
        defer { sample.scratch.remove() }
        let store = try SQLiteStore(folder: sample.scratch.path)
        let target = try Scratch()
        defer { target.remove() }
        let before = sample.documents[2].head
        let writing = Task {
            var document = sample.documents[2]
            document.store = store
            try await document.type(String(repeating: "more ", count: 60))
            return document
        }
        let report = try await store.backUp(to: target.databasePath, at: 77)
        let written = try await writing.value
        await store.close()
        #expect(report.isSound && report.documents == 4)
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == ["caret.sqlite"])
        // The file's header says that it has no write-ahead log.
        #expect(try [UInt8](target.databaseBytes()[18..<20]) == [1, 1])
        let recorder = EventRecorder()
        let copy = try SQLiteStore(folder: target.path) { recorder.add($0) }
        #expect(recorder.all == [.renewed(.backup(at: 77))])
        let entry = try await copy.find(written.entry.name).get()
        #expect(entry.head >= before && entry.head <= written.head)
        #expect(try await copy.text(of: entry.id).get().text == written.texts[entry.head.value])
        #expect(entry.epoch.generation != written.entry.epoch.generation)
        #expect(entry.epoch.document == written.entry.epoch.document)
        await copy.close()
    }

    @Test("a backup reports its progress, and replaces an interrupted backup")
    func progress() async throws {
        let (scratch, target) = (try Scratch.inMemory(), try Scratch.inMemory())
        defer { scratch.remove() }
        defer { target.remove() }
        try Data("interrupted".utf8).write(to: target.file("caret.sqlite.partial"))
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        // The file gets over 512 pages, because an appended text is not compressed.
        let document = try await TrackedDocument(on: store)
        let paste = SampleChange.edit(0, 0, String(repeating: "x", count: 2 << 20))
        #expect(await store.append(try document.append([paste], seq: 1)) == .committed(head: 1))
        let steps = Mutex<[[Int]]>([])
        _ = try await store.backUp(to: target.databasePath, at: 1) { done, all in
            steps.withLock { $0.append([done, all]) }
        }
        await store.close()
        let pages = try target.databaseBytes().count / PageSums.pageSize
        let wanted = stride(from: 256, to: pages, by: 256).map { [$0, pages] } + [[pages, pages]]
        #expect(steps.withLock { $0 } == wanted && pages > 512)
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == ["caret.sqlite"])
    }

    @Test("what is left of a killed backup is removed at the next start, and before a server's next backup")
    func leftovers() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let folder = URL(filePath: scratch.path + "/backups")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        func leave() throws {
            for end in ["", "-journal", "-wal", "-shm"] {
                try Data("left".utf8).write(to: folder.appending(path: "caret-1.sqlite.partial\(end)"))
            }
            try Data("other".utf8).write(to: folder.appending(path: "caret-0.sqlite"))
            try Data("other".utf8).write(to: folder.appending(path: "my.partial"))
        }
        func files() throws -> Set<String> {
            Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
        }
        try leave()
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        #expect(try files() == ["caret-0.sqlite", "my.partial"])
        try leave()
        _ = try await store.copy(to: folder.path + "/caret-2.sqlite", at: 1) { _, _ in }
        #expect(try files() == ["caret-0.sqlite", "caret-2.sqlite", "my.partial"])
        await store.close()
    }

    @Test("a backup stays marked as a backup until a server opens it")
    func markStays() async throws {
        let sample = try await SampleStore(isCutOff: false)
        let target = try Scratch()
        defer { sample.scratch.remove() }
        defer { target.remove() }
        let store = try SQLiteStore(folder: sample.scratch.path)
        _ = try await store.backUp(to: target.databasePath, at: 5)
        await store.close()
        #expect(try SQLiteStore.verify(folder: target.path).isSound)
        #expect(try target.number("SELECT backup FROM store") == 5)
        // The store renews its epochs even if the backup is restored into its original folder.
        try sample.scratch.write(try target.databaseBytes())
        let recorder = EventRecorder()
        await (try SQLiteStore(folder: sample.scratch.path) { recorder.add($0) }).close()
        #expect(recorder.all.first == .renewed(.backup(at: 5)))
        let second = EventRecorder()
        await (try SQLiteStore(folder: sample.scratch.path) { second.add($0) }).close()
        #expect(!second.isRenewed)
    }

    /// Rule A15.
    @Test("a backup overwrites no file, and fails for a damaged store")
    func refused() async throws {
        let sample = try await SampleStore(isCutOff: false)
        let target = try Scratch()
        defer { sample.scratch.remove() }
        defer { target.remove() }
        try target.write(Data("mine".utf8))
        try DataFolder(sample.scratch.path).openForWriting().execute(
            "UPDATE pusher SET seq = 4 WHERE document = 3")
        let store = try SQLiteStore(folder: sample.scratch.path)
        await #expect(throws: BackupFault.exists) {
            try await store.backUp(to: target.databasePath, at: 1)
        }
        #expect(try target.databaseBytes() == Data("mine".utf8))
        let fault = await #expect(throws: BackupFault.self) {
            try await store.backUp(to: target.path + "/other.sqlite", at: 1)
        }
        guard case .damaged(let report) = fault else {
            throw Unexpected(what: "\(String(describing: fault))")
        }
        #expect(report.findings.map(\.fault) == [.pusher])
        #expect(fault?.isDamage == true && fault?.isOutOfSpace == false)
        await #expect(
            throws: BackupFault.database(DatabaseFault(code: 14, message: "unable to open database file"))
        ) {
            try await store.backUp(to: target.path + "/nowhere/caret.sqlite", at: 1)
        }
        await store.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == ["caret.sqlite"])
    }

    @Test("a backup does not replace a file that was created meanwhile")
    func createdMeanwhile() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        let copy = scratch.file("copy.sqlite")
        await #expect(throws: BackupFault.exists) {
            try await store.backUp(to: copy.path, at: 1) { _, _ in
                // If the file cannot be written, the backup succeeds, and the test fails.
                _ = try? Data("mine".utf8).write(to: copy)
            }
        }
        await store.close()
        #expect(try Data(contentsOf: copy) == Data("mine".utf8))
        #expect(try scratch.files().keys.sorted() == ["caret.commits", "caret.sqlite", "copy.sqlite"])
    }

    @Test("a backup of a store with a damaged page fails, and leaves no file")
    func damagedPage() async throws {
        let sample = try await SampleStore(isCutOff: false)
        let target = try Scratch.inMemory()
        defer { sample.scratch.remove() }
        defer { target.remove() }
        let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'token'"
        let page = try Int(sample.scratch.number(root)) - 1
        var bytes = try sample.scratch.databaseBytes()
        bytes[page * PageSums.pageSize + 2000] ^= 1
        try sample.scratch.write(bytes)
        let store = try SQLiteStore(folder: sample.scratch.path)
        let fault = await #expect(throws: BackupFault.self) {
            try await store.backUp(to: target.databasePath, at: 1)
        }
        await store.close()
        guard case .database(let found)? = fault else {
            throw Unexpected(what: "\(String(describing: fault))")
        }
        #expect(found.message == "the copy was interrupted" && found.kind == .damaged)
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path).isEmpty)
    }

    @Test("a backup fault says whether the disk is full or the store is damaged")
    func faults() {
        func database(_ code: Int32, isOutOfSpace: Bool = false) -> BackupFault {
            .database(DatabaseFault(code: code, message: "", isOutOfSpace: isOutOfSpace))
        }
        // SQLite's codes 10, 11 and 13 mean a failed disk, a damaged file and a full disk.
        let full: [BackupFault] = [
            .system(ENOSPC), .system(EDQUOT), database(13), database(10, isOutOfSpace: true),
        ]
        let damaged = [database(11)]
        let other: [BackupFault] = [.exists, .system(EIO), database(10)]
        for fault in full + damaged + other {
            #expect(fault.isOutOfSpace == full.contains(fault), "\(fault)")
            #expect(fault.isDamage == damaged.contains(fault), "\(fault)")
        }
    }
}
