import CaretCore
import CaretLog
import CaretStore
import TestSupport
import Testing

@Suite("Importing documents with their histories") struct ArrivalTests {
    private let name: DocumentName

    init() throws { name = try DocumentName("notes/today") }

    private func arrival(_ start: Revision = 0, _ text: String = "") throws -> Arrival {
        Arrival(
            name: name, start: Snapshot(revision: start, text: try Text(text)), lineBreak: .crlf, updated: 7)
    }

    /// Appends one letter per revision.
    private func append(_ letters: String, to entry: DocumentEntry, in store: SQLiteStore) async throws {
        var (text, changes) = (Text(), [PushedChange]())
        for letter in letters {
            let change = try Change([Edit(text.end..<text.end, String(letter))])
            changes.append(try SampleLog.pushed(change, in: text, seq: Int64(changes.count + 1)))
            try text.apply(change)
        }
        let outcome = await store.append(
            Append(document: entry.id, epoch: entry.epoch, expected: entry.head, changes: changes))
        #expect(outcome == .committed(head: Revision(entry.head.value + changes.count)))
    }

    @Test("an import cannot be found before it is published")
    func published() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        let entry = try await store.arrive(try arrival())
        try await append("abc", to: entry, in: store)
        #expect(await store.find(name) == .failure(.gone))
        #expect(await store.text(of: entry.id) == .failure(.refused(.gone)))
        #expect(try await store.list().get().entries.isEmpty)
        #expect(try await store.deleted().get().entries.isEmpty)
        // Upkeep removes an unpublished document only after this store is closed.
        await store.tend(at: .max)
        #expect(try await store.verify().isSound)

        #expect(try await store.publish([Publication(entry.id)]) == nil)
        let found = try await store.find(name).get()
        #expect(found.id == entry.id && found.head == 3 && found.lineBreak == .crlf && found.deleted == nil)
        for (revision, text) in ["", "a", "ab", "abc"].enumerated() {
            #expect(
                try await store.text(of: entry.id, at: Revision(revision)).get().text.string == text)
        }
        #expect(try await store.verify().isSound)
        await store.close()
        #expect(try SQLiteStore.verify(folder: scratch.path).isSound)
    }

    @Test("an imported trimmed history begins with its text")
    func trimmed() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        let entry = try await store.arrive(try arrival(900, "é😀\n"))
        try await append("x", to: entry, in: store)
        #expect(try await store.publish([Publication(entry.id)]) == nil)
        #expect(try await store.text(of: entry.id, at: 900).get().text.string == "é😀\n")
        #expect(try await store.text(of: entry.id).get().text.string == "xé😀\n")
        #expect(await store.text(of: entry.id, at: 899) == .failure(.trimmed(start: 900)))
        await store.tend(at: 1_000)
        let report = try await store.verify()
        #expect(report.isSound && report.revisions == 1, "\(report)")
        await store.close()
    }

    @Test("publishing several imports fails as a whole if one name is taken")
    func taken() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        let other = Arrival(
            name: try DocumentName("other"), start: Snapshot(revision: 0, text: Text()), lineBreak: .lf,
            updated: 7)
        let entries = [try await store.arrive(other), try await store.arrive(try arrival())]
        _ = await store.create(name, at: 1)
        #expect(try await store.publish(entries.map { Publication($0.id) }) == name)
        #expect(await store.find(other.name) == .failure(.gone))
        // The name of a deleted document may be taken.
        let publications = [Publication(entries[0].id), Publication(entries[1].id, deleted: 12)]
        #expect(try await store.publish(publications) == nil)
        #expect(try await store.find(other.name).get().id == entries[0].id)
        #expect(try await store.deleted().get().entries.map(\.id) == [entries[1].id])
        await #expect(throws: StoreRefusal.gone) { try await store.publish(publications) }
        await store.close()
    }

    @Test("upkeep removes unpublished imports after their process has ended")
    func unpublished() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        let entry = try await store.arrive(try arrival(5, "text"))
        try await append("abc", to: entry, in: store)
        await store.close()
        #expect(try scratch.count("document") == 1)
        let again = try SQLiteStore(folder: scratch.path)
        #expect(await again.find(name) == .failure(.gone))
        await again.tend(at: 31 * StoreSettings.day)
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
            { try writer.begin(try arrival(), epoch: 1) }, orFault: { $0 as any Error })
        _ = writer.committed()
        var second: DocumentEntry?
        #expect(throws: Undo.self) {
            try database.transaction(
                {
                    second = try writer.begin(try arrival(), epoch: 2)
                    _ = try writer.publish([Publication(first.id)])
                    throw Undo()
                }, orFault: { $0 as any Error })
        }
        writer.rolledBack()
        // The next document gets the ID of the rolled back one.
        let next = try database.transaction({ try writer.nextDocument() }, orFault: { $0 as any Error })
        #expect(second?.id == next && writer.unpublished == [first.id])
    }
}
