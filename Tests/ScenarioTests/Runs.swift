import Foundation
import TestSupport

/// The result of one seed.
struct Outcome: Sendable {
    let seed: UInt64
    var steps = 0
    var events = 0
    var digest: UInt64 = 0
    var counts = Referee.Counts()
    var failure: Failure?
}

/// Runs plans, spread over two threads.
enum Runs {
    static func run(
        _ plan: Plan, printsMessages: Bool = false, fault: () -> PlantedFault = { PlantedFault() }
    ) -> Outcome {
        let planted = fault()
        let note = RunNote(plan.seed, planted)
        defer { note?.remove() }
        let world = World(plan, fault: planted)
        world.printsMessages = printsMessages
        let failure = world.run()
        return Outcome(
            seed: plan.seed, steps: plan.steps.count, events: world.events, digest: world.trace.value,
            counts: world.referee.counts, failure: failure)
    }

    /// The outcomes, in the order of the seeds.
    static func run(_ seeds: Range<UInt64>, steps: Int? = nil) async -> [Outcome] {
        let threads = 2
        return await withTaskGroup(of: [Outcome].self) { group in
            for thread in 0..<threads {
                group.addTask {
                    seeds.filter { Int($0) % threads == thread }.enumerated().map { done, seed in
                        if done % 100 == 99 { tell("seed \(seed) of \(seeds)") }
                        return run(PlanMaker.plan(seed, steps: steps))
                    }
                }
            }
            var all: [Outcome] = []
            for await outcomes in group { all += outcomes }
            return all.sorted { $0.seed < $1.seed }
        }
    }

    /// Says how far a run is, at once. A slow machine needs so long that silence would be taken for a test that hangs.
    static func tell(_ progress: String) {
        FileHandle.standardOutput.write(Data("\(progress)\n".utf8))
    }

    /// The report of a failing seed: the failure, how to replay it, and the reduced plan.
    static func report(
        _ plan: Plan, _ failure: Failure, fault: @escaping () -> PlantedFault = { PlantedFault() }
    ) -> String {
        var shrinking = Shrinking(plan, failure) { run($0, fault: fault).failure }
        shrinking.shrink()
        let small = shrinking.plan
        let last = run(small, fault: fault).failure
        return """
            seed \(plan.seed): \(failure)
            replay: \(Seeds.replay(plan.seed, of: "ScenarioTests"))
            The plan has \(plan.steps.count) steps; these \(small.steps.count) fail in the same way:
            \(last.map { "\($0)" } ?? "")
            To replay this plan, save it to a file and set CARET_PLAN to its path:

            \(small.text)
            """
    }

    /// The plan in the file that `CARET_PLAN` names; nil if it is not set.
    static func requestedPlan() throws -> Plan? {
        guard let path = ProcessInfo.processInfo.environment["CARET_PLAN"] else { return nil }
        return try Plan(text: String(contentsOfFile: path, encoding: .utf8))
    }

    /// The first seeds whose plans have several servers, or the one in `CARET_SEED`.
    static func seedsWithNodes(_ count: Int) -> Range<UInt64> {
        let seeds = Seeds.first(count)
        let first = PlanMaker.firstSeedWithNodes
        return seeds.lowerBound == 0 ? first..<first + UInt64(seeds.count) : seeds
    }

    /// The seeds of `CARET_SEEDS=from..to`, without the last one. If the variable is not set, the first `all`
    /// seeds in a full run, and otherwise the first `share` seeds.
    static func seeds(of all: Int, everyCommit share: Int) -> Range<UInt64> {
        let words = ProcessInfo.processInfo.environment["CARET_SEEDS"]?.split(separator: ".").compactMap {
            UInt64($0)
        }
        if let words, words.count == 2, words[0] < words[1] { return words[0]..<words[1] }
        return Seeds.first(Seeds.share(of: all, everyCommit: share))
    }
}
