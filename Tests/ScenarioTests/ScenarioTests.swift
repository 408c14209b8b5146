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
        let started = ContinuousClock.now
        let outcomes = await Runs.run(Runs.seeds(of: 37_500, everyCommit: 1_200))
        let seconds = (ContinuousClock.now - started) / .seconds(1)
        let steps = outcomes.reduce(0) { $0 + $1.steps }
        let events = outcomes.reduce(0) { $0 + $1.events }
        print(
            "scenarios: \(outcomes.count) seeds, \(steps) operations, \(events) events,"
                + " \(Int(Double(steps) / seconds)) operations/s")
        expectVariety(outcomes)
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

    /// Each rare event must have happened at least once, if there were enough plans.
    private func expectVariety(_ outcomes: [Outcome]) {
        let counts: [(String, Int)] = [
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
        ].map { (name: String, count: KeyPath<Referee.Counts, Int>) in
            (name, outcomes.reduce(0) { $0 + $1.counts[keyPath: count] })
        }
        print("scenarios: " + counts.map { "\($0.1) \($0.0)" }.joined(separator: ", "))
        if outcomes.count < 200 { return }
        for (name, count) in counts { #expect(count > 0, "there were no \(name)") }
    }
}
