import CaretPostgres
import TestSupport
import Testing

@Suite("The order of calls on a shared connection") struct CallOrderTests {
    private func ran(_ calls: [(String, CallClass)]) -> [String] {
        var order = CallOrder<String>()
        for (call, callClass) in calls { order.add(call, as: callClass) }
        var ran: [String] = []
        while let next = order.next() { ran.append(next) }
        return ran
    }

    @Test("short calls run first, then long ones, then upkeep, each in the order in which they came")
    func classes() {
        let calls: [(String, CallClass)] = [
            ("u1", .upkeep), ("l1", .long), ("s1", .short), ("u2", .upkeep), ("s2", .short), ("l2", .long),
        ]
        #expect(ran(calls) == ["s1", "s2", "l1", "l2", "u1", "u2"])
        #expect(ran([]) == [])
    }

    @Test("a call that comes later runs before the next one of a later class")
    func betweenSteps() {
        var order = CallOrder<String>()
        for step in ["step 1", "step 2"] { order.add(step, as: .long) }
        #expect(order.next() == "step 1")
        order.add("open", as: .short)
        #expect(order.next() == "open")
        #expect(order.next() == "step 2")
        #expect(order.next() == nil)
    }

    @Test("a class that waits runs after at most so many calls of earlier classes")
    func turns() {
        let most = CallOrder<String>.mostPassed
        let short = (0..<3 * most).map { ("s\($0)", CallClass.short) }
        let order = ran([("u0", .upkeep), ("l0", .long), ("l1", .long)] + short)
        #expect(order.firstIndex(of: "l0") == most)
        // Both have waited as long.
        #expect(order.firstIndex(of: "u0") == most + 1)
        #expect(order.firstIndex(of: "l1") == 2 * most + 2)
    }

    @Test("each call runs once, each class keeps its order, and no class is passed over for long")
    func law() {
        for seed in 0..<UInt64(200) {
            var (random, order) = (Seeded(seed), CallOrder<(CallClass, Int)>())
            var (added, ran) = ([CallClass: Int](), [CallClass: Int]())
            // The calls of earlier classes that ran while this one had a call that waits.
            var passed: [CallClass: Int] = [:]
            func waits(_ callClass: CallClass) -> Bool {
                added[callClass, default: 0] > ran[callClass, default: 0]
            }
            for step in 0..<2_000 {
                // More calls come than run, and in the second half more run than come.
                if random.number(0...9) < (step < 1_000 ? 6 : 3) {
                    let callClass = CallClass.allCases[random.number(0...2)]
                    order.add((callClass, added[callClass, default: 0]), as: callClass)
                    added[callClass, default: 0] += 1
                } else if let (callClass, number) = order.next() {
                    #expect(number == ran[callClass, default: 0])
                    ran[callClass, default: 0] += 1
                    passed[callClass] = 0
                    for later in CallClass.allCases
                    where later.rawValue > callClass.rawValue && waits(later) {
                        passed[later, default: 0] += 1
                        #expect(passed[later, default: 0] <= CallOrder<Int>.mostPassed + 1)
                    }
                } else {
                    #expect(!CallClass.allCases.contains(where: waits))
                }
            }
        }
    }
}
