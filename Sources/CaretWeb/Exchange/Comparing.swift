import CaretCore
import CaretRooms
import CaretWire

/// `GET /diff/NAME`: the difference between two revisions of a document.
struct Comparing: Exchange {
    private let document: WireString
    private let type: MediaType
    private let unit: CodeUnit
    private let old: Moment
    private let new: Moment
    /// The differences that the client has.
    private let known: [[UInt8]]
    private var oldText: WireText?

    init(_ document: WireString, _ head: RequestHead, _ query: Query) throws(WebRefusal) {
        guard let type = MediaType.preferred(by: head.fields, among: [.patch, .json]) else {
            throw WebRefusal(
                .notAcceptable, .badType, "a difference can only be sent as text/x-diff or application/json")
        }
        guard let old = try query.number("from") else {
            throw WebRefusal(
                .badRequest, .badRequest, "a difference needs the parameter `from`, which is a revision")
        }
        self.document = document
        self.type = type
        self.old = .revision(Revision(old))
        new = try query.number("to").map { .revision(Revision($0)) } ?? .unspecified
        unit = try query.unit()
        known = EntityTag.known(to: head)
    }

    mutating func begin() -> ExchangeStep { .send(.read(Read(document: document, moment: old))) }

    mutating func received(_ answer: ServerLine) -> ExchangeStep {
        guard let text = answer.read else { return .wait }
        guard let oldText else {
            oldText = text
            return .send(.read(Read(document: document, moment: new)))
        }
        // Somebody replaced the document between the two answers.
        guard oldText.epoch == text.epoch else {
            return .respond(
                ErrorReport(.epochChanged, "the document was replaced meanwhile; send the request again")
                    .response())
        }
        let comparison = Comparison(from: oldText, to: text, in: unit, as: type)
        if EntityTag.isKnown(comparison.tag.quoted(as: type), among: known) {
            return .respond(comparison.adding(to: Response(.notModified)))
        }
        return .compute(.comparison(comparison))
    }

    mutating func refused(_ report: ErrorReport, _ line: [UInt8]) -> ExchangeStep {
        .respond(report.responseToRead(line))
    }
}

/// A difference between two texts, and the form in which a client wants it.
package struct Comparison: Equatable, Sendable {
    private let old: WireText
    private let new: WireText
    private let unit: CodeUnit
    private let type: MediaType

    init(from old: WireText, to new: WireText, in unit: CodeUnit, as type: MediaType) {
        self.old = old
        self.new = new
        self.unit = unit
        self.type = type
    }

    var tag: EntityTag { EntityTag(new.epoch, new.revision) }

    /// The response with the difference.
    func response() -> Response {
        let body: [UInt8]
        do throws(TextError) {
            body = try computed()
        } catch {
            // Every text of a document is valid, so this is a fault of the server.
            return ErrorReport(.internal, "the texts cannot be compared: \(error)").response()
        }
        return adding(to: Response(.ok, type.contentType, body))
    }

    /// Adds the fields that describe the difference.
    func adding(to response: Response) -> Response {
        var response = response
        response.addTag(tag, as: type)
        response.add("Vary", "Accept")
        response.add("Cache-Control", "no-cache")
        // A browser must not run a text as a page.
        response.add("Content-Security-Policy", "sandbox; default-src 'none'")
        return response
    }

    private func computed() throws(TextError) -> [UInt8] {
        let (oldText, newText) = (try TextBuffer(old.text.string), try TextBuffer(new.text.string))
        let change = diff(from: oldText, to: newText)
        guard type == .json else {
            let lines = try LineDiff(from: oldText, to: newText, by: change)
            return Array(Patch(lines, from: title(of: old), to: title(of: new)).text.utf8)
        }
        let difference = Difference(
            of: new.document, epoch: new.epoch, from: old.revision, to: new.revision,
            edits: change.wireEdits(in: unit, before: oldText))
        var writer = JSONWriter()
        difference.encode(into: &writer)
        return writer.bytes
    }

    private func title(of text: WireText) -> String { "\(text.document)@\(text.revision.value)" }
}
