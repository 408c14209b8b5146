import CaretCore
import CaretWire

/// A request that is one message, and is answered by one message. The line of the answer becomes the body of the
/// response.
struct Asking: Exchange {
    private enum Request {
        case message(ClientMessage)
        case body(BodyFrame)
    }

    private let request: Request
    /// The field `Location` of the response.
    private let location: String?
    /// The epoch of the document, for the field `ETag` of an ack.
    private let epoch: WireString?
    private let hasBody: Bool

    init(
        _ request: ClientMessage, location: String? = nil, epoch: WireString? = nil, hasBody: Bool = true
    ) {
        self.request = .message(request)
        self.location = location
        self.epoch = epoch
        self.hasBody = hasBody
    }

    /// A message of this type. The body of the request has its fields.
    init(
        body type: StaticString, _ head: RequestHead, about document: WireString? = nil, hasBody: Bool = true
    ) throws(WebRefusal) {
        try head.require(contentType: ["application/json"])
        request = .body(BodyFrame(object: type, about: document))
        (location, epoch) = (nil, nil)
        self.hasBody = hasBody
    }

    mutating func begin() -> ExchangeStep {
        switch request {
        case .message(let message): .send(message)
        case .body(let frame): .sendBody(frame)
        }
    }

    mutating func refused(_ report: ErrorReport, _ line: [UInt8]) -> ExchangeStep {
        switch request {
        case .message(.history), .message(.blame): .respond(report.responseToRead(line))
        case .message, .body: .respond(report.response(line))
        }
    }

    mutating func received(_ answer: ServerLine) -> ExchangeStep {
        switch answer.message {
        case .listed, .revisions, .blamed, .deleted, .notes, .done, .ack, .admin: break
        default: return .wait
        }
        var response =
            hasBody ? Response(.ok, MediaType.json.contentType, answer.bytes) : Response(.noContent)
        if let location { response.add("Location", location) }
        if let epoch, case .ack(let ack) = answer.message {
            response.addTag(EntityTag(epoch, ack.revision))
        }
        response.add("Cache-Control", "no-store")
        return .respond(response)
    }
}

extension Asking {
    static func list(_ query: Query) throws(WebRefusal) -> Asking {
        let limit = try query.number("limit") ?? Limits.itemsByDefault
        return Asking(.list(List(prefix: query.text("prefix"), after: query.text("after"), limit: limit)))
    }

    static func listTokens(_ query: Query) throws(WebRefusal) -> Asking {
        let limit = try query.number("limit") ?? Limits.itemsByDefault
        return Asking(.admin(.listTokens(ListTokens(after: try query.number("after"), limit: limit))))
    }

    static func addLink(_ document: WireString, _ query: Query) throws(WebRefusal) -> Asking {
        guard let rights = try query.choice("rights", ["read", "write"]),
            let seconds = try query.number("seconds")
        else {
            throw WebRefusal(
                .badRequest, .badRequest, "a link needs the parameters `rights`, read or write, and `seconds`"
            )
        }
        let request = AddLink(
            document: document, rights: rights == "write" ? .write : .read, seconds: seconds)
        return Asking(.links(.add(request)))
    }

    static func listLinks(_ document: WireString, _ query: Query) throws(WebRefusal) -> Asking {
        let limit = try query.number("limit") ?? Limits.itemsByDefault
        return Asking(
            .links(.list(ListLinks(document: document, after: try query.number("after"), limit: limit))))
    }

    static func endLink(_ document: WireString, _ query: Query) throws(WebRefusal) -> Asking {
        guard let number = try query.number("number") else {
            throw WebRefusal(.badRequest, .badRequest, "to end a link, name it with the parameter `number`")
        }
        return Asking(.links(.end(EndLink(document: document, number: number))), hasBody: false)
    }

    static func listNotes(_ document: WireString, _ query: Query) throws(WebRefusal) -> Asking {
        let request = ListNotes(
            document: document, since: try query.number("since") ?? 0, after: try query.number("after") ?? 0,
            limit: try query.number("limit") ?? Limits.itemsByDefault)
        return Asking(.notes(.list(request)))
    }

    static func removeNote(_ document: WireString, _ query: Query) throws(WebRefusal) -> Asking {
        guard let note = try query.number("note"), let version = try query.number("version") else {
            throw WebRefusal(
                .badRequest, .badRequest,
                "to remove a note, name it and its version with the parameters `note` and `version`")
        }
        let request = RemoveNote(document: document, note: note, version: version)
        return Asking(.notes(.remove(request)), hasBody: false)
    }

    static func history(_ document: WireString, _ query: Query) throws(WebRefusal) -> Asking {
        return Asking(
            .history(
                History(
                    document: document, after: try query.moment("after"),
                    limit: try query.number("limit") ?? Limits.itemsByDefault,
                    wantsEdits: try query.choice("edits", ["0", "1"]) == "1")))
    }

    static func blame(_ document: WireString, _ query: Query) throws(WebRefusal) -> Asking {
        let revision = try query.number("rev").map { Revision($0) }
        return Asking(
            .blame(
                BlameRequest(
                    document: document, revision: revision, after: try query.number("after") ?? 0,
                    limit: try query.number("limit") ?? Limits.itemsByDefault)))
    }

    static func rename(_ document: WireString, _ query: Query) throws(WebRefusal) -> Asking {
        guard let to = query.text("to") else {
            throw WebRefusal(
                .badRequest, .badRequest, "a rename needs the parameter `to`, which is the new name")
        }
        return Asking(.rename(Rename(document: document, to: to)), location: Route.document(to).path)
    }

    static func copy(_ document: WireString, _ query: Query) throws(WebRefusal) -> Asking {
        guard let to = query.text("to") else {
            throw WebRefusal(
                .badRequest, .badRequest, "a copy needs the parameter `to`, which is the name of the copy")
        }
        let request = CopyDocument(document: document, to: to)
        return Asking(.tags(.copy(request)), location: Route.document(to).path)
    }

    static func restore(_ document: WireString, _ query: Query, seq: Int) throws(WebRefusal) -> Asking {
        guard let version = try query.version("to") else {
            throw WebRefusal(
                .badRequest, .badRequest,
                "a restore needs the parameter `to`, an epoch and a revision such as k2v9.1/7")
        }
        return Asking(
            .restore(
                Restore(document: document, epoch: version.epoch, revision: version.revision, seq: seq)),
            epoch: version.epoch)
    }
}

extension Response {
    /// Adds the fields that name a document's new version.
    mutating func addTag(_ tag: EntityTag, as type: MediaType = .text) {
        add("ETag", tag.quoted(as: type))
        add("Caret-Epoch", "\(tag.epoch)")
        add("Caret-Revision", "\(tag.revision.value)")
    }
}
