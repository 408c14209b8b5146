import CaretCore
import CaretFormat
import CaretLog
import CaretPostgres
import CaretStore
import TestSupport
import Testing

/// A row of a document that has no number where one must be, or a number that no server writes.
private struct DamagedRow: CustomStringConvertible {
    let table: MovedTable
    let column: String
    let value: Int64?

    var description: String { "\(table.rawValue).\(column) = \(value.map(String.init) ?? "null")" }

    /// One for each number of each row that belongs to a document.
    static let all = [MovedTable.document, .segment, .snapshot, .pusher, .tag, .notebook, .note].flatMap {
        table in
        table.columns.enumerated().dropFirst().flatMap { index, column -> [DamagedRow] in
            if column.kind == .bytes { return [] }
            // The head is 3, or 4 after an append that fits the damaged row.
            let values: [Int64?] = [nil, -1, 0, 5, .min, .max]
            // A key cannot be null, and another author belongs to another row.
            return values.filter { $0 != nil || index >= table.keyCount && column.kind != .optionalNumber }
                .map { DamagedRow(table: table, column: column.name(in: .postgres), value: $0) }
        }
    }

    func update(_ document: DocumentID, schema: String) -> String {
        let key = table == .document ? "id" : "document"
        let name = "\(schema).\(table.rawValue)"
        let allowed = value == nil ? "ALTER TABLE \(name) ALTER \(column) DROP NOT NULL; " : ""
        return allowed
            + "UPDATE \(name) SET \(column) = \(value.map(String.init) ?? "NULL") "
            + "WHERE (\(key), ctid) = (SELECT \(key), max(ctid) FROM \(name) WHERE \(key) = \(document.value) GROUP BY 1); "
    }
}

@Suite("Rows with impossible numbers") struct DamagedRowTests {
    @Test("a number that is missing or impossible harms only its own document")
    func impossible() async throws {
        let cluster = try PostgresCluster()
        let address = try PostgresAddress(cluster.newAddress())
        let store = try PostgresStore(address, node: "test", allowsUnreplicated: true)
        var sound = try await TrackedDocument(on: store, "sound")
        try await sound.type("abc")
        var (documents, sql) = ([(row: DamagedRow, document: TrackedDocument)](), "")
        for row in DamagedRow.all {
            var document = try await TrackedDocument(on: store, "\(row)")
            try await document.type("abc")
            #expect(await document.putSnapshot() == nil)
            let tag = CaretLog.Tag(name: try #require(TagName("tag")), revision: 2, user: "ann", time: 7)
            #expect(await store.addTag(tag, to: document.entry.id) == .tagged)
            try await addNote(to: document, on: store)
            sql += row.update(document.entry.id, schema: "store_1")
            documents.append((row, document))
        }
        try cluster.execute(sql)
        // This store knows the rows as they were.
        for (_, document) in documents {
            let outcomes = await store.append([try document.letters("d"), try sound.letters("d")])
            #expect(outcomes[1] == .committed(head: sound.head.next))
            try sound.follow(try sound.letters("d"))
        }
        await store.close()
        let again = try PostgresStore(address, node: "test", allowsUnreplicated: true)
        for (row, document) in documents { try await useEverything(of: document, on: again, "\(row)") }
        await again.runUpkeep(at: 100 * StoreSettings.day)
        sound.store = again
        try await sound.type("e")
        #expect(try await again.text(of: sound.entry.id).get().text == sound.text)
        let names = try await again.list(limit: 1_000).get()
        #expect(names.entries.contains { $0.id == sound.entry.id })
        #expect(names.damaged > 0)
        let report = try await again.check(nil, progress: { _ in })
        #expect(report.findings.allSatisfy { $0.document != sound.entry.id })
        await again.close()
    }

    /// SQLite's tables have rules against such rows, so this test lifts them while it changes the rows.
    @Test("in SQLite, a missing number is damage that names its column, and harms only its own document")
    func missing() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        var sound = try await TrackedDocument(on: store, "sound")
        try await sound.type("abc")
        var (documents, sql) = ([(row: DamagedRow, document: TrackedDocument)](), "")
        for row in DamagedRow.all where row.value == nil {
            var document = try await TrackedDocument(on: store, "\(row)")
            try await document.type("abc")
            #expect(await document.putSnapshot() == nil)
            let tag = CaretLog.Tag(name: try #require(TagName("tag")), revision: 2, user: "ann", time: 7)
            #expect(await store.addTag(tag, to: document.entry.id) == .tagged)
            try await addNote(to: document, on: store)
            let key = row.table == .document ? "id" : "document"
            sql +=
                "UPDATE \(row.table) SET \(row.column) = NULL WHERE \(key) = \(document.entry.id.value); "
            documents.append((row, document))
        }
        await store.close()
        try DataFolder(scratch.path).openForWriting().execute(
            """
            CREATE TEMP TABLE kept AS SELECT rowid AS id, sql FROM sqlite_master;
            PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '') WHERE type = 'table';
            PRAGMA writable_schema = RESET;
            \(sql)
            PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET sql = (SELECT sql FROM kept WHERE id = sqlite_master.rowid);
            PRAGMA writable_schema = RESET;
            """)
        let report = try SQLiteStore.verify(folder: scratch.path)
        #expect(report.findings.allSatisfy { $0.document != sound.entry.id })
        for (row, document) in documents {
            #expect(report.findings.contains { $0.document == document.entry.id }, "\(row)")
        }
        let events = EventRecorder()
        let again = try SQLiteStore(folder: scratch.path) { events.add($0) }
        for (row, document) in documents { try await useEverything(of: document, on: again, "\(row)") }
        await again.runUpkeep(at: 100 * StoreSettings.day)
        sound.store = again
        try await sound.type("d")
        #expect(try await again.text(of: sound.entry.id).get().text == sound.text)
        for column in Set(documents.map(\.row.column)) {
            let place = "the column \(column) of a row has no number"
            #expect(events.all.contains(.damagedRow(place)), "\(place)")
        }
        await again.close()
    }

    @Test("a token whose row has no number is refused, and others are not")
    func token() async throws {
        let cluster = try PostgresCluster()
        let store = try PostgresStore(
            PostgresAddress(cluster.newAddress()), node: "test", allowsUnreplicated: true)
        let (user, grants) = (try UserName("ann"), try TokenContractTests.some())
        let (damaged, sound) = (
            try await store.addToken(of: user, grants).get(), try await store.addToken(of: user, grants).get()
        )
        try cluster.execute(
            "ALTER TABLE store_1.token ALTER created DROP NOT NULL; "
                + "UPDATE store_1.token SET created = NULL WHERE id = 1")
        #expect(refusal(await store.token(shown: damaged.bytes)) == .damaged)
        #expect(try await store.token(shown: sound.bytes).get().user == user)
        let listed = try await store.tokens().get().items
        #expect(listed.count == 2)
        guard case .damaged(TokenID(1)) = listed[0], case .sound = listed[1] else {
            throw Unexpected(what: "\(listed)")
        }
        await store.close()
    }

    private func addNote(to document: TrackedDocument, on store: any DurableStore) async throws {
        let place = NotePlace(
            at: 1, Selection(anchor: 0, head: 1), suggesting: try Change([Edit(0..<1, "A")]))
        let note = NoteContent(user: "ann", time: 7, text: "why?", quote: "a", place: place)
        _ = await store.addNote(note, to: document.entry.id)
    }

    /// Calls everything that reads or writes a document. A text that is returned is right.
    private func useEverything(
        of document: TrackedDocument, on store: any DurableStore, _ what: Comment
    ) async throws {
        let (id, name) = (document.entry.id, document.entry.name)
        if case .success(let found) = await store.text(of: id) {
            // The append before may have been committed.
            var appended = document
            try appended.follow(try document.letters("d"))
            #expect([document.text, appended.text].contains(found.text), what)
        }
        if case .success(let found) = await store.text(of: id, at: 1) {
            #expect(found.text == document.texts[1], what)
        }
        _ = await store.find(name)
        _ = await store.entries(of: [id])
        _ = await store.read(id, after: 0)
        _ = await store.pusher(SampleLog.ann, in: id)
        _ = await store.tags(of: id)
        _ = await store.notes(of: id)
        try await addNote(to: document, on: store)
        _ = await store.changeNote(NoteNumber(1), of: id, version: 1, .resolve)
        _ = await store.append(try document.letters("x"))
        _ = await store.appendLocked(try document.letters("y")) { _ in [] }
        _ = await store.putSnapshot(Snapshot(revision: 1, text: document.texts[1]), of: id)
        _ = await store.trim(id, through: 1)
        _ = await store.redact(id, Redaction(try Passage("b")))
        _ = await store.rename(id, to: try DocumentName("\(name).new"))
        _ = await store.delete(id, at: 1)
        _ = await store.deleted()
        _ = await store.undelete(id)
    }
}
