import CaretFormat
import CaretLog
import CaretStore
import TestSupport
import Testing

@Suite("Migrations") struct MigrationTests {
    @Test(
        "a store of each older schema can be opened, with all its data",
        arguments: Migration.all.indices.dropFirst())
    func older(count: Int) async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let old = try SQLiteStore(folder: scratch.path, migrations: Array(Migration.all.prefix(count)))
        var document = try await TrackedDocument(on: old)
        try await document.type("abc")
        await old.close()
        let known = Int64(Migration.all.count)
        #expect(throws: OpeningFault.schemaTooOld(found: Int64(count), known: known)) {
            try SQLiteStore.verify(folder: scratch.path)
        }
        let events = EventRecorder()
        let store = try SQLiteStore(folder: scratch.path) { events.add($0) }
        #expect(
            events.all.filter { $0 != .checkpointed } == (Int64(count + 1)...known).map { .migrating($0) })
        #expect(try await store.text(of: document.entry.id).get().text == document.text)
        document.store = store
        try await document.type("d")
        let text = try await store.addToken(of: UserName("ann"), .all).get()
        #expect(try await store.token(shown: text.bytes).get().id == text.token)
        let report = try await store.verify()
        #expect(report.isSound && report.revisions == 4 && report.tokens == 1)
        await store.close()
    }

    /// The old database gets the row of a token as version 2 wrote it.
    @Test("older tokens have no end and stay valid; their numbers are not reused")
    func oldTokens() async throws {
        let (newer, older) = (try Scratch(), try Scratch())
        defer { newer.remove() }
        defer { older.remove() }
        let before = Array(Migration.all.prefix(2))
        await (try SQLiteStore(folder: older.path, migrations: before)).close()
        let text = try await addedToken(to: newer.path)
        let columns = "id, user, digest, created, grants_sum, sum, grants"
        let rows = try DataFolder(newer.path).openForWriting().all("SELECT \(columns) FROM token") { row in
            [
                SQLValue.integer(row.integer(0)), .bytes(row.bytes(1)), .bytes(row.bytes(2)),
                .integer(row.integer(3)), .integer(row.integer(4)), .integer(row.integer(5)),
                .bytes(row.bytes(6)),
            ]
        }
        do {
            let database = try DataFolder(older.path).openForWriting(migrations: before)
            let values = try #require(rows.first)
            try database.run(
                "INSERT INTO token (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?)", values[0], values[1],
                values[2],
                values[3], values[4], values[5], values[6])
            // Five tokens were made, and the last four were revoked.
            try database.execute("UPDATE sqlite_sequence SET seq = 5 WHERE name = 'token'")
        }
        let store = try SQLiteStore(folder: older.path)
        let token = try await store.token(shown: text.bytes).get()
        #expect(token.user == (try UserName("ann")) && token.created == 7 && token.expires == nil)
        #expect(try await store.tokens().get().items == [.sound(token, lastUse: nil)])
        #expect(try await store.addToken(of: UserName("bob"), .all).get().token == TokenID(6))
        #expect(try await store.verify().isSound)
        await store.close()
    }

    private func addedToken(to folder: String) async throws -> TokenText {
        let store = try SQLiteStore(folder: folder)
        let text = try await store.addToken(of: UserName("ann"), TokenContractTests.some(), at: 7).get()
        await store.close()
        return text
    }
}
