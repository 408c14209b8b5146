import CaretRooms
import TestSupport
import Testing

@Suite("The memory budget for the windows of all rooms") struct WindowBudgetTests {
    private static let least = WindowBudget.leastShare

    /// Each room that `roomsOverShare` returns reduces its window to the share of a room.
    private func releaseExcess(_ budget: inout WindowBudget, _ held: inout [Int]) {
        for room in budget.roomsOverShare() {
            held[room] = min(held[room], budget.share)
            budget.record(held[room], ofRoom: room)
        }
    }

    @Test("when the rooms together exceed the budget, a room's share is halved")
    func bound() {
        for excess in [0, 1] {
            var budget = WindowBudget(limit: 800_000, limitPerRoom: 200_000)
            for room in 0..<4 { budget.record(200_000 + (room == 3 ? excess : 0), ofRoom: room) }
            #expect(budget.roomsOverShare() == (excess == 0 ? [] : [0, 1, 2, 3]))
            #expect(budget.share == (excess == 0 ? 200_000 : 100_000))
        }
    }

    /// The share is halved again only after each of the five rooms over the share was returned once.
    @Test("`roomsOverShare` returns the rooms over the share a few at a time")
    func fewAtATime() {
        var budget = WindowBudget(limit: 800_000, limitPerRoom: 200_000)
        for room in 0..<10 { budget.record(room % 2 == 0 ? 10 : 200_000, ofRoom: room) }
        #expect(budget.roomsOverShare() == [1, 3, 5, 7])
        #expect(budget.roomsOverShare() == [9] && budget.share == 100_000)
        #expect(budget.roomsOverShare() == [1, 3, 5, 7] && budget.share == 50_000)
    }

    @Test("the share is doubled while rooms use less than 1/4 of the budget")
    func growth() {
        for (bytes, shares) in [
            (200_000, [50_000, 50_000, 50_000]), (199_999, [100_000, 200_000, 200_000]),
        ] {
            var budget = WindowBudget(limit: 800_000, limitPerRoom: 200_000)
            for room in 0..<4 { budget.record(200_001, ofRoom: room) }
            while budget.share > 50_000 { _ = budget.roomsOverShare() }
            for room in 0..<4 { budget.record(room == 0 ? bytes : 0, ofRoom: room) }
            // First, all rooms are compared with the current share.
            #expect(budget.roomsOverShare() == [] && budget.share == 50_000)
            for share in shares {
                _ = budget.roomsOverShare()
                #expect(budget.share == share)
            }
        }
    }

    /// The minimum is enough for the typing of a few people, but never more than the limit of one room.
    @Test("the share of a room never falls below a minimum")
    func least() {
        for (most, last) in [(200_000, Self.least), (1_000, 1_000)] {
            var budget = WindowBudget(limit: 1_000, limitPerRoom: most)
            for _ in 0..<100 {
                budget.record(1 << 20, ofRoom: 0)
                _ = budget.roomsOverShare()
            }
            #expect(budget.share == last)
        }
    }

    @Test("the share grows again when rooms are dropped")
    func gone() {
        var budget = WindowBudget(limit: 800_000, limitPerRoom: 200_000)
        var held = Array(repeating: 200_000, count: 100)
        for room in held.indices { budget.record(held[room], ofRoom: room) }
        for _ in 0..<1_000 { releaseExcess(&budget, &held) }
        #expect(budget.share == Self.least)
        for room in held.indices.dropLast() { budget.record(0, ofRoom: room) }
        for _ in 0..<10 { releaseExcess(&budget, &held) }
        #expect(budget.share == 200_000)
    }

    @Test("with random growth, the rooms together exceed the budget only slightly")
    func law() {
        for seed in Seeds.first(200) {
            var random = Seeded(seed)
            let (count, bound) = (random.number(1...300), random.pick([8 << 20, 32 << 20]))
            var budget = WindowBudget(limit: bound, limitPerRoom: 1 << 20)
            var (held, largest) = (Array(repeating: 0, count: count), 0)
            // After 1,000 steps, only some of the rooms grow.
            let hot = random.number(1...count)
            for step in 0..<4_000 {
                let room = random.number(0...(step < 1_000 ? count : hot) - 1)
                // A room that gets an event releases history beyond the share.
                held[room] = min(held[room] + random.number(0...60_000), budget.share)
                if random.chance(1) { held[room] = 0 }
                budget.record(held[room], ofRoom: room)
                releaseExcess(&budget, &held)
                largest = max(largest, held.reduce(0, +))
            }
            #expect(largest <= bound + bound / 8, "seed \(seed)")
            for _ in 0..<200 { releaseExcess(&budget, &held) }
            #expect(budget.share == 1 << 20 || held.reduce(0, +) >= bound / 4, "seed \(seed)")
        }
    }
}
