import CaretCore

/// A view of a text that a person can change, with a caret or a selection: `UITextView`, `UITextField` and the like.
///
/// Offsets count UTF-16, as those views do. A range that is empty is a caret.
public protocol TextInput: AnyObject {
    var inputText: String { get set }
    var inputSelection: Range<Int> { get set }
    /// An input method is composing in the view, so its text is not final: `markedTextRange` is not nil.
    var isComposing: Bool { get }
}

extension TextInput {
    public var isComposing: Bool { false }

    /// Shows another text, and keeps the caret or selection on what it was on. Every line break becomes LF.
    public func reload(_ text: String) {
        let new = Text(normalizing: text)
        show(new, after: diff(from: Text(normalizing: inputText), to: new))
    }

    /// Shows what came of a change to the text of the view with its line breaks as LF, and keeps the selection on
    /// what it was on.
    func show(_ text: Text, after change: Change) {
        if change.isEmpty && !inputText.hasCarriageReturn { return }
        let selection = selection.mapped(through: change)
        // The view puts its caret somewhere when its text is set, so the selection comes after.
        inputText = text.string
        inputSelection = selection.start.value..<selection.end.value
    }

    /// Where the selection is in the text of the view with its line breaks as LF.
    var selection: Selection {
        let (text, range) = (inputText, inputSelection)
        return Selection(
            anchor: Offset(text.offsetInLineFeeds(of: range.lowerBound)),
            head: Offset(text.offsetInLineFeeds(of: range.upperBound)))
    }
}
