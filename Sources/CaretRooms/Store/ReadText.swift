package import CaretCore
package import CaretLog
package import CaretWire

/// The newest text of a document, as a read returned it.
package struct ReadText: Equatable, Sendable {
    package let name: DocumentName
    package let document: DocumentID
    package let epoch: WireString
    package let revision: Revision
    package let newline: Newline
    /// The text as UTF-8. All readers share it.
    package let utf8: Payload
    /// A moment before the read. Each write that had ended by then is in the text.
    package let asOf: StoreTime

    /// The text is `utf8`, and `answer` says the rest.
    package init(
        _ answer: WireText, _ utf8: Payload, of document: DocumentID, as name: DocumentName, asOf: StoreTime
    ) {
        self.name = name
        self.document = document
        epoch = answer.epoch
        revision = answer.revision
        newline = answer.newline
        self.utf8 = utf8
        self.asOf = asOf
    }

    /// The message that answers a read of this text.
    package var message: WireText {
        WireText(
            document: WireString(name.description), epoch: epoch, revision: revision,
            text: WireString(String(decoding: utf8.bytes, as: UTF8.self)), newline: newline)
    }
}
