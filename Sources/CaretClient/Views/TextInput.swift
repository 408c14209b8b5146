public import CaretCore

/// A view of a text that a person can change, with a caret or a selection: `UITextView`, `UITextField` and the like.
///
/// Offsets count UTF-16, as those views do. A range that is empty is a caret.
public protocol TextInput: AnyObject {
    var inputText: String { get set }
    var inputSelection: Range<Int> { get set }
}

extension TextInput {
    /// Shows another text, and keeps the caret or selection on what it was on.
    ///
    /// Throws, with nothing changed, where a text has a carriage return.
    public func reload(_ text: String) throws(TextError) {
        let old = try Text(inputText)
        let new = try Text(text)
        show(new, after: diff(from: old, to: new))
    }

    /// Shows what came of a change, and keeps the selection on what it was on.
    func show(_ text: Text, after change: Change) {
        if change.isEmpty { return }
        let selection = selection.mapped(through: change)
        // The view puts its caret somewhere when its text is set, so the selection comes after.
        inputText = text.string
        inputSelection = selection.start.value..<selection.end.value
    }

    var selection: Selection {
        Selection(anchor: Offset(inputSelection.lowerBound), head: Offset(inputSelection.upperBound))
    }
}
