import CaretCore
import CaretLog
import CaretRooms
import CaretWire

/// `GET /docs/NAME`: the text of a document.
struct Reading: Exchange {
    private let read: Read
    /// The name of the document, if its newest text is requested; nil if the name is invalid.
    private let name: DocumentName?
    private let type: MediaType
    /// Whether the response has the line breaks of the file that was pushed last. If false, it has LF.
    private let keepsNewlines: Bool
    /// The versions that the client has.
    private let known: [[UInt8]]

    init(_ document: WireString, _ head: RequestHead, _ query: Query) throws(WebRefusal) {
        guard let type = MediaType.preferred(by: head.fields, among: [.text, .json]) else {
            throw WebRefusal(
                .notAcceptable, .badType, "a document can only be sent as text/plain or application/json")
        }
        read = Read(document: document, moment: try query.moment("rev"))
        // The server refuses an invalid name in the message.
        name = read.moment == .unspecified ? try? DocumentName(document.string) : nil
        keepsNewlines = try query.choice("newline", ["lf", "kept"]) == "kept"
        self.type = type
        known = EntityTag.known(to: head)
    }

    var isOfNewestText: Bool { name != nil }

    mutating func begin() -> ExchangeStep { name.map { .read(read, $0) } ?? .send(.read(read)) }

    mutating func received(_ answer: ServerLine) -> ExchangeStep {
        guard case .text(let text) = answer.message else { return .wait }
        return .respond(
            response(EntityTag(text.epoch, text.revision), text.newline) {
                if type == .json { return answer.pieces }
                if let line = answer.text {
                    return [.shared(keepsNewlines ? line.text.kept : line.text.utf8)]
                }
                return [.bytes(body(Array(text.text.utf8), text.newline))]
            })
    }

    mutating func found(_ text: ReadText, _ limits: Limits) -> ExchangeStep {
        // The server encodes other forms of a long text beside the loops.
        if !isPlain(text.newline), text.utf8.count > limits.textEncodedAtOnce { return .send(.read(read)) }
        return .respond(
            response(EntityTag(text.epoch, text.revision), text.newline) {
                if isPlain(text.newline) { return [.shared(text.utf8)] }
                return [
                    .bytes(type == .json ? line(text.message) : body(Array(text.utf8.bytes), text.newline))
                ]
            })
    }

    /// Whether the body is the text itself.
    private func isPlain(_ newline: Newline) -> Bool {
        type != .json && !(keepsNewlines && newline == .crlf)
    }

    private func response(_ tag: EntityTag, _ newline: Newline, _ body: () -> [OutputPiece]) -> Response {
        let quoted = tag.quoted(as: type)
        let isKnown = EntityTag.isKnown(quoted, among: known)
        var response = isKnown ? Response(.notModified) : Response(.ok, type.contentType, body())
        response.add("ETag", quoted)
        response.add("Caret-Epoch", tag.epoch.string)
        response.add("Caret-Revision", String(tag.revision.value))
        response.add("Caret-Newline", newline.word)
        response.add("Vary", "Accept")
        // The text of a revision never changes, but the right to read it may end.
        response.add("Cache-Control", "no-cache")
        // A browser must not run a document as a page.
        response.add("Content-Security-Policy", "sandbox; default-src 'none'")
        return response
    }

    mutating func refused(_ report: ErrorReport, _ line: [UInt8]) -> ExchangeStep {
        .respond(report.responseToRead(line))
    }

    private func line(_ text: WireText) -> [UInt8] {
        var writer = JSONWriter()
        ServerMessage.text(text).encode(id: nil, into: &writer)
        return writer.bytes
    }

    private func body(_ text: [UInt8], _ newline: Newline) -> [UInt8] {
        keepsNewlines && newline == .crlf ? TextForms.withCRLF(text) : text
    }
}
