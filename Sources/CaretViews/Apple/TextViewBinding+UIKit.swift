#if canImport(UIKit)
    public import CaretClient
    public import UIKit

    /// Keeps a `UITextView` and a document equal, and draws the carets of others in the view.
    ///
    /// Keep the binding as long as the view shows the document. The binding is the delegate of the view and
    /// of its text storage. An app that needs a delegate of its own sets it afterwards, and calls
    /// `textViewDidChange` and `textViewDidChangeSelection` of the binding from there.
    @MainActor public final class TextViewBinding: NSObject, EditorView {
        private weak var textView: UITextView?
        private let overlay = CaretOverlay()
        private var binding: EditorBinding?

        public init(_ textView: UITextView, _ document: LiveDocument) {
            self.textView = textView
            super.init()
            let binding = EditorBinding(self, document)
            self.binding = binding
            textView.delegate = self
            textView.textStorage.delegate = self
            (textView as? DocumentTextView)?.documentUndoManager = DocumentUndoManager(binding)
        }

        public var editorText: String { textView?.text ?? "" }
        public var editorLength: Int { textView?.textStorage.length ?? 0 }
        public var isComposing: Bool { textView?.markedTextRange != nil }
        public var editorSelection: Range<Int> {
            get { textView.flatMap { Range($0.selectedRange) } ?? 0..<0 }
            set { textView?.selectedRange = NSRange(newValue) }
        }

        public func applyEdits(_ edits: [EditorEdit]) {
            guard let textView else { return }
            // Edits of the storage are not registered for undo, and the view lays out only what they change.
            let attributes = textView.typingAttributes
            textView.textStorage.beginEditing()
            for edit in edits.reversed() {
                textView.textStorage.replaceCharacters(
                    in: NSRange(edit.range),
                    with: NSAttributedString(string: edit.text, attributes: attributes))
            }
            textView.textStorage.endEditing()
        }

        public func showCarets(_ carets: [RemoteCaret]) {
            if let textView { overlay.show(carets, in: textView) }
        }

        public func undo() { binding?.undo() }
        public func redo() { binding?.redo() }
    }

    extension TextViewBinding: UITextViewDelegate {
        public func textViewDidChange(_ textView: UITextView) { binding?.sync() }
        public func textViewDidChangeSelection(_ textView: UITextView) {
            // The selection moves before an edit is complete. Then `textViewDidChange` follows.
            if textView.textStorage.editedMask.isEmpty { binding?.sync() }
        }
    }

    extension TextViewBinding: NSTextStorageDelegate {
        // UIKit calls this on the main thread for every edit: keys, paste, dictation and input methods.
        public nonisolated func textStorage(
            _ textStorage: NSTextStorage, didProcessEditing editedMask: NSTextStorage.EditActions,
            range editedRange: NSRange, changeInLength delta: Int
        ) {
            guard editedMask.contains(.editedCharacters) else { return }
            let text = textStorage.attributedSubstring(from: editedRange).string
            let end = editedRange.location + editedRange.length - delta
            MainActor.assumeIsolated { binding?.edited(editedRange.location..<end, with: text) }
        }
    }

    /// A text view whose undo and redo affect only the user's own edits.
    open class DocumentTextView: UITextView {
        var documentUndoManager: DocumentUndoManager?

        override open var undoManager: UndoManager? { documentUndoManager ?? super.undoManager }
    }
#endif
