import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import TestSupport
import Testing

@Suite("When the log is copied into the database") struct CheckpointTests {
    @Test("a checkpoint is made once for every 1,000 pages of the log")
    func count() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let recorder = EventRecorder()
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds) { recorder.add($0) }
        var document = try await TrackedDocument(on: store)
        // Each of these appends takes over 1,000 pages.
        let paste = String(repeating: "0123456789abcdef", count: 300_000)
        for round in 1...3 {
            let append = try document.append([SampleChange.edit(0, 0, paste)], seq: Int64(round))
            #expect(await store.append(append) == .committed(head: document.head.next))
            try document.follow(append)
            // Calls that write nothing make no further checkpoint. When a call is answered, the writer has
            // finished all work of the call before it.
            for _ in 0..<3 { #expect(await store.undelete(document.entry.id) == .live) }
            #expect(recorder.all.count { $0 == .checkpointing } == round)
            // The next write begins the log again, so the pages are counted from 0.
            try await document.type("x")
            for _ in 0..<3 { #expect(await store.undelete(document.entry.id) == .live) }
            #expect(recorder.all.count { $0 == .checkpointing } == round)
        }
        await store.close()
    }
}
