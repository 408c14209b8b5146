import CaretConcurrency
import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import Synchronization
import TestSupport
import Testing

@Suite("The order of completions") struct CompletionQueueTests {
    @Test("completions run in order, even if a few are queued after many")
    func fewBehindMany() async {
        let (completions, gate, completed) = (CompletionQueue(), Gate(), OutcomeList())
        // The writer's thread calls at most 32 completions itself. These are 33 completions, so another
        // thread calls them.
        let many = (1...33).map { number in
            { @Sendable in
                gate.pass()
                completed.add(.committed(head: Revision(number)))
            }
        }
        gate.closed {
            completions.call(many)
            completions.call([{ @Sendable in completed.add(.committed(head: 34)) }])
            #expect(completed.outcomes.isEmpty)
        }
        await withCheckedContinuation { done in completions.finish { done.resume() } }
        #expect(completed.outcomes == (1...34).map { .committed(head: Revision($0)) })
        // No batch is waiting now, so the writer's thread calls a few completions itself again.
        let few = (35...66).map { number in
            { @Sendable in completed.add(.committed(head: Revision(number))) }
        }
        completions.call(few)
        #expect(completed.outcomes == (1...66).map { .committed(head: Revision($0)) })
    }

    @Test("completions run in the order of calls, and before the store closes")
    func order() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        var document = try await TrackedDocument(on: store)
        let answered = OutcomeList()
        var expected: [AppendOutcome] = []
        let letter = SampleChange.edit(0, 0, "x")
        for number in 1...400 {
            let append = try document.append([letter], seq: Int64(number))
            try document.follow(append)
            store.run(.append(append)) { if case .appended(let outcome) = $0 { answered.add(outcome) } }
            expected.append(.committed(head: Revision(number)))
            // Append the same change again, which must conflict.
            store.run(.append(append)) { if case .appended(let outcome) = $0 { answered.add(outcome) } }
            expected.append(.conflict(head: Revision(number)))
            // Each pause lets the writer finish all calls, so the transactions have different sizes.
            if number % 50 == 0 { _ = try await store.text(of: document.entry.id).get() }
        }
        await store.close()
        #expect(answered.outcomes == expected)
    }
}

/// Outcomes in the order of their completions.
private final class OutcomeList: Sendable {
    private let list = Mutex<[AppendOutcome]>([])

    var outcomes: [AppendOutcome] { list.withLock { $0 } }

    func add(_ outcome: AppendOutcome) { list.withLock { $0.append(outcome) } }
}

/// While the gate is closed, `pass` waits.
private final class Gate: Sendable {
    private let lock = Mutex(())

    func closed(_ body: () -> Void) { lock.withLock { _ in body() } }

    func pass() { lock.withLock { _ in } }
}
