import TestSupport
import Testing

@Suite("Random scenarios with faults") struct ScenarioTests {
    @Test("no fault breaks an invariant, and all work ends after the last fault")
    func scenarios() async throws {
        if let plan = try Runs.requestedPlan() {
            if let failure = Runs.run(plan, printsMessages: true).failure {
                Issue.record("\(Runs.report(plan, failure))")
            }
            return
        }
        let outcomes = await run("scenarios", Runs.seeds(of: 37_500, everyCommit: 1_200))
        expectVariety(outcomes)
        report(outcomes)
    }

    /// Clients move between servers, which hear of each other by hints at most.
    @Test("several servers over one store keep every law too")
    func nodes() async {
        let count = Seeds.share(of: 37_000, everyCommit: 120)
        let outcomes = await run("several servers", Runs.seedsWithNodes(count))
        report(outcomes)
        if outcomes.count < 100 { return }
        for (name, count) in counts(outcomes, [("resumes", \.resumes), ("repeats", \.repeats)]) {
            #expect(count > 0, "there were no \(name)")
        }
    }

    private func run(_ name: String, _ seeds: Range<UInt64>) async -> [Outcome] {
        let started = ContinuousClock.now
        let outcomes = await Runs.run(seeds)
        let seconds = (ContinuousClock.now - started) / .seconds(1)
        let steps = outcomes.reduce(0) { $0 + $1.steps }
        let events = outcomes.reduce(0) { $0 + $1.events }
        print(
            "\(name): \(outcomes.count) seeds, \(steps) operations, \(events) events,"
                + " \(Int(Double(steps) / seconds)) operations/s")
        return outcomes
    }

    private func report(_ outcomes: [Outcome]) {
        let failed = outcomes.filter { $0.failure != nil }
        let laws = Dictionary(grouping: failed) { $0.failure?.law.rawValue ?? "" }
        for (law, ones) in laws.sorted(by: { $0.key < $1.key }) {
            print("\(ones.count) seeds break a law, first \(ones.prefix(12).map(\.seed)): \(law)")
            guard let first = ones.min(by: { $0.steps < $1.steps }), let failure = first.failure else {
                continue
            }
            Issue.record("\(Runs.report(PlanMaker.plan(first.seed), failure))")
        }
    }

    private typealias NamedCount = (String, KeyPath<Referee.Counts, Int>)

    private func counts(_ outcomes: [Outcome], _ kinds: [NamedCount]) -> [(name: String, count: Int)] {
        kinds.map { name, count in (name, outcomes.reduce(0) { $0 + $1.counts[keyPath: count] }) }
    }

    /// Each rare event must have happened at least once, if there were enough plans.
    private func expectVariety(_ outcomes: [Outcome]) {
        let counts = counts(
            outcomes,
            [
                ("peers", \.peers), ("repeats", \.repeats), ("resyncs", \.resyncs), ("resumes", \.resumes),
                ("undos", \.undos), ("refusals", \.refusals), ("wrong checks", \.wrongChecks),
                ("new epochs", \.newEpochs), ("reloads", \.reloads), ("resends", \.resends),
                ("whole texts with the push in flight", \.ownInTexts),
                ("pushes committed by another node", \.pushedElsewhere),
                ("damaged documents", \.damaged), ("WebSockets", \.webSockets), ("pongs", \.pongs),
                ("closed WebSockets", \.webSocketCloses),
                ("pauses with unread input", \.unreadInputs), ("responses", \.responses),
                ("responses with 304", \.notModified), ("acks of repeats over HTTP", \.repeatsOverHTTP),
                ("changes repeated over HTTP after a lost connection", \.requestsRepeated),
                ("copies", \.copies),
            ])
        print("scenarios: " + counts.map { "\($0.1) \($0.0)" }.joined(separator: ", "))
        // Plans with several servers lack some of these events, because their servers commit for each other.
        let haveOneServer = outcomes.allSatisfy { $0.seed < PlanMaker.firstSeedWithNodes }
        if outcomes.count < 200 || !haveOneServer { return }
        for (name, count) in counts { #expect(count > 0, "there were no \(name)") }
    }
}
