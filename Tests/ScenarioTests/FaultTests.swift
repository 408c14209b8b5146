import TestSupport
import Testing

@Suite("Faults that are planted in the code under test") struct FaultTests {
    /// The first seed that revealed a fault, and the law that the fault broke.
    struct Finding: Sendable {
        let place: Int
        let name: String
        var seed: UInt64?
        var operations = 0
        var law = ""
    }

    @Test("the scenarios find every planted fault")
    func faults() async {
        await expect(Faults.all, foundBy: 0..<UInt64(Seeds.share(of: 2_000, everyCommit: 1_000)))
    }

    @Test("the scenarios with several servers find every fault that matters only to them")
    func faultsOfNodes() async {
        await expect(Faults.ofNodes, foundBy: Runs.seedsWithNodes(Seeds.share(of: 2_000, everyCommit: 640)))
    }

    private func expect(_ faults: [Faults.Named], foundBy seeds: Range<UInt64>) async {
        let findings = await withTaskGroup(of: [Finding].self) { group in
            for thread in 0..<2 {
                group.addTask {
                    faults.indices.filter { $0 % 2 == thread }.map { place in
                        if place / 2 % 20 == 19 { Runs.tell("fault \(place) of \(faults.count)") }
                        return FaultTests.find(faults[place], place, in: seeds)
                    }
                }
            }
            var all: [Finding] = []
            for await findings in group { all += findings }
            return all.sorted { $0.place < $1.place }
        }
        print("planted fault: first seed that finds it, operations until then: broken law")
        for finding in findings {
            let seed = finding.seed.map { "\($0), \(finding.operations)" } ?? "NOT FOUND"
            print("\(finding.name): \(seed): \(finding.law)")
            #expect(finding.seed != nil, "\(seeds.count) seeds do not find this fault: \(finding.name)")
        }
    }

    private static func find(_ fault: Faults.Named, _ place: Int, in seeds: Range<UInt64>) -> Finding {
        var finding = Finding(place: place, name: fault.name)
        for seed in seeds {
            let plan = PlanMaker.plan(seed)
            guard let failure = Runs.run(plan, fault: fault.make).failure else { continue }
            // A plan that also fails without the fault proves nothing.
            if Runs.run(plan).failure != nil { continue }
            (finding.seed, finding.operations) = (seed, failure.step + 1)
            finding.law = failure.description
            break
        }
        return finding
    }
}
