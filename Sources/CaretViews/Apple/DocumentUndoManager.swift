#if canImport(UIKit) || canImport(AppKit)
    import CaretClient

    #if canImport(UIKit)
        public import UIKit
    #else
        public import AppKit
    #endif

    /// Undoes the edits of a document. Return it as the undo manager of a text view, because the manager of
    /// the view would also undo what others have typed.
    @MainActor public final class DocumentUndoManager: UndoManager {
        private weak var binding: EditorBinding?

        public init(_ binding: EditorBinding) {
            self.binding = binding
            super.init()
            // The view registers nothing here, because the document has the history.
            disableUndoRegistration()
        }

        override public var canUndo: Bool { binding?.document.canUndo ?? false }
        override public var canRedo: Bool { binding?.document.canRedo ?? false }
        override public func undo() { binding?.undo() }
        override public func redo() { binding?.redo() }
    }
#endif
