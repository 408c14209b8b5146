import Testing

@Suite("Faults planted in rooms") struct PlantedFaultTests {
    @Test("each of them is found by the simulation, and before long")
    func found() {
        for fault in PlantedFault.all {
            var (seed, problem) = (UInt64(0), String?.none)
            while problem == nil, seed < 2_000 {
                var tally = SimulationTally()
                problem = tally.run(seed, steps: 500, fault: fault)
                seed += 1
            }
            #expect(problem != nil, "\(fault.name): not found in 2,000 seeds")
            print("\(fault.name): found by seed \(seed - 1), \((problem ?? "never").prefix(110))")
        }
    }
}
