package import CaretCore
package import CaretWire

/// A change as it was sent first, and as it is sent each time after that.
package struct SentPush: Equatable, Sendable {
    /// Where the change was made.
    package let place: WirePosition
    package let seq: Seq
    package let change: Change

    package init(place: WirePosition, seq: Seq, change: Change) {
        self.place = place
        self.seq = seq
        self.change = change
    }

    /// The message to a server that counts in UTF-16. The same push is the same line whenever it is sent.
    package func message(to document: WireString) -> Push {
        Push(
            document: document, epoch: place.epoch, base: place.revision, seq: Int(seq.value),
            content: .edits(change.edits.map { WireEdit($0) }))
    }
}
