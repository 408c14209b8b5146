import Testing

@Suite("Plans of test scenarios") struct PlanTests {
    @Test("a plan that is written as text and read again is unchanged")
    func roundTrip() throws {
        for seed in Array(0..<UInt64(40)) + Array(Runs.seedsWithNodes(20)) {
            let plan = PlanMaker.plan(seed, steps: 100)
            #expect(try Plan(text: plan.text) == plan, "seed \(seed)")
        }
    }

    @Test(
        "a line that is not valid in a plan throws an error",
        arguments: ["5 c0 dances a", "soon crashes", "5 c0 types x 1\"a\""])
    func unreadable(line: String) {
        #expect(throws: Plan.Unreadable.self) { try Plan(text: line) }
    }

    /// Another node may make a document longer than the limit. The room then refuses every insertion, and so
    /// it appends nothing to the store.
    @Test("clients notice a new epoch of a document that is at its size limit")
    func newEpochOfFullDocument() throws {
        let (half, rest) = (String(repeating: "x", count: 700), String(repeating: "y", count: 3_400))
        let text = """
            seed 0
            client editor-utf-16
            0 c0 types a 0"\(half)"
            2000 elsewhere a 0"\(rest)"
            4000 c0 types a 0"z"
            4003 renews
            """
        let outcome = Runs.run(try Plan(text: text))
        #expect(outcome.failure == nil)
        #expect(outcome.counts.newEpochs > 0)
    }

    @Test("a failing plan is reduced to the steps that it needs to fail")
    func shrinking() throws {
        let fault: () -> PlantedFault = { ChecksumOfAnotherText() }
        let plan = PlanMaker.plan(0)
        let failure = try #require(Runs.run(plan, fault: fault).failure)
        var shrinking = Shrinking(plan, failure) { Runs.run($0, fault: fault).failure }
        shrinking.shrink()
        #expect(shrinking.plan.steps.count <= 3)
        #expect(Runs.run(shrinking.plan, fault: fault).failure == failure)
    }
}
