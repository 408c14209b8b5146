import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import TestSupport
import Testing

@Suite("Reading deleted documents") struct DeletedReadingTests {
    @Test("only deleted documents can be read by the calls for deleted documents")
    func history() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        var document = try await TrackedDocument(on: store)
        try await document.type("abcdef")
        let id = document.entry.id
        let hidden = try await store.beginImport(
            DocumentImport(
                name: try DocumentName("hidden"), start: Snapshot(revision: 0, text: TextBuffer()),
                lineBreak: .lf, updated: 7))
        for other in [id, hidden.id, DocumentID(999)] {
            await #expect(throws: HistoryRefusal.refused(.gone), "\(other)") {
                try await store.textOfDeleted(other, at: 0)
            }
            await #expect(throws: HistoryRefusal.refused(.gone), "\(other)") {
                try await store.readDeleted(other, after: 0, limit: .max)
            }
        }
        #expect(await store.delete(id, at: 1) == nil)
        for (revision, text) in document.texts.enumerated() {
            #expect(try await store.textOfDeleted(id, at: Revision(revision)) == text)
        }
        let rest = Segment(first: 3, changes: Array(document.log[2...]))
        #expect(try await store.readDeleted(id, after: 2, limit: .max) == rest)
        let page = Segment(first: 3, changes: [document.log[2]])
        #expect(try await store.readDeleted(id, after: 2, limit: 0) == page)
        await #expect(throws: HistoryRefusal.ahead(head: 6)) {
            try await store.readDeleted(id, after: 7, limit: .max)
        }
        #expect(try await store.verify().isSound)
        await store.close()
    }
}
