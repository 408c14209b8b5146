public import CaretCore
import CaretWire

/// What became of a whole text that was pushed.
public struct SavedText: Sendable {
    /// The revision that holds it.
    public let revision: Revision
    /// Nothing was to be changed, so there is no new revision.
    public let isUnchanged: Bool
    /// The text of the document, which others may have changed too; nil where it was not asked for.
    public let text: String?

    init(_ ack: CaretWire.Ack) {
        revision = ack.revision
        isUnchanged = ack.unchanged
        text = ack.text?.string
    }
}
