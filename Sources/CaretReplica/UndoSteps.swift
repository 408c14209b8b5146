import CaretCore

/// A stack of changes to undo or redo.
///
/// Law: the top change fits the text of the view. Every other change fits the text after all changes above it
/// are applied. A change of the view by others is recorded only in the top step, in `since`. A lower step is
/// rebased when it becomes the top. So the cost of a change by others does not depend on the size of the
/// stack.
struct UndoSteps: Equatable {
    private struct Step: Equatable {
        var change: Change
        /// The changes that others made after `change` was recorded, as one change. `since` applies to the
        /// same text as `change`.
        var since = Change()
        /// The change, rebased to the text after `since`.
        var rebased: Change { change.rebased(over: since, tie: .otherFirst) }
    }

    /// The maximum number of steps. Users do not undo more.
    static let limit = 1_000

    private var steps: [Step] = []

    var isEmpty: Bool { steps.isEmpty }

    /// The top step, rebased to the view.
    var last: Change? { steps.last?.rebased }

    mutating func push(_ change: Change) {
        steps.append(Step(change: change))
        if steps.count > UndoSteps.limit { steps.removeFirst() }
    }

    /// Combines `change` and the top step into one step, so that one undo applies both, `change` first.
    /// `change` must fit the text of the view.
    mutating func extendLast(with change: Change) {
        guard let last = pop() else { return }
        push(change.followed(by: last))
    }

    /// Records a change of the view that is not itself a step.
    mutating func viewChanged(by change: Change) {
        guard !steps.isEmpty else { return }
        steps[steps.count - 1].since = steps[steps.count - 1].since.followed(by: change)
    }

    /// Removes the top step, and returns it rebased to the view.
    mutating func pop() -> Change? {
        guard let step = steps.popLast() else { return nil }
        viewChanged(by: step.since.rebased(over: step.change, tie: .selfFirst))
        return step.rebased
    }

    mutating func removeAll() { steps = [] }
}
