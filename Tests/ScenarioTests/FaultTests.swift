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
        let most = UInt64(Seeds.share(of: 2_000, everyCommit: 400))
        let findings = await withTaskGroup(of: [Finding].self) { group in
            for thread in 0..<2 {
                group.addTask {
                    Faults.all.indices.filter { $0 % 2 == thread }.map { FaultTests.find($0, within: most) }
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
            #expect(finding.seed != nil, "\(most) seeds do not find this fault: \(finding.name)")
        }
    }

    private static func find(_ place: Int, within most: UInt64) -> Finding {
        var finding = Finding(place: place, name: Faults.all[place].name)
        for seed in 0..<most {
            let plan = PlanMaker.plan(seed)
            // A plan that also fails without the fault proves nothing.
            if Runs.run(plan).failure != nil { continue }
            guard let failure = Runs.run(plan, fault: Faults.all[place].make).failure else { continue }
            (finding.seed, finding.operations) = (seed, failure.step + 1)
            finding.law = failure.description
            break
        }
        return finding
    }
}
