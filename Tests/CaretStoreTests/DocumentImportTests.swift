import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import TestSupport
import Testing

@Suite("Importing documents with their histories") struct DocumentImportTests {
    private let name: DocumentName

    init() throws { name = try DocumentName("notes/today") }

    private func documentImport(_ start: Revision = 0, _ text: String = "") throws -> DocumentImport {
        DocumentImport(
            name: name, start: Snapshot(revision: start, text: try TextBuffer(text)), lineBreak: .crlf,
            updated: 7)
    }

    /// Appends one letter per revision.
    private func append(_ letters: String, to entry: DocumentEntry, in store: SQLiteStore) async throws {
        var (text, changes) = (TextBuffer(), [PushedChange]())
        for letter in letters {
            let change = try Change([Edit(text.end..<text.end, String(letter))])
            changes.append(try SampleLog.pushed(change, in: text, seq: Int64(changes.count + 1)))
            try text.apply(change)
        }
        let outcome = await store.append(
            Append(document: entry.id, epoch: entry.epoch, expected: entry.head, changes: changes))
        #expect(outcome == .committed(head: Revision(entry.head.value + changes.count)))
    }

    @Test("an imported document cannot be found before it is published")
    func published() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        let entry = try await store.beginImport(try documentImport())
        try await append("abc", to: entry, in: store)
        #expect(await store.find(name) == .failure(.gone))
        #expect(await store.text(of: entry.id) == .failure(.refused(.gone)))
        #expect(try await store.list().get().entries.isEmpty)
        #expect(try await store.deleted().get().entries.isEmpty)
        #expect(await store.undelete(entry.id) == .refused(.gone))
        // Upkeep removes an unpublished document only after this store is closed.
        await store.runUpkeep(at: .max)
        #expect(try await store.verify().isSound)

        #expect(try await store.publish([Publication(entry.id)]) == nil)
        let found = try await store.find(name).get()
        #expect(found.id == entry.id && found.head == 3 && found.lineBreak == .crlf && found.deleted == nil)
        for (revision, text) in ["", "a", "ab", "abc"].enumerated() {
            #expect(
                try await store.text(of: entry.id, at: Revision(revision)).get().text.string == text)
        }
        let report = try await store.verify()
        #expect(report.isSound && report.snapshots == 0)
        await store.close()
        #expect(try SQLiteStore.verify(folder: scratch.path).isSound)
    }

    @Test("an imported trimmed history begins with the text at its start")
    func trimmed() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        let entry = try await store.beginImport(try documentImport(900, "é😀\n"))
        try await append("x", to: entry, in: store)
        #expect(try await store.publish([Publication(entry.id)]) == nil)
        #expect(try scratch.number("SELECT snapshot FROM document") == 900)
        #expect(try await store.text(of: entry.id, at: 900).get().text.string == "é😀\n")
        #expect(try await store.text(of: entry.id).get().text.string == "xé😀\n")
        #expect(await store.text(of: entry.id, at: 899) == .failure(.trimmed(start: 900)))
        await store.runUpkeep(at: 1_000)
        let report = try await store.verify()
        #expect(report.isSound && report.revisions == 1, "\(report)")
        await store.close()
    }

    @Test("publishing several imports fails as a whole if one name is taken")
    func taken() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        let other = DocumentImport(
            name: try DocumentName("other"), start: Snapshot(revision: 0, text: TextBuffer()), lineBreak: .lf,
            updated: 7)
        let entries = [try await store.beginImport(other), try await store.beginImport(try documentImport())]
        _ = await store.create(name, at: 1)
        #expect(try await store.publish(entries.map { Publication($0.id) }) == name)
        #expect(await store.find(other.name) == .failure(.gone))
        // A deleted document can be published although another document has its name.
        let publications = [Publication(entries[0].id), Publication(entries[1].id, deleted: 12)]
        #expect(try await store.publish(publications) == nil)
        #expect(try await store.find(other.name).get().id == entries[0].id)
        let deleted = try await store.deleted().get().entries
        #expect(deleted.map(\.id) == [entries[1].id] && deleted.map(\.deleted) == [12])
        #expect(deleted.map(\.updated) == [7] && deleted.map(\.lineBreak) == [.crlf])
        await #expect(throws: StoreRefusal.gone) { try await store.publish(publications) }
        await store.close()
    }

    @Test("upkeep removes unpublished imports after their process has ended")
    func unpublished() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        let entry = try await store.beginImport(try documentImport(5, "text"))
        try await append("abc", to: entry, in: store)
        await store.close()
        #expect(try scratch.count("document") == 1)
        let again = try SQLiteStore(folder: scratch.path)
        #expect(await again.find(name) == .failure(.gone))
        await again.runUpkeep(at: 31 * StoreSettings.day)
        #expect(try await again.verify().isSound)
        await again.close()
        for table in ["document", "segment", "snapshot", "pusher"] {
            #expect(try scratch.count(table) == 0, "\(table)")
        }
    }

    @Test("a rollback discards new imports and undoes their publication")
    func undone() throws {
        struct Undo: Error {}
        let scratch = try Scratch()
        defer { scratch.remove() }
        let database = try DataFolder(scratch.path).openForWriting()
        var writer = HistoryWriter(database: database, generation: Generation(1))
        let first = try database.transaction(
            { try writer.beginImport(try documentImport(), epoch: 1) }, orFault: { $0 as any Error })
        _ = writer.committed()
        var second: DocumentEntry?
        #expect(throws: Undo.self) {
            try database.transaction(
                {
                    second = try writer.beginImport(try documentImport(), epoch: 2)
                    _ = try writer.publish([Publication(first.id)])
                    throw Undo()
                }, orFault: { $0 as any Error })
        }
        writer.rolledBack()
        // The next document gets the ID of the document that was rolled back.
        let next = try database.transaction({ try writer.nextDocument() }, orFault: { $0 as any Error })
        #expect(second?.id == next && writer.unpublished == [first.id])
    }
}
