public import CaretCore
public import CaretReplica

/// Edits that will not be saved as things are. They stay in the document until `Document.retry` or `discard`.
public struct RefusedEdits: Error, Sendable {
    public let refusal: Refusal
    /// What the server said, if it did.
    public let reason: ServerRefusal?
    /// The text with them.
    public let text: Text
    /// What they change in the text that is saved.
    public let difference: Change

    package init(refusal: Refusal, reason: ServerRefusal?, text: Text, difference: Change) {
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
