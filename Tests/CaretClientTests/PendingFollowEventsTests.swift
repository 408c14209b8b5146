import CaretClient
import CaretCore
import CaretWire
import Testing

@Suite("Follow events that wait for their reader") struct PendingFollowEventsTests {
    private func document(_ name: WireString, _ revision: Revision) -> FollowEvent {
        .document(DocumentSummary(document: name, epoch: "e", revision: revision, length: 0, updated: 0))
    }

    private func end(_ name: WireString, _ epoch: WireString) -> FollowEvent {
        .gone(Gone(document: name, epoch: epoch, reason: .deleted, isFollowed: true))
    }

    @Test("only the latest change of each document is kept for the reader")
    func latest() {
        var events = PendingFollowEvents()
        for revision in 1...1_000 { events.add(document("a", Revision(revision))) }
        events.add(document("b", 1))
        #expect(events.drain() == [document("a", 1_000), document("b", 1)])
        #expect(events.drain() == [])
    }

    @Test("`gone` is delivered before the event of a new document with that name")
    func gone() {
        var events = PendingFollowEvents()
        let gone = end("a", "e")
        for next in [gone, document("a", 1), document("a", 2)] { events.add(next) }
        #expect(events.drain() == [gone, document("a", 2)])
    }

    @Test(
        "for a reused name, only the newest `gone` and document are kept"
    )
    func goneAgain() {
        var events = PendingFollowEvents()
        let gone = end("a", "e")
        for _ in 0..<1_000 { for next in [document("a", 1), document("b", 1), gone] { events.add(next) } }
        #expect(events.drain() == [document("b", 1), gone])
        for _ in 0..<1_000 { for next in [gone, document("a", 1)] { events.add(next) } }
        #expect(events.drain() == [gone, document("a", 1)])
    }

    @Test("a late `gone` does not remove a new document with the same name")
    func goneBefore() {
        var events = PendingFollowEvents()
        for next in [document("a", 1), end("a", "old"), end("a", "older")] { events.add(next) }
        #expect(events.drain() == [document("a", 1), end("a", "older")])
    }

    @Test("a new list of documents replaces all waiting events")
    func restarted() {
        var events = PendingFollowEvents()
        for next in [document("a", 1), .complete, .restarted, document("a", 2)] { events.add(next) }
        #expect(events.drain() == [.restarted, document("a", 2)])
    }

    @Test("an event, a cancellation or the end of the stream wakes the reader")
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

    @Test("a cancelled reader returns at once, and removes no events")
    func cancelledBeforeRead() async throws {
        let stream = CoalescingStream(PendingFollowEvents())
        for isEmpty in [true, false] {
            if !isEmpty { stream.update { $0.add(.complete) } }
            let reader = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await stream.next()
            }
            reader.cancel()
            #expect(try await reader.value == nil)
        }
        #expect(try await stream.next() == [.complete])
    }
}
