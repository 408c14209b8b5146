import CaretCore
import CaretWire

/// `GET /docs/NAME`: the text of a document.
struct Reading: Exchange {
    private let read: Read
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
        keepsNewlines = try query.choice("newline", ["lf", "kept"]) == "kept"
        self.type = type
        known = EntityTag.known(to: head)
    }

    mutating func begin() -> ExchangeStep { .send(.read(read)) }

    mutating func received(_ answer: ServerLine) -> ExchangeStep {
        guard case .text(let text) = answer.message else { return .wait }
        let tag = EntityTag(text.epoch, text.revision)
        let isKnown = EntityTag.isKnown(tag.quoted(as: type), among: known)
        var response =
            isKnown ? Response(.notModified) : Response(.ok, type.contentType, body(text, answer.bytes))
        response.add("ETag", tag.quoted(as: type))
        response.add("Caret-Epoch", "\(text.epoch)")
        response.add("Caret-Revision", "\(text.revision.value)")
        response.add("Caret-Newline", text.newline.word)
        response.add("Vary", "Accept")
        let isFixed = if case .revision = read.moment { true } else { false }
        response.add("Cache-Control", isFixed ? "private, max-age=3600" : "no-cache")
        // A browser must not run a document as a page.
        response.add("Content-Security-Policy", "sandbox; default-src 'none'")
        return .respond(response)
    }

    mutating func refused(_ report: ErrorReport, _ line: [UInt8]) -> ExchangeStep {
        .respond(report.responseToRead(line))
    }

    private func body(_ text: WireText, _ line: [UInt8]) -> [UInt8] {
        if type == .json { return line }
        guard keepsNewlines, text.newline == .crlf else { return Array(text.text.utf8) }
        return text.text.utf8.flatMap { byte in
            byte == UInt8(ascii: "\n") ? [UInt8(ascii: "\r"), byte] : [byte]
        }
    }
}
