import CaretCore

/// The user's own changes to the view, for undo and redo.
///
/// Law: an undo or redo removes only text that the user inserted, and inserts only text that the user
/// removed. Changes that others made meanwhile stay.
package struct UndoHistory: Equatable, Sendable {
    private enum Kind {
        case insertion
        case removal
    }

    /// After a pause of this length or longer, the next change starts a new undo step.
    static let pause: Milliseconds = 1_000

    private var undos = UndoSteps()
    private var redos = UndoSteps()
    /// The offset at which the next key would continue the last change.
    private var typingOffset: Offset?
    private var kind: Kind?

    package init() {}

    var canUndo: Bool { !undos.isEmpty }
    var canRedo: Bool { !redos.isEmpty }
    /// The next undo and the next redo, rebased to the view. An undo or redo that has become empty is
    /// skipped.
    var nextUndo: Change? { undos.last }
    var nextRedo: Change? { redos.last }

    /// Records a change by the user. `inverse` undoes it.
    mutating func typed(_ change: Change, inverse: Change, after pause: Milliseconds?) {
        if change.isEmpty { return }
        if continues(change, after: pause) {
            undos.extendLast(with: inverse)
        } else {
            undos.push(inverse)
        }
        redos.removeAll()
        kind = UndoHistory.kind(of: change)
        typingOffset = change.onlyEdit.map { $0.range.lowerBound + $0.inserted.utf16 }
    }

    private func continues(_ change: Change, after pause: Milliseconds?) -> Bool {
        guard let pause, pause < UndoHistory.pause, let typingOffset, let kind, let edit = change.onlyEdit,
            kind == UndoHistory.kind(of: change)
        else { return false }
        return edit.range.lowerBound <= typingOffset && typingOffset <= edit.range.upperBound
    }

    /// Nil for a change that is neither an insertion nor a removal. Such a change is always an undo step of
    /// its own.
    private static func kind(of change: Change) -> Kind? {
        guard let edit = change.onlyEdit else { return nil }
        if edit.range.isEmpty { return .insertion }
        return edit.inserted.utf8 == 0 ? .removal : nil
    }

    /// Records a change of the view by others or by the server.
    mutating func viewChanged(by change: Change) {
        undos.viewChanged(by: change)
        redos.viewChanged(by: change)
        typingOffset = typingOffset?.mapped(through: change)
    }

    /// Removes and returns the latest undo step that still has an effect.
    mutating func popUndo() -> Change? { UndoHistory.pop(from: &undos) }

    /// Removes and returns the latest redo step that still has an effect.
    mutating func popRedo() -> Change? { UndoHistory.pop(from: &redos) }

    private static func pop(from steps: inout UndoSteps) -> Change? {
        while let change = steps.pop() {
            if !change.isEmpty { return change }
        }
        return nil
    }

    mutating func undone(inverse: Change) {
        redos.push(inverse)
        typingOffset = nil
    }

    /// The change that is redone follows an undo, so `typingOffset` is nil already.
    mutating func redone(inverse: Change) { undos.push(inverse) }
}

extension Change {
    /// The edit of a change with exactly one edit; otherwise nil.
    fileprivate var onlyEdit: Edit? { edits.count == 1 ? edits[0] : nil }
}
