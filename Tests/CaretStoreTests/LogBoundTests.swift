import CaretCore
import CaretLog
import CaretStore
import Foundation
import TestSupport
import Testing

@Suite("The size of the write-ahead log") struct LogBoundTests {
    @Test("the log is restarted from its beginning even if readers always overlap")
    func readersInTurns() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        var document = try await TrackedDocument(on: store)
        let paste = String(repeating: "0123456789abcdef", count: 64_000)
        let isDone = ThreadSafeCounter()
        let (reading, ended) = AsyncStream.makeStream(of: Bool.self)
        // The readers need their own thread, because they block, and tasks share few threads.
        Thread.detachNewThread {
            ended.yield((try? readInTurns(scratch, until: isDone)) != nil)
            ended.finish()
        }
        var (longest, isCut) = (0, false)
        // On a busy machine a reader or the writer may pause, so that no checkpoint has to wait for a reader.
        // So the test tries up to 120 times.
        for _ in 0..<120 where !isCut {
            let append = try document.append(
                [SampleChange.edit(0, document.text.end.value, paste)], seq: 1)
            #expect(await store.append(append) == .committed(head: document.head.next))
            try document.follow(append)
            let size = try scratch.size(of: "caret.sqlite-wal")
            let wasCut = size < longest
            isCut = wasCut && longest > 8000 * 4120
            longest = wasCut && !isCut ? size : max(longest, size)
        }
        isDone.add()
        #expect(await reading.contains(true))
        // SQLite truncates a restarted log to 16 MiB. A checkpoint waits for readers only if the log has at
        // least 8,000 pages.
        #expect(isCut, "\(longest) bytes")
        await store.close()
    }

    @Test(
        "a checkpoint returns true if readers prevent only a restart of the log")
    func readerOfAll() throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let writer = try DataFolder(scratch.path).openForWriting()
        try writer.execute("PRAGMA user_version = 1")
        let begun = try scratch.logBegun()
        let reader = try Database(path: scratch.databasePath, for: .read)
        try reader.run("BEGIN")
        #expect(try reader.first("PRAGMA user_version") { $0.integer(0) } == 1)
        #expect(try writer.checkpoint(.patient))
        try reader.run("COMMIT")
        // The next write restarts the log. The store counts a checkpoint in the commit counter only if
        // `checkpoint` returned true.
        try writer.execute("PRAGMA user_version = 2")
        #expect(try scratch.logBegun() == begun + 1)
    }

    @Test(
        "a checkpoint returns false if a reader prevents copying the whole log",
        arguments: [false, true])
    func readerOfSome(isPatient: Bool) throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let writer = try DataFolder(scratch.path).openForWriting()
        try writer.execute("PRAGMA user_version = 1")
        let begun = try scratch.logBegun()
        let reader = try Database(path: scratch.databasePath, for: .read)
        try reader.run("BEGIN")
        #expect(try reader.first("PRAGMA user_version") { $0.integer(0) } == 1)
        try writer.execute("PRAGMA user_version = 2")
        #expect(try !writer.checkpoint(isPatient ? .patient : .passive))
        try reader.run("COMMIT")
        try writer.execute("PRAGMA user_version = 3")
        #expect(try scratch.logBegun() == begun)
        #expect(try writer.checkpoint(.passive))
    }
}

/// Reads through two connections in turn. Each transaction begins before the transaction of the other
/// connection ends.
private func readInTurns(_ scratch: Scratch, until isDone: ThreadSafeCounter) throws {
    let readers = try (0..<2).map { _ in try Database(path: scratch.databasePath, for: .read) }
    var turn = 0
    while isDone.count == 0 {
        let reader = readers[turn % 2]
        try reader.run("BEGIN")
        _ = try reader.first("SELECT count(*) FROM document") { $0.integer(0) }
        if turn > 0 { try readers[(turn + 1) % 2].run("COMMIT") }
        // Without a pause the loop would leave no processor time for the writer.
        usleep(500)
        turn += 1
    }
}

extension Scratch {
    fileprivate func size(of name: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.size] as? Int ?? 0
    }
}
