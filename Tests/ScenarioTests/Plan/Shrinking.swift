/// Reduces a plan to the steps that it needs to fail in the same way.
struct Shrinking {
    private let failure: Failure
    private let fails: (Plan) -> Failure?
    private(set) var plan: Plan
    private(set) var runs = 0
    private let mostRuns: Int
    private let until: ContinuousClock.Instant

    init(
        _ plan: Plan, _ failure: Failure, mostRuns: Int = 3_000, within: Duration = .seconds(20),
        fails: @escaping (Plan) -> Failure?
    ) {
        self.plan = plan
        self.failure = failure
        self.fails = fails
        self.mostRuns = mostRuns
        until = .now + within
    }

    /// Removes steps as long as the plan still fails: first half of the steps at once, at the end single
    /// steps.
    mutating func shrink() {
        var before = plan.steps.count + 1
        while plan.steps.count < before, mayGoOn {
            before = plan.steps.count
            var size = max(1, plan.steps.count / 2)
            while size >= 1 {
                removeSteps(size)
                size /= 2
            }
        }
        dropClients()
    }

    private mutating func removeSteps(_ size: Int) {
        var place = 0
        while place < plan.steps.count, mayGoOn {
            var smaller = plan
            smaller.steps.removeSubrange(place..<min(place + size, plan.steps.count))
            if !accept(smaller) { place += size }
        }
    }

    /// Removes clients from the end of the list as long as the plan still fails.
    private mutating func dropClients() {
        while plan.clients.count > 1, mayGoOn {
            var smaller = plan
            smaller.clients.removeLast()
            if !accept(smaller) { return }
        }
    }

    private var mayGoOn: Bool { runs < mostRuns && .now < until }

    private mutating func accept(_ smaller: Plan) -> Bool {
        runs += 1
        guard fails(smaller) == failure else { return false }
        plan = smaller
        return true
    }
}
