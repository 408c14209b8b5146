package import CaretCore
package import CaretLog
package import CaretWire

/// A text in the two forms in which answers contain it. All answers with the text share these arrays.
package struct EncodedText: Equatable, Sendable {
    package let utf8: [UInt8]
    /// The text as the content of a JSON string.
    package let escaped: [UInt8]

    package init(utf8: [UInt8], escaped: [UInt8]) { (self.utf8, self.escaped) = (utf8, escaped) }
}

/// Identifies a text. Reads of one version share the work to encode it.
package struct TextVersion: Hashable, Sendable {
    let document: DocumentID
    let epoch: WireString
    let revision: Int

    package init(document: DocumentID, epoch: WireString, revision: Int) {
        (self.document, self.epoch, self.revision) = (document, epoch, revision)
    }
}

/// The answer to a `read` of a long text: one line in three pieces, so that many answers can share the text.
package struct TextLine: Equatable, Sendable {
    /// The answer, with an empty text.
    private let answer: WireText
    package let text: EncodedText
    package let before: [UInt8]
    /// Ends with the line end.
    package let after: [UInt8]

    package init(_ answer: WireText, _ text: EncodedText, id: RequestID?) {
        (self.answer, self.text) = (answer, text)
        (before, after) = answer.lineAroundText(id: id)
    }

    package var epoch: WireString { answer.epoch }
    package var revision: Revision { answer.revision }
    package var newline: Newline { answer.newline }
    /// The number of bytes of the line, with its line end.
    package var count: Int { before.count + text.escaped.count + after.count }
    package var pieces: [[UInt8]] { [before, text.escaped, after] }

    /// The answer with its text. This copies the text.
    package var message: WireText {
        var message = answer
        message.text = WireString(String(decoding: text.utf8, as: UTF8.self))
        return message
    }
}
