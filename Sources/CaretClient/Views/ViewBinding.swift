import CaretCore
import CaretReplica

/// Keeps a view and a document together: one call, `update`, whenever either has changed.
///
/// Confined to the owner of the view, as the main actor. It holds the view's text as it was after the last call. So it
/// can tell what the person has typed since from what others have done meanwhile, whichever came first.
public final class ViewBinding {
    private let document: Document
    private let number: Int
    private var shown: Text
    /// The binding is changing the view, which calls its delegate at once, and that calls `update`.
    private var isChangingView = false

    init(_ document: Document, number: Int) {
        self.document = document
        self.number = number
        shown = document.bind(number)
    }

    deinit { document.unbind(number) }

    /// Shows the document for the first time, with the caret at its start.
    public func begin(_ view: some TextInput) {
        isChangingView = true
        defer { isChangingView = false }
        view.inputText = shown.string
        view.inputSelection = 0..<0
    }

    /// Applies what the person has done in the view to the document, and shows in the view what others have done to the
    /// document. Caret and selection stay on what they were on. CR LF and CR become LF, in the view too.
    ///
    /// It does nothing where it is called from within itself, so the delegate of the view may call it for every change.
    /// It leaves a view alone in which an input method is composing. As long as the view holds text that the document
    /// has not accepted, the state of the document is not `saved`.
    public func update(_ view: some TextInput) throws {
        if isChangingView { return }
        isChangingView = true
        defer { isChangingView = false }
        let entered = Text(normalizing: view.inputText)
        if view.isComposing {
            document.withhold(entered == shown ? nil : .sending, in: number)
            return
        }
        do {
            try exchange(entered, view)
        } catch {
            document.withhold(.refused(.badText), in: number)
            throw error
        }
        // A view may have a selection that no text has, in the middle of an emoji; then the last one stands.
        try? document.select([view.selection])
    }

    private func exchange(_ entered: Text, _ view: some TextInput) throws {
        let news = try document.typed(diff(from: shown, to: entered), in: number)
        shown = try entered.applying(news)
        view.show(shown, after: news)
    }
}

extension Document {
    /// A binding for a view, which `begin` fills.
    public func binding() -> ViewBinding { ViewBinding(self, number: nextViewNumber()) }
}
