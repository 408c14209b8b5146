import CaretCore
import CaretReplica

/// Keeps a view and a document in sync: call `update` whenever the view or the document has changed.
///
/// Use the binding only where the view may be used, for example on the main actor. The binding remembers the
/// view's text after the last call. So it can separate the user's later edits from the changes of others, in
/// whatever order these arrived.
public final class ViewBinding {
    private let document: LiveDocument
    private let number: Int
    private var shown: TextBuffer
    /// True while the binding changes the view. The view may then call its delegate, and the delegate may
    /// call `update`.
    private var isChangingView = false

    init(_ document: LiveDocument, number: Int) {
        self.document = document
        self.number = number
        shown = document.bind(number)
    }

    deinit { document.unbind(number) }

    /// Shows the document in a view for the first time, with the caret at its start.
    public func begin(_ view: some TextInput) {
        isChangingView = true
        defer { isChangingView = false }
        view.inputText = shown.string
        view.inputSelection = 0..<0
    }

    /// Applies the user's changes in the view to the document, and shows the changes of others in the view.
    /// Caret and selection stay on the same characters. CR LF and CR become LF, in the view too.
    ///
    /// The delegate of the view may call `update` for every change. A call from within `update` does nothing.
    /// While an input method is composing, the view is not changed. While the view contains text that the
    /// document has not accepted, the state of the document is not `saved`.
    public func update(_ view: some TextInput) throws {
        if isChangingView { return }
        isChangingView = true
        defer { isChangingView = false }
        let entered = TextBuffer(normalizing: view.inputText)
        if view.isComposing {
            document.setUnaccepted(entered == shown ? nil : .sending, in: number)
            return
        }
        do {
            try exchange(entered, view)
        } catch {
            document.setUnaccepted(.refused(.badText), in: number)
            throw error
        }
        // A view may select half of an emoji, but the document refuses such a selection and keeps the last
        // one.
        try? document.select([view.selection])
    }

    private func exchange(_ entered: TextBuffer, _ view: some TextInput) throws {
        let missing = try document.typed(diff(from: shown, to: entered), in: number)
        shown = try entered.applying(missing)
        view.show(shown, after: missing)
    }
}

extension LiveDocument {
    /// A binding for a view. Call `begin` to show the document in the view.
    public func binding() -> ViewBinding { ViewBinding(self, number: nextViewNumber()) }
}
