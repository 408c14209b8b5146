public import CaretCore
import CaretWire

/// The result of a push of a full text.
public struct SavedText: Sendable {
    /// The revision that contains the pushed text.
    public let revision: Revision
    /// Whether the document had this text already, so that there is no new revision.
    public let isUnchanged: Bool
    /// The text of the document, with changes of others merged in. Nil if the push did not ask for the text.
    public let text: String?

    init(_ ack: CaretWire.Ack) {
        revision = ack.revision
        isUnchanged = ack.unchanged
        text = ack.text?.string
    }
}
