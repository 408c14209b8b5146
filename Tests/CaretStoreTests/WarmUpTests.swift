import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import TestSupport
import Testing

@Suite("What a store does after a restart") struct WarmUpTests {
    @Test("warming up reads a short document, and a damaged one does no harm")
    func warmUp() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        await store.warmUp()
        var first = try await TrackedDocument(on: store, "a")
        var second = try await TrackedDocument(on: store, "b")
        try await first.type("abc")
        try await second.type("def")
        await store.close()
        try DataFolder(scratch.path).openForWriting().execute(
            "UPDATE segment SET time = time + 1 WHERE document = \(first.entry.id.value)")
        let recorder = EventRecorder()
        let again = try SQLiteStore(folder: scratch.path, settings: .withoutRounds) { recorder.add($0) }
        await again.warmUp()
        // The report shows that the first document was read.
        #expect(recorder.all == [.damaged(first.entry.id)])
        #expect(try await again.text(of: second.entry.id).get().text == second.text)
        await again.close()
    }

    @Test("opening a document does the upkeep that a crash has prevented")
    func upkeepAtOpening() async throws {
        let sample = try await PreparedDocument()
        let scratch = sample.scratch
        defer { scratch.remove() }
        var document = sample.document
        do {
            var pieces = try UpkeepPieces(scratch)
            let append = try document.letters(String(repeating: "x", count: 300))
            _ = try pieces.commit { writer throws(StoreFault) in try writer.append(append) }
            try document.follow(append)
        }
        let (steps, report) = AsyncStream.makeStream(of: Void.self)
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds) { event in
            if case .snapshotting = event { report.yield() }
        }
        #expect(try await store.text(of: document.entry.id).get().text == document.text)
        var found = steps.makeAsyncIterator()
        await found.next()
        await store.close()
        #expect(try scratch.number("SELECT snapshot FROM document") == 300)
    }
}
