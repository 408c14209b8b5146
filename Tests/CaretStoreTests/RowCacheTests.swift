import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import TestSupport
import Testing

/// These tests change a row through another connection. So the answer shows whether the store has read the
/// row again.
@Suite("Rows that the store does not read again") struct RowCacheTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch.inMemory() }

    private func change(_ sql: String) throws {
        try Database(path: scratch.databasePath, for: .write).execute(sql)
    }

    @Test("the last two segments that were read are not decoded again")
    func segments() async throws {
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        var document = try await TrackedDocument(on: store)
        try await document.type("abc")
        let id = document.entry.id
        #expect(try await store.read(id, after: 0).get().segment.changes == document.log)
        // The author of a segment is not read again either.
        try change("UPDATE author SET client = x'00'")
        #expect(try await store.read(id, after: 0, limit: 1).get().segment.changes == [document.log[0]])
        #expect(try await store.read(id, after: 1).get().segment.changes == Array(document.log[1...]))
        try change("UPDATE segment SET body = x'00'")
        #expect(try await store.read(id, after: 1).get().segment.changes == Array(document.log[1...]))
        #expect(refusal(await store.read(id, after: 0, limit: 1)) == .refused(.damaged))
        // A read still compares the other columns of the segment's row.
        for (column, wrong) in [
            ("time", "time + 1"), ("last", "9"), ("after", "zeroblob(32)"), ("before", "zeroblob(32)"),
        ] {
            try change(
                """
                CREATE TABLE kept AS SELECT "\(column)" AS value FROM segment WHERE first = 3;
                UPDATE segment SET "\(column)" = \(wrong) WHERE first = 3
                """)
            #expect(refusal(await store.read(id, after: 2)) == .refused(.damaged), "\(column)")
            try change(
                """
                UPDATE segment SET "\(column)" = (SELECT value FROM kept) WHERE first = 3; DROP TABLE kept
                """)
            #expect(try await store.read(id, after: 2).get().segment.changes == [document.log[2]])
        }
        await store.close()
    }

    @Test("a large segment that changes after it was found sound is damaged")
    func soundSegments() async throws {
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        var document = try await TrackedDocument(on: store)
        for _ in 0..<3 { try await document.typeAtOnce(String(repeating: "ab", count: 50)) }
        let id = document.entry.id
        func isDamaged() async -> Bool {
            // The other segments replace the first one among the last two that were read.
            for revision in [200, 100] { _ = await store.read(id, after: Revision(revision), limit: 1) }
            return refusal(await store.read(id, after: 0, limit: 1)) == .refused(.damaged)
        }
        for _ in 0..<2 { #expect(await !isDamaged()) }
        // Another last letter is still a valid segment.
        let harmed = "CAST(substr(body, 1, length(body) - 1) || x'79' AS BLOB)"
        for (column, wrong) in [("body", harmed), ("time", "time + 1"), ("after", "zeroblob(32)")] {
            try change(
                """
                CREATE TABLE kept AS SELECT "\(column)" AS value FROM segment WHERE first = 1;
                UPDATE segment SET "\(column)" = \(wrong) WHERE first = 1
                """)
            #expect(await isDamaged(), "\(column)")
            try change(
                """
                UPDATE segment SET "\(column)" = (SELECT value FROM kept) WHERE first = 1; DROP TABLE kept
                """)
            #expect(await !isDamaged(), "\(column)")
        }
        await store.close()
    }

    @Test("an append reads neither the row of its document nor its author again")
    func appends() async throws {
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        var document = try await TrackedDocument(on: store)
        // The store remembers the row of a document that it has just created.
        try change("UPDATE document SET sum = sum + 1")
        try await document.type("a")
        try change("UPDATE document SET sum = sum + 1")
        try await document.type("b")
        try change("UPDATE author SET client = x'00'")
        try await document.type("c")
        #expect(try scratch.count("author") == 1)
        await store.close()
    }

    @Test("a document is known after a call that does not change it")
    func conflict() async throws {
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        var document = try await TrackedDocument(on: store)
        try await document.type("a")
        await store.close()
        let again = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        document.store = again
        let entry = document.entry
        let stale = Append(document: entry.id, epoch: entry.epoch, expected: 0, changes: [])
        #expect(await again.append(stale) == .conflict(head: 1))
        try change("UPDATE document SET sum = sum + 1")
        try await document.type("b")
        await again.close()
    }
}
