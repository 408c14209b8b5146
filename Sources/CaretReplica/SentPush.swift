package import CaretCore
package import CaretWire

/// A push as it was sent the first time. The replica resends the push in exactly this form.
package struct SentPush: Equatable, Sendable {
    /// The position of the text that the change was made from.
    package let position: WirePosition
    package let seq: Seq
    package let change: Change

    package init(position: WirePosition, seq: Seq, change: Change) {
        self.position = position
        self.seq = seq
        self.change = change
    }

    /// The message to a server that counts in UTF-16. A resent push encodes to the same line, byte for byte.
    package func message(to document: WireString) -> Push {
        Push(
            document: document, epoch: position.epoch, base: position.revision, seq: PushNumber(seq.value),
            content: .edits(change.edits.map { WireEdit($0) }))
    }
}
