import CaretClient
import CaretCore
import CaretWire
import Testing

@Suite("Pending news") struct PendingNewsTests {
    private func document(_ name: WireString, _ revision: Revision) -> DocumentNews {
        .document(DocumentSummary(document: name, epoch: "e", revision: revision, length: 0, updated: 0))
    }

    private func end(_ name: WireString, _ epoch: WireString) -> DocumentNews {
        .gone(Gone(document: name, epoch: epoch, reason: .deleted, isFollowed: true))
    }

    @Test("of a document that changes again and again only the latest waits")
    func latest() {
        var news = PendingNews()
        for revision in 1...1_000 { news.add(document("a", Revision(revision))) }
        news.add(document("b", 1))
        #expect(news.take() == [document("a", 1_000), document("b", 1)])
        #expect(news.take() == [])
    }

    @Test("what is made anew under the name of one that is gone comes after its end")
    func gone() {
        var news = PendingNews()
        let gone = end("a", "e")
        for next in [gone, document("a", 1), document("a", 2)] { news.add(next) }
        #expect(news.take() == [gone, document("a", 2)])
    }

    @Test(
        "of a name that is given and taken away again and again only the last end waits, and what came behind it"
    )
    func goneAgain() {
        var news = PendingNews()
        let gone = end("a", "e")
        for _ in 0..<1_000 { for next in [document("a", 1), document("b", 1), gone] { news.add(next) } }
        #expect(news.take() == [document("b", 1), gone])
        for _ in 0..<1_000 { for next in [gone, document("a", 1)] { news.add(next) } }
        #expect(news.take() == [gone, document("a", 1)])
    }

    @Test("the end of a document takes nothing from the one that has its name since")
    func goneBefore() {
        var news = PendingNews()
        for next in [document("a", 1), end("a", "old"), end("a", "older")] { news.add(next) }
        #expect(news.take() == [document("a", 1), end("a", "older")])
    }

    @Test("what is told from the beginning takes the place of what was not taken")
    func beginning() {
        var news = PendingNews()
        for next in [document("a", 1), .complete, .beginning, document("a", 2)] { news.add(next) }
        #expect(news.take() == [.beginning, document("a", 2)])
    }

    @Test("who waits for news is woken by them, by their end, and by being cancelled")
    func pipe() async throws {
        let pipe = Pipe(PendingNews())
        async let first = pipe.next()
        pipe.put { $0.add(.beginning) }
        #expect(try await first == [.beginning])
        let cancelled = Task { try await pipe.next() }
        cancelled.cancel()
        #expect(try await cancelled.value == nil)
        let last = Task { try await pipe.next() }
        pipe.end(throwing: ConnectionFault.closed)
        await #expect(throws: ConnectionFault.closed) { try await last.value }
        #expect(try await pipe.next() == nil)
    }
}
