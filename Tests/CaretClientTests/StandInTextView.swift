import CaretViews

/// Behaves like `UITextView`. Every edit of the text is reported to the binding, even an edit by the program.
/// An edit by the program moves the caret to the end. Each change of the selection is reported too.
@MainActor final class StandInTextView: EditorView {
    var binding: EditorBinding?
    private(set) var carets: [RemoteCaret] = []
    /// How often the whole text was read.
    private(set) var reads = 0
    /// The edits by the program.
    private(set) var applied: [[EditorEdit]] = []
    private var units: [UInt16] = []
    private var selection = 0..<0
    private var marked: Range<Int>?

    var text: String { String(decoding: units, as: UTF16.self) }

    var editorText: String {
        reads += 1
        return text
    }
    var editorLength: Int { units.count }
    var isComposing: Bool { marked != nil }
    var editorSelection: Range<Int> {
        get { selection }
        set {
            selection = newValue
            binding?.sync()
        }
    }

    func applyEdits(_ edits: [EditorEdit]) {
        applied.append(edits)
        for edit in edits.reversed() { replace(edit.range, edit.text) }
        selection = units.count..<units.count
        binding?.sync()
    }

    func showCarets(_ carets: [RemoteCaret]) { self.carets = carets }

    private func replace(_ range: Range<Int>, _ text: String) {
        units.replaceSubrange(range, with: text.utf16)
        binding?.edited(range, with: text)
    }

    // MARK: The user

    /// Replaces the selection by a text.
    func type(_ text: String) {
        let end = selection.lowerBound + text.utf16.count
        replace(selection, text)
        selection = end..<end
        binding?.sync()
    }

    /// An input method shows a text that is not final.
    func mark(_ text: String) {
        let range = marked ?? selection
        marked = range.lowerBound..<range.lowerBound + text.utf16.count
        replace(range, text)
        selection = range.lowerBound + text.utf16.count..<range.lowerBound + text.utf16.count
        binding?.sync()
    }

    /// The input method ends with this text.
    func commit(_ text: String) {
        mark(text)
        marked = nil
        binding?.sync()
    }
}
