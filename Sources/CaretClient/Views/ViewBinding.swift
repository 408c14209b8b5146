import CaretCore

/// Keeps a view and a document together: one call, `update`, whenever either has changed.
///
/// Confined to whoever has the view, as the main actor. It holds the view's text as it was after the last call, so what
/// the person has typed since is told from what others have done meanwhile, whichever came first.
public final class ViewBinding {
    private let document: Document
    private let number: Int
    private var shown: Text

    init(_ document: Document, number: Int) {
        self.document = document
        self.number = number
        shown = document.bind(number)
    }

    deinit { document.unbind(number) }

    /// Shows the document for the first time, with the caret at its start.
    public func begin(_ view: some TextInput) {
        view.inputText = shown.string
        view.inputSelection = 0..<0
    }

    /// Takes what the person has done to the view into the document, and shows in the view what others have done to the
    /// document; caret and selection stay on what they were on.
    ///
    /// Throws, with nothing changed, where the text of the view has a carriage return.
    public func update(_ view: some TextInput) throws {
        let now = try Text(view.inputText)
        let news = try document.typed(diff(from: shown, to: now), in: number)
        shown = try now.applying(news)
        view.show(shown, after: news)
        // A view may have a selection that no text has, in the middle of an emoji; then the last one stands.
        try? document.select([view.selection])
    }
}

extension Document {
    /// A binding for a view, which `begin` fills.
    public func binding() -> ViewBinding { ViewBinding(self, number: nextViewNumber()) }
}
