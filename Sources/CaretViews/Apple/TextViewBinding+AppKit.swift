#if canImport(AppKit) && !canImport(UIKit)
    public import AppKit
    public import CaretClient

    /// Keeps an `NSTextView` and a document equal, and draws the carets of others in the view.
    ///
    /// Keep the binding as long as the view shows the document. The binding is the delegate of the view and
    /// of its text storage. An app that needs a delegate of its own sets it afterwards, and calls
    /// `textDidChange`, `textViewDidChangeSelection`
    /// and `undoManager(for:)` of the binding from there.
    @MainActor public final class TextViewBinding: NSObject, EditorView {
        private weak var textView: NSTextView?
        private let overlay = CaretOverlay()
        private var binding: EditorBinding?
        private var undoManager: DocumentUndoManager?

        public init(_ textView: NSTextView, _ document: LiveDocument) {
            self.textView = textView
            super.init()
            let binding = EditorBinding(self, document)
            self.binding = binding
            undoManager = DocumentUndoManager(binding)
            textView.delegate = self
            textView.textStorage?.delegate = self
        }

        public var editorText: String { textView?.string ?? "" }
        public var editorLength: Int { textView?.textStorage?.length ?? 0 }
        public var isComposing: Bool { textView?.hasMarkedText() ?? false }
        public var editorSelection: Range<Int> {
            get { textView.flatMap { Range($0.selectedRange()) } ?? 0..<0 }
            set { textView?.setSelectedRange(NSRange(newValue)) }
        }

        public func applyEdits(_ edits: [EditorEdit]) {
            guard let textView, let storage = textView.textStorage else { return }
            // Edits of the storage are not registered for undo, and the view lays out only what they change.
            let attributes = textView.typingAttributes
            storage.beginEditing()
            for edit in edits.reversed() {
                storage.replaceCharacters(
                    in: NSRange(edit.range),
                    with: NSAttributedString(string: edit.text, attributes: attributes))
            }
            storage.endEditing()
        }

        public func showCarets(_ carets: [RemoteCaret]) {
            if let textView { overlay.show(carets, in: textView) }
        }

        public func undo() { binding?.undo() }
        public func redo() { binding?.redo() }
    }

    extension TextViewBinding: NSTextViewDelegate {
        public func textDidChange(_ notification: Notification) { binding?.sync() }
        public func textViewDidChangeSelection(_ notification: Notification) {
            // The selection moves before an edit is complete. Then `textDidChange` follows.
            if textView?.textStorage?.editedMask.isEmpty ?? true { binding?.sync() }
        }
        public func undoManager(for view: NSTextView) -> UndoManager? { undoManager }
    }

    extension TextViewBinding: NSTextStorageDelegate {
        // AppKit calls this on the main thread for every edit: keys, paste, dictation and input methods.
        public nonisolated func textStorage(
            _ textStorage: NSTextStorage, didProcessEditing editedMask: NSTextStorageEditActions,
            range editedRange: NSRange, changeInLength delta: Int
        ) {
            guard editedMask.contains(.editedCharacters) else { return }
            let text = textStorage.attributedSubstring(from: editedRange).string
            let end = editedRange.location + editedRange.length - delta
            MainActor.assumeIsolated { binding?.edited(editedRange.location..<end, with: text) }
        }
    }

    /// Draws the carets and selections of others above a text view.
    @MainActor private final class CaretOverlay {
        private static let caretWidth = 2.0
        private var views: [NSView] = []

        func show(_ carets: [RemoteCaret], in host: NSTextView) {
            for view in views { view.removeFromSuperview() }
            views = carets.flatMap { makeViews(for: $0, in: host) }
            for view in views { host.addSubview(view) }
        }

        private func makeViews(for caret: RemoteCaret, in host: NSTextView) -> [NSView] {
            let color = NSColor(
                srgbRed: caret.color.red, green: caret.color.green, blue: caret.color.blue, alpha: 1)
            var made: [NSView] = []
            var rest = NSRange(caret.range)
            while rest.length > 0 {
                var covered = NSRange(location: 0, length: 0)
                guard let frame = frame(of: rest, in: host, &covered), covered.length > 0 else { break }
                made.append(fill(frame, color.withAlphaComponent(0.25)))
                let end = rest.location + rest.length
                rest.location = covered.location + covered.length
                rest.length = max(0, end - rest.location)
            }
            var covered = NSRange(location: 0, length: 0)
            guard var line = frame(of: NSRange(location: caret.head, length: 0), in: host, &covered) else {
                return made
            }
            line.size.width = Self.caretWidth
            let label = NSTextField(labelWithString: caret.name)
            label.font = NSFont.systemFont(ofSize: 10)
            label.textColor = .white
            label.drawsBackground = true
            label.backgroundColor = color
            label.sizeToFit()
            label.frame.origin = CGPoint(x: line.origin.x, y: line.origin.y - label.frame.size.height)
            // VoiceOver reads the text, and not the labels in it.
            label.setAccessibilityElement(false)
            return made + [fill(line, color), label]
        }

        /// The frame of the first line of a range, in the view. `covered` is the part on this line.
        private func frame(of range: NSRange, in host: NSTextView, _ covered: inout NSRange) -> NSRect? {
            guard let window = host.window else { return nil }
            let onScreen = host.firstRect(forCharacterRange: range, actualRange: &covered)
            return host.convert(window.convertFromScreen(onScreen), from: nil)
        }

        private func fill(_ frame: NSRect, _ color: NSColor) -> NSView {
            let box = NSBox(frame: frame)
            box.boxType = .custom
            box.borderWidth = 0
            box.fillColor = color
            return box
        }
    }
#endif
