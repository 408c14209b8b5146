import CaretCore

/// What the owner did to the view, as it can be undone and redone.
///
/// Law: an undo or redo removes only what the owner has put there, and puts there only what the owner has removed;
/// what others did meanwhile stays.
package struct OwnChanges: Equatable, Sendable {
    private enum Kind {
        case insertion
        case removal
    }

    /// Whoever pauses for longer begins something new.
    static let pause: Milliseconds = 1_000

    private var undos = Steps()
    private var redos = Steps()
    /// Where the next key would go on with what the last one did.
    private var place: Offset?
    private var kind: Kind?

    package init() {}

    var canUndo: Bool { !undos.isEmpty }
    var canRedo: Bool { !redos.isEmpty }
    /// The last step of each list as it reads now; an empty one is skipped when its turn comes.
    var nextUndo: Change? { undos.last }
    var nextRedo: Change? { redos.last }

    /// The owner has made a change that `inverse` takes back.
    mutating func typed(_ change: Change, inverse: Change, after pause: Milliseconds?) {
        if change.isEmpty { return }
        if continues(change, after: pause) {
            undos.extendLast(with: inverse)
        } else {
            undos.push(inverse)
        }
        redos.removeAll()
        kind = OwnChanges.kind(of: change)
        place = change.edits.last.map { $0.range.lowerBound + $0.inserted.utf16 }
    }

    private func continues(_ change: Change, after pause: Milliseconds?) -> Bool {
        guard let pause, pause < OwnChanges.pause, let place, let kind, change.edits.count == 1,
            let edit = change.edits.first, kind == OwnChanges.kind(of: change)
        else { return false }
        return edit.range.lowerBound <= place && place <= edit.range.upperBound
    }

    /// Nil for what is neither, which stands for itself.
    private static func kind(of change: Change) -> Kind? {
        guard change.edits.count == 1, let edit = change.edits.first else { return nil }
        if edit.range.isEmpty { return .insertion }
        return edit.inserted.utf8 == 0 ? .removal : nil
    }

    /// Others, or the server, have changed the view.
    mutating func viewChanged(by change: Change) {
        undos.viewChanged(by: change)
        redos.viewChanged(by: change)
        place = place?.mapped(through: change)
    }

    /// What takes back the owner's last change of which something is left.
    mutating func takeUndo() -> Change? { OwnChanges.take(from: &undos) }

    /// What brings back what was taken back last.
    mutating func takeRedo() -> Change? { OwnChanges.take(from: &redos) }

    private static func take(from steps: inout Steps) -> Change? {
        while let change = steps.pop() {
            if !change.isEmpty { return change }
        }
        return nil
    }

    mutating func undone(inverse: Change) {
        redos.push(inverse)
        place = nil
    }

    mutating func redone(inverse: Change) {
        undos.push(inverse)
        place = nil
    }
}
