package import CaretCore
package import CaretLog
package import CaretWire

/// A long text in the forms in which answers contain it. All answers with the text share these bytes.
package struct EncodedText: Equatable, Sendable {
    package let utf8: Payload
    /// The text with the line breaks of the file that was pushed last.
    package let kept: Payload
    /// The text as the content of a JSON string.
    package let escaped: Payload

    package init(utf8: Payload, kept: Payload, escaped: Payload) {
        (self.utf8, self.kept, self.escaped) = (utf8, kept, escaped)
    }

    /// Encodes a text at once. `TextEncoder` of the server does the same in slices.
    package init(_ text: TextBuffer, _ lineBreak: LineBreak) {
        var forms = TextForms(text, lineBreak)
        forms.encode(text.length.utf8)
        self = forms.joined()
    }
}

/// Identifies a text. Answers with the same version share the work to encode it.
package struct TextVersion: Hashable, Sendable {
    let document: DocumentID
    package let epoch: WireString
    package let revision: Revision
    package let lineBreak: LineBreak

    package init(document: DocumentID, epoch: WireString, revision: Revision, lineBreak: LineBreak) {
        (self.document, self.epoch, self.revision, self.lineBreak) = (document, epoch, revision, lineBreak)
    }
}

/// A line with a long text, in three pieces, so that many lines can share the text.
package struct TextLine: Equatable, Sendable {
    /// The message, with an empty text.
    package let shell: ServerMessage
    package let text: EncodedText
    package let before: [UInt8]
    /// Ends with the line end.
    package let after: [UInt8]

    /// `message` is a `text`, `opened` or `resync` with an empty text.
    package init(_ message: ServerMessage, _ text: EncodedText, id: RequestID? = nil) {
        (shell, self.text) = (message, text)
        var writer = JSONWriter()
        message.encode(id: id, into: &writer)
        // The text comes before all parts of the message that clients wrote as JSON, and quotes in strings are escaped.
        let start = writer.bytes.firstIndex(of: Array(#","text":""#.utf8))
        guard let start else { preconditionFailure("a message without a text was split at its text") }
        (before, after) = (Array(writer.bytes[..<start]), Array(writer.bytes[start...]))
    }

    /// The number of bytes of the line, with its line end.
    package var count: Int { before.count + text.escaped.count + after.count }
    package var pieces: [OutputPiece] { [.bytes(before), .shared(text.escaped), .bytes(after)] }
    /// A copy of the line.
    package var bytes: [UInt8] { before + Array(text.escaped.bytes) + after }

    /// A copy of the text.
    package var wholeText: WireString { WireString(String(decoding: text.utf8.bytes, as: UTF8.self)) }

    /// The answer to a `read`, with a copy of its text; nil if the line is another message.
    package var read: WireText? {
        guard case .text(var message) = shell else { return nil }
        message.text = wholeText
        return message
    }
}

extension [UInt8] {
    /// The index after the first occurrence of `part`.
    fileprivate func firstIndex(of part: [UInt8]) -> Int? {
        indices.first { self[$0...].starts(with: part) }.map { $0 + part.count }
    }
}
