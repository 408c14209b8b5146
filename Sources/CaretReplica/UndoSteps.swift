import CaretCore

/// A stack of changes to undo or redo.
///
/// Law: the top change fits the text of the view, and each other one fits the text after the ones above it are
/// applied. A change of the view by others is only recorded with the top step. Each step is rebased when it becomes
/// the top, so the cost of a change by others does not depend on the size of the stack.
struct UndoSteps: Equatable {
    private struct Step: Equatable {
        var change: Change
        /// What has happened since to the text that `change` fits.
        var since = Change()
    }

    /// Nobody undoes more steps than this.
    static let limit = 1_000

    private var steps: [Step] = []

    var isEmpty: Bool { steps.isEmpty }

    /// The top step, rebased to the view.
    var last: Change? { steps.last.map { $0.change.rebased(over: $0.since, tie: .otherFirst) } }

    mutating func push(_ change: Change) {
        steps.append(Step(change: change))
        if steps.count > UndoSteps.limit { steps.removeFirst() }
    }

    /// Prepends a change, which fits the view, to the top step: both are then undone together.
    mutating func extendLast(with change: Change) {
        guard let last = pop() else { return }
        push(change.followed(by: last))
    }

    /// Records a change of the view that is not one of these steps.
    mutating func viewChanged(by change: Change) {
        guard !steps.isEmpty else { return }
        steps[steps.count - 1].since = steps[steps.count - 1].since.followed(by: change)
    }

    /// Removes the top step, and returns it rebased to the view.
    mutating func pop() -> Change? {
        guard let step = steps.popLast() else { return nil }
        viewChanged(by: step.since.rebased(over: step.change, tie: .selfFirst))
        return step.change.rebased(over: step.since, tie: .otherFirst)
    }

    mutating func removeAll() { steps = [] }
}
