import CaretClient
import CaretCore
import CaretWire
import Testing

@Suite("Pending follow events") struct PendingFollowEventsTests {
    private func document(_ name: WireString, _ revision: Revision) -> FollowEvent {
        .document(DocumentSummary(document: name, epoch: "e", revision: revision, length: 0, updated: 0))
    }

    private func end(_ name: WireString, _ epoch: WireString) -> FollowEvent {
        .gone(Gone(document: name, epoch: epoch, reason: .deleted, isFollowed: true))
    }

    @Test("of a document's changes only the latest waits")
    func latest() {
        var events = PendingFollowEvents()
        for revision in 1...1_000 { events.add(document("a", Revision(revision))) }
        events.add(document("b", 1))
        #expect(events.drain() == [document("a", 1_000), document("b", 1)])
        #expect(events.drain() == [])
    }

    @Test("a new document with the name of a deleted one comes after its gone")
    func gone() {
        var events = PendingFollowEvents()
        let gone = end("a", "e")
        for next in [gone, document("a", 1), document("a", 2)] { events.add(next) }
        #expect(events.drain() == [gone, document("a", 2)])
    }

    @Test(
        "of a name that is reused only the last gone and the last document wait"
    )
    func goneAgain() {
        var events = PendingFollowEvents()
        let gone = end("a", "e")
        for _ in 0..<1_000 { for next in [document("a", 1), document("b", 1), gone] { events.add(next) } }
        #expect(events.drain() == [document("b", 1), gone])
        for _ in 0..<1_000 { for next in [gone, document("a", 1)] { events.add(next) } }
        #expect(events.drain() == [gone, document("a", 1)])
    }

    @Test("a late gone does not remove the document that has the name now")
    func goneBefore() {
        var events = PendingFollowEvents()
        for next in [document("a", 1), end("a", "old"), end("a", "older")] { events.add(next) }
        #expect(events.drain() == [document("a", 1), end("a", "older")])
    }

    @Test("a new list replaces all waiting events")
    func restarted() {
        var events = PendingFollowEvents()
        for next in [document("a", 1), .complete, .restarted, document("a", 2)] { events.add(next) }
        #expect(events.drain() == [.restarted, document("a", 2)])
    }

    @Test("elements, the end and a cancellation wake a reader")
    func stream() async throws {
        let stream = CoalescingStream(PendingFollowEvents())
        async let first = stream.next()
        stream.update { $0.add(.restarted) }
        #expect(try await first == [.restarted])
        let cancelled = Task { try await stream.next() }
        cancelled.cancel()
        #expect(try await cancelled.value == nil)
        let last = Task { try await stream.next() }
        stream.finish(throwing: ConnectionFault.closed)
        await #expect(throws: ConnectionFault.closed) { try await last.value }
        #expect(try await stream.next() == nil)
    }
}
