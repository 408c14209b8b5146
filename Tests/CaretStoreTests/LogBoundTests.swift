import CaretCore
import CaretLog
import CaretStore
import Foundation
import TestSupport
import Testing

@Suite("How long the log becomes") struct LogBoundTests {
    @Test("readers that take turns do not keep the log from being begun anew")
    func readersInTurns() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        var document = try await Following(on: store)
        let paste = String(repeating: "0123456789abcdef", count: 64_000)
        let isDone = Counted()
        let (reading, ended) = AsyncStream.makeStream(of: Bool.self)
        // On a thread of its own, since tasks have few.
        Thread.detachNewThread {
            ended.yield((try? readInTurns(scratch, until: isDone)) != nil)
            ended.finish()
        }
        var (longest, isCut) = (0, false)
        // A machine that is busy may let a reader be late now and then, or the writer: then no checkpoint had to wait.
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
        // A log that is begun anew is cut to 16 MiB. Up to 8,000 pages no checkpoint waits for readers.
        #expect(isCut, "\(longest) bytes")
        await store.close()
    }

    @Test(
        "a checkpoint that waits in vain for readers of the whole log says that all of it is in the database")
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
        // Whatever is written next begins the log anew: without that answer, the counter would not know.
        try writer.execute("PRAGMA user_version = 2")
        #expect(try scratch.logBegun() == begun + 1)
    }

    @Test(
        "a checkpoint that a reader of less than the log keeps from some of it says so",
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

/// Reads in a transaction of one connection after the other, of which each begins before the one before ends.
private func readInTurns(_ scratch: Scratch, until isDone: Counted) throws {
    let readers = try (0..<2).map { _ in try Database(path: scratch.databasePath, for: .read) }
    var turn = 0
    while isDone.count == 0 {
        let reader = readers[turn % 2]
        try reader.run("BEGIN")
        _ = try reader.first("SELECT count(*) FROM document") { $0.integer(0) }
        if turn > 0 { try readers[(turn + 1) % 2].run("COMMIT") }
        // As fast as it can it would only take the processor from the writer.
        usleep(500)
        turn += 1
    }
}

extension Scratch {
    fileprivate func size(of name: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.size] as? Int ?? 0
    }
}
