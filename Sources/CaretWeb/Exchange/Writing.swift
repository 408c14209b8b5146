import CaretCore
import CaretWire

/// `PUT /docs/NAME`: a new text for a document.
struct Writing: Exchange {
    private let document: WireString
    private let condition: WriteCondition
    private let seq: Int
    private let wantsText: Bool
    /// The epoch of the text that the push is based on; nil if the push creates the document.
    private var epoch: WireString?

    init(_ document: WireString, _ head: RequestHead, _ query: Query, seq: Int) throws(WebRefusal) {
        guard let condition = try WriteCondition(head.fields, query) else {
            throw WebRefusal(
                .preconditionRequired, .conditionRequired,
                "a PUT needs If-None-Match: * to create, base=EPOCH/REV to merge, or If-Match to replace")
        }
        try head.require(contentType: ["text/plain", "application/octet-stream"])
        self.document = document
        self.condition = condition
        self.seq = seq
        wantsText = head.fields.hasItem("return=representation", inList: "prefer")
    }

    mutating func begin() -> ExchangeStep {
        switch condition {
        case .isMissing: sendText(on: nil, exact: true)
        case .isHead(let tag): sendText(on: tag, exact: true)
        case .mergesInto(let tag): sendText(on: tag, exact: false)
        case .exists: .send(.read(Read(document: document)))
        }
    }

    private mutating func sendText(on base: EntityTag?, exact: Bool) -> ExchangeStep {
        epoch = base?.epoch
        return .sendBody(
            BodyFrame(
                text: Push(
                    document: document, epoch: base?.epoch, base: base?.revision ?? 0, seq: seq,
                    content: .text(""), wantsText: wantsText, create: base == nil, exact: exact)))
    }

    mutating func received(_ answer: ServerLine) -> ExchangeStep {
        switch answer.message {
        case .text(let text): return sendText(on: EntityTag(text.epoch, text.revision), exact: false)
        case .ack(let ack):
            let epoch = ack.epoch ?? self.epoch
            if condition == .isMissing, ack.unchanged, ack.revision > 0 {
                return .respond(Writing.exists(epoch.map { EntityTag($0, ack.revision) }))
            }
            return .respond(response(ack, epoch))
        default: return .wait
        }
    }

    mutating func refused(_ report: ErrorReport, _ line: [UInt8]) -> ExchangeStep {
        switch (condition, report.code) {
        case (.isMissing, .known(.epochChanged)), (.isMissing, .known(.baseBehind)):
            .respond(Writing.exists(report.head.map { EntityTag($0.epoch, $0.revision) }))
        case (.isHead, .known(.epochChanged)), (.isHead, .known(.baseAhead)):
            .respond(report.response(line, .preconditionFailed))
        default: .respond(report.response(line))
        }
    }

    /// The response of a request that only creates, with the tag of the head.
    private static func exists(_ head: EntityTag?) -> Response {
        let refusal = WebRefusal(
            .preconditionFailed, .exists, "the document exists already; If-None-Match: * only creates")
        return head.map { refusal.adding("ETag", $0.quoted(as: .text)) }?.response ?? refusal.response
    }

    private func response(_ ack: Ack, _ epoch: WireString?) -> Response {
        let isNew = condition == .isMissing
        var response: Response
        if let text = ack.text {
            response = Response(isNew ? .created : .ok, MediaType.text.contentType, Array(text.utf8))
        } else {
            response = Response(isNew ? .created : .noContent)
        }
        if let epoch { response.addTag(EntityTag(epoch, ack.revision)) }
        if isNew { response.add("Location", Route.document(document).path) }
        return response
    }
}

/// What must hold of a document, so that a request may write it.
enum WriteCondition: Equatable {
    /// `If-None-Match: *`: there is no such document.
    case isMissing
    /// `If-Match: "EPOCH/REV"`: this is its head.
    case isHead(EntityTag)
    /// `base=EPOCH/REV`: this is one of its versions, and what others changed since is kept.
    case mergesInto(EntityTag)
    /// `If-Match: *`: the document exists.
    case exists

    /// Nil if the request has no condition.
    init?(_ fields: Fields, _ query: Query) throws(WebRefusal) {
        let (matches, others) = (fields["if-match"], fields["if-none-match"])
        let base = try query.version("base")
        guard matches.count + others.count + (base == nil ? 0 : 1) <= 1 else {
            throw WebRefusal(
                .badRequest, .badRequest, "use one of If-Match, If-None-Match and base, and only once")
        }
        if let base {
            self = .mergesInto(base)
        } else if let match = matches.first {
            if match == Array("*".utf8) {
                self = .exists
            } else if let tag = EntityTag(quoted: match) {
                self = .isHead(tag)
            } else {
                throw WebRefusal(
                    .badRequest, .badRequest,
                    #"If-Match must be * or one tag such as "k2v9.1/7", with its quotes"#)
            }
        } else if let other = others.first {
            guard other == Array("*".utf8) else {
                throw WebRefusal(.badRequest, .badRequest, "If-None-Match of a request that writes must be *")
            }
            self = .isMissing
        } else {
            return nil
        }
    }
}
