import CaretRooms
import CaretServer
import TestSupport
import Testing

@Suite("The memory for output that waits for clients") struct OutputBudgetTests {
    @Test("payloads use the budget as long as they live: below the limit, at it and one beyond")
    func limit() {
        let budget = OutputBudget(10)
        for (bytes, isUsedUp) in [(9, false), (10, true), (11, true)] {
            var payload: Payload? = Payload([UInt8](repeating: 0, count: bytes), meter: budget)
            #expect(budget.isUsedUp == isUsedUp && payload?.count == bytes)
            payload = nil
            #expect(!budget.isUsedUp)
        }
    }

    @Test("memory that has a limit of its own does not count")
    func exempt() {
        let cached = Shared(1)
        let budget = OutputBudget(10) { cached.value }
        budget.added(10)
        #expect(!budget.isUsedUp)
        cached.change { $0 = 0 }
        #expect(budget.isUsedUp)
    }

    @Test("who waits for room is called once: when output is gone, or when the limit grows")
    func room() {
        let (budget, calls) = (OutputBudget(10), Shared(0))
        budget.added(12)
        for expected in 1...2 {
            budget.whenRoom { calls.change { $0 += 1 } }
            #expect(calls.value == expected - 1)
            if expected == 1 { budget.removed(3) } else { budget.setLimit(13) }
            #expect(calls.value == expected)
            budget.added(3)
            budget.removed(1)
        }
        #expect(calls.value == 2)
    }
}
