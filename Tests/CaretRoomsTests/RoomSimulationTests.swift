import CaretCore
import CaretRooms
import TestSupport
import Testing

@Suite("Rooms in the hands of chance") struct RoomSimulationTests {
    @Test(
        "whatever is late, lost, refused, overtaken or begun anew, everybody is told the log, and all of it once"
    )
    func simulation() {
        var tally = SimulationTally()
        let seeds = Seeds.first(Seeds.share(of: 23_000, everyCommit: 2_300))
        tally.isTraced = seeds.count == 1
        for seed in seeds {
            if let problem = tally.run(seed, steps: 500) {
                Issue.record(
                    "seed \(seed), \(problem)\nreplay: \(Seeds.replay(seed, of: "RoomSimulationTests"))")
                return
            }
        }
        print(tally)
    }
}

/// What came of runs.
struct SimulationTally: CustomStringConvertible {
    /// What rooms want and clients are told is printed: a seed is replayed.
    var isTraced = false
    private var seeds = 0
    private var steps = 0
    private var revisions = 0
    private var counts: [String: Int] = [:]

    /// What is wrong with a run; nil where nothing is.
    mutating func run(_ seed: UInt64, steps count: Int, fault: PlantedFault? = nil) -> String? {
        var last = ""
        do {
            var run = try RoomSimulation(seed, fault: fault, isTraced: isTraced)
            defer { if isTraced { print(run.trace.joined(separator: "\n")) } }
            do {
                for _ in 0..<count where !run.isOver { try run.step() }
                try run.comeToRest()
            } catch {
                last = run.last
                throw error
            }
            note(run)
            return nil
        } catch {
            return "\(last): \(error)"
        }
    }

    private mutating func note(_ run: RoomSimulation) {
        seeds += 1
        steps += run.steps
        revisions += run.store.truth.head.value
        for counts in [run.counts] + run.clients.map(\.counts) {
            self.counts.merge(counts) { $0 + $1 }
        }
    }

    var description: String {
        let all = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        return "rooms: \(seeds) seeds, \(steps) steps, \(revisions) revisions: \(all)"
    }
}
