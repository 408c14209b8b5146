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
}
