import CaretCore

/// A view in which a user edits a text, with a caret or a selection. Make `UITextView`, `UITextField` and
/// similar views conform to it.
///
/// Offsets count UTF-16 code units, as those views do. An empty range is a caret.
public protocol TextInput: AnyObject {
    var inputText: String { get set }
    var inputSelection: Range<Int> { get set }
    /// Whether an input method is composing in the view, so that the text is not final. In UIKit, this is
    /// true while `markedTextRange` is not nil.
    var isComposing: Bool { get }
}

extension TextInput {
    public var isComposing: Bool { false }

    /// Shows another text, and keeps the caret or selection on the same characters. CR LF and CR become LF.
    public func reload(_ text: String) {
        let new = TextBuffer(normalizing: text)
        show(new, after: diff(from: TextBuffer(normalizing: inputText), to: new))
    }

    /// Shows `text`, and moves the selection through `change`. `change` must turn the view's text, after
    /// conversion to LF, into `text`.
    func show(_ text: TextBuffer, after change: Change) {
        if change.isEmpty && !inputText.hasCarriageReturn { return }
        let selection = selection.mapped(through: change)
        // Setting the text moves the caret of some views, so the selection is set afterwards.
        inputText = text.string
        inputSelection = selection.start.value..<selection.end.value
    }

    /// The selection, as offsets in the view's text after conversion to LF.
    var selection: Selection {
        let (text, range) = (inputText, inputSelection)
        return Selection(
            anchor: Offset(text.offsetInLineFeeds(of: range.lowerBound)),
            head: Offset(text.offsetInLineFeeds(of: range.upperBound)))
    }
}
