#if canImport(UIKit)
    public import CaretClient
    public import UIKit

    /// Keeps a `UITextField` and a document equal, and draws the carets of others in the field.
    ///
    /// Keep the binding as long as the field shows the document. A field tells only that its text has
    /// changed, so each key compares the texts. Call `selectionChanged` in `textFieldDidChangeSelection` of
    /// the field's delegate.
    @MainActor public final class TextFieldBinding: NSObject, EditorView {
        private weak var field: UITextField?
        private let overlay = CaretOverlay()
        private var binding: EditorBinding?

        public init(_ field: UITextField, _ document: LiveDocument) {
            self.field = field
            super.init()
            binding = EditorBinding(self, document)
            field.addAction(
                UIAction { [weak self] _ in
                    self?.binding?.editedAnywhere()
                    self?.binding?.sync()
                }, for: .editingChanged)
        }

        public var editorText: String { field?.text ?? "" }
        public var editorLength: Int { editorText.utf16.count }
        public var isComposing: Bool { field?.markedTextRange != nil }
        public var editorSelection: Range<Int> {
            get {
                guard let field, let range = field.selectedTextRange else { return 0..<0 }
                let start = field.offset(from: field.beginningOfDocument, to: range.start)
                return start..<start + field.offset(from: range.start, to: range.end)
            }
            set { if let field { field.selectedTextRange = field.range(of: newValue) } }
        }

        public func applyEdits(_ edits: [EditorEdit]) {
            guard let field else { return }
            var units = Array(editorText.utf16)
            for edit in edits.reversed() { units.replaceSubrange(edit.range, with: edit.text.utf16) }
            field.text = String(decoding: units, as: UTF16.self)
        }

        public func showCarets(_ carets: [RemoteCaret]) {
            if let field { overlay.show(carets, in: field) }
        }

        public func selectionChanged() { binding?.sync() }
        public func undo() { binding?.undo() }
        public func redo() { binding?.redo() }
    }
#endif
