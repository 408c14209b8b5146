import CaretCore

/// Changes to be made one after the other, the last one first.
///
/// Law: the last one fits the text of the view, and each fits what the ones above it leave. What happens to the view
/// otherwise is only noted beside the last one, and each is moved over it when its turn comes: so a view that others
/// change costs no more for all that could be undone.
struct Steps: Equatable {
    private struct Step: Equatable {
        var change: Change
        /// What has happened to the text that `change` fits.
        var since = Change()
    }

    /// Steps further back than people go.
    static let most = 1_000

    private var steps: [Step] = []

    var isEmpty: Bool { steps.isEmpty }

    /// The last step as it reads now.
    var last: Change? { steps.last.map { $0.change.rebased(over: $0.since, tie: .otherFirst) } }

    mutating func push(_ change: Change) {
        steps.append(Step(change: change))
        if steps.count > Steps.most { steps.removeFirst() }
    }

    /// The last step is made behind this one, which fits the view.
    mutating func extendLast(with change: Change) {
        guard let last = pop() else { return }
        push(change.followed(by: last))
    }

    /// The view was changed otherwise.
    mutating func viewChanged(by change: Change) {
        guard !steps.isEmpty else { return }
        steps[steps.count - 1].since = steps[steps.count - 1].since.followed(by: change)
    }

    /// The last step as it reads now, and the one below it is the last from here on.
    mutating func pop() -> Change? {
        guard let step = steps.popLast() else { return nil }
        viewChanged(by: step.since.rebased(over: step.change, tie: .selfFirst))
        return step.change.rebased(over: step.since, tie: .otherFirst)
    }

    mutating func removeAll() { steps = [] }
}
