import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import Foundation
import TestSupport
import Testing

@Suite("A damaged document beside sound documents") struct DamagedDocumentTests {
    @Test("a stray row in place of the next segment damages only its own document")
    func rowInTheWay() async throws {
        let scratch = try await DamagedFolder.folder(
            """
            INSERT INTO segment (document, first, last, time, body, before, after)
            SELECT document, 3, 3, time, body, before, after FROM segment WHERE document = 1 AND first = 1
            """)
        defer { scratch.remove() }
        let (recorder, gate) = (EventRecorder(), WriterGate())
        let store = try SQLiteStore(folder: scratch.path) { event in
            recorder.add(event)
            if case .writing = event { gate.pass() }
        }
        let (damaged, sound) = (
            try await DamagedFolder.letter(in: "one", on: store),
            try await DamagedFolder.letter(in: "two", on: store)
        )
        // Append to the damaged document in one transaction with another append, and then alone.
        let outcomes = await gate.append(
            [damaged, sound], to: store, behind: .undelete(DocumentID(99)))
        #expect(outcomes == [.documentDamaged, .committed(head: 3)])
        #expect(await store.append(damaged) == .documentDamaged)
        guard case .created = await store.create(try DocumentName("three")) else {
            throw Unexpected(what: "no document can be created")
        }
        #expect(recorder.hasDamage && !recorder.hasFailed)
        await store.close()
    }

    @Test(
        "a damaged history accepts no appends until the store is opened again", arguments: [false, true])
    func closedToAppends(isOpened: Bool) async throws {
        let scratch = try await DamagedFolder.folder("DELETE FROM segment WHERE document = 1 AND first = 1")
        defer { scratch.remove() }
        for _ in 0..<2 {
            let recorder = EventRecorder()
            let store = try SQLiteStore(folder: scratch.path) { recorder.add($0) }
            let (one, two) = (
                try await DamagedFolder.letter(in: "one", on: store),
                try await DamagedFolder.letter(in: "two", on: store)
            )
            if isOpened {
                let opened = await store.open(try DocumentName("one"), by: SampleLog.ann, pushers: 0)
                #expect(refusal(opened) == .damaged)
            } else {
                #expect(refusal(await store.text(of: one.document)) == .refused(.damaged))
            }
            #expect(recorder.all.contains(.damaged(one.document)))
            #expect(
                await store.append([one, two]) == [.documentDamaged, .committed(head: two.expected.next)])
            // The store checks the epoch and the head before it reports damage.
            let stale = Append(
                document: one.document, epoch: one.epoch, expected: 1, changes: one.changes)
            #expect(await store.append(stale) == .conflict(head: 2))
            await store.close()
        }
    }

    @Test("a list skips damaged rows, and reports how many it skipped")
    func pages() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        for name in ["a", "b", "c", "d", "e"] { _ = await store.create(try DocumentName(name)) }
        await store.close()
        try DataFolder(scratch.path).openForWriting().execute(
            "UPDATE document SET head = 7 WHERE id IN (2, 3, 5)")
        let again = try SQLiteStore(folder: scratch.path)
        for limit in [1, 2, 3] {
            var (seen, damaged, after, pages) = ([String](), 0, ByteString?.none, 0)
            repeat {
                let page = try await again.list(after: after, limit: limit).get()
                seen += page.entries.map(\.name.description)
                damaged += page.damaged
                pages += 1
                guard page.hasMore, let last = page.entries.last else { break }
                after = last.name.bytes
            } while pages < 10
            #expect(seen == ["a", "d"] && damaged == 3 && pages <= 2, "pages of \(limit)")
        }
        await again.close()
    }

    @Test("upkeep continues after any damaged page, and reports the damage")
    func roundOverDamage() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let (store, count) = (try SQLiteStore(folder: scratch.path), 300)
        for number in 1...count {
            _ = await store.create(try DocumentName("doc/\(1000 + number)"))
            _ = await store.delete(DocumentID(Int64(number)), at: 1)
        }
        await store.close()
        let needed = try pagesForOpening(scratch)
        let bytes = try scratch.databaseBytes()
        var partial = 0
        var refused: Set<Int> = []
        for page in 0..<bytes.count / PageSums.pageSize {
            var harmed = bytes
            harmed[page * PageSums.pageSize + 2000] ^= 1
            let copy = try Scratch.inMemory()
            defer { copy.remove() }
            try copy.write(harmed)
            let recorder = EventRecorder()
            guard let store = try? SQLiteStore(folder: copy.path, onEvent: { recorder.add($0) }) else {
                refused.insert(page + 1)
                continue
            }
            await store.runUpkeep(at: 40 * StoreSettings.day)
            await store.close()
            let purged = recorder.all.count { if case .purged = $0 { true } else { false } }
            #expect(purged == count || recorder.hasDamage, "page \(page): \(purged) were removed")
            if recorder.all.contains(.damaged(nil)), purged > count / 2 { partial += 1 }
        }
        // Several pages have rows of documents.
        #expect(partial > 2, "\(partial) incomplete")
        #expect(refused == needed)
    }

    /// The pages without which a store cannot be opened: those of its schema, of its migrations and of its row.
    private func pagesForOpening(_ scratch: Scratch) throws -> Set<Int> {
        let sql = "SELECT pageno FROM dbstat WHERE name IN ('sqlite_schema', 'schema_migration', 'store')"
        return Set(try DataFolder(scratch.path).openForWriting().all(sql, read: { Int($0.integer(0)) }))
    }

    @Test("a missing snapshot is found by a check, and by reads that need it")
    func missingSnapshot() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        var document = try await TrackedDocument(on: store)
        try await document.type("abc")
        #expect(await document.putSnapshot() == nil)
        try await document.type("d")
        await store.close()
        try DataFolder(scratch.path).openForWriting().execute("DELETE FROM snapshot")
        #expect(try SQLiteStore.verify(folder: scratch.path).findings.map(\.fault) == [.snapshot(3)])
        let (again, id) = (try SQLiteStore(folder: scratch.path), document.entry.id)
        for revision in [3, 4] as [Revision] {
            #expect(refusal(await again.text(of: id, at: revision)) == .refused(.damaged), "\(revision)")
        }
        // Reading an earlier revision does not need the snapshot.
        #expect(try await again.text(of: id, at: 2).get().text == document.texts[2])
        await again.close()
    }

    @Test("a database whose `store` table is empty is refused and not changed")
    func missingStoreRow() async throws {
        let scratch = try await DamagedFolder.folder("DELETE FROM store")
        defer { scratch.remove() }
        let before = try scratch.files()
        #expect {
            try SQLiteStore(folder: scratch.path)
        } throws: { fault in
            guard case .database(let fault)? = fault as? OpeningFault else { return false }
            return fault.kind == .damaged
        }
        let after = try scratch.files()
        #expect(after == before)
    }
}

/// A folder with two documents of two letters. `one` has the ID 1.
private enum DamagedFolder {
    static func folder(_ damage: String) async throws -> Scratch {
        let scratch = try Scratch.inMemory()
        let store = try SQLiteStore(folder: scratch.path)
        for name in ["one", "two"] {
            var document = try await TrackedDocument(on: store, name)
            try await document.type("ab")
        }
        await store.close()
        try DataFolder(scratch.path).openForWriting().execute(damage)
        return scratch
    }

    /// An append of one letter at a document's head.
    static func letter(in name: String, on store: SQLiteStore) async throws -> Append {
        let entry = try await store.find(try DocumentName(name)).get()
        let text = try TextBuffer(String(repeating: "x", count: entry.length.utf8))
        let change = try SampleLog.pushed(
            Change([SampleChange.edit(0, 0, "x")]), in: text, seq: Int64(entry.head.value + 1))
        return Append(document: entry.id, epoch: entry.epoch, expected: entry.head, changes: [change])
    }
}
