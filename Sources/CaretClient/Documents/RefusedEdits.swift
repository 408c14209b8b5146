public import CaretCore
public import CaretReplica

/// The server has refused some edits. These edits stay in the document until `LiveDocument.retry` or
/// `discard`.
public struct RefusedEdits: Error, Sendable {
    public let refusal: Refusal
    /// The server's answer, if the refusal came from the server.
    public let reason: ServerRefusal?
    /// The text with the unsaved edits.
    public let text: TextBuffer
    /// The unsaved edits, as a change to the saved text.
    public let difference: Change

    package init(refusal: Refusal, reason: ServerRefusal?, text: TextBuffer, difference: Change) {
        self.refusal = refusal
        self.reason = reason
        self.text = text
        self.difference = difference
    }
}

extension RefusedEdits: CustomStringConvertible {
    public var description: String {
        "some edits are not saved: \(reason?.description ?? "\(refusal)")"
    }
}
