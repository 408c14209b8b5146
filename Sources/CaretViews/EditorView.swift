/// A view in which a user edits a text, as a binding needs it.
///
/// This module has such views for UIKit and AppKit. Write one for any other editor. Offsets count UTF-16 code
/// units. The view calls its `EditorBinding` whenever the user changes the text or the selection.
@MainActor public protocol EditorView: AnyObject {
    /// The whole text. The binding rarely reads it, because this may be expensive.
    var editorText: String { get }
    /// The length of the text.
    var editorLength: Int { get }
    /// The selection. An empty range is a caret.
    var editorSelection: Range<Int> { get set }
    /// Whether an input method is composing in the view, so that the text is not final.
    var isComposing: Bool { get }

    /// Applies edits to the text, as one change that the user cannot undo. The ranges refer to the text
    /// before all of them. They ascend and do not overlap. The binding sets the selection afterwards.
    func applyEdits(_ edits: [EditorEdit])
    /// Draws the carets and selections of others. The call replaces those of the last call.
    func showCarets(_ carets: [RemoteCaret])
}

/// A replaced range of a view's text. The range counts UTF-16 code units.
public struct EditorEdit: Equatable, Sendable {
    public let range: Range<Int>
    public let text: String

    public init(_ range: Range<Int>, _ text: String) {
        self.range = range
        self.text = text
    }
}

/// The caret and the selection of another user.
public struct RemoteCaret: Equatable, Sendable {
    /// The id of the user's session.
    public let session: String
    public let name: String
    /// Red, green and blue, from 0 to 1 each.
    public let color: CaretColor
    /// The selected text. Empty if there is only a caret.
    public let range: Range<Int>
    /// Where the caret blinks: one of the ends of `range`.
    public let head: Int
}
