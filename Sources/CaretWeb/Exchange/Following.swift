import CaretCore
import CaretWire

/// `GET /history/NAME` as JSON lines: all revisions, one on each line. Each page is requested only after
/// the page before was delivered, so that a long history needs little memory.
struct Following: Exchange {
    private let document: WireString
    private let after: Moment
    private let wantsEdits: Bool
    /// The last revision that was sent.
    private var last: Revision?

    init(_ document: WireString, _ head: RequestHead, _ query: Query) throws(WebRefusal) {
        guard head.version == .http11 else {
            throw WebRefusal(
                .notAcceptable, .badType,
                "\(MediaType.jsonLines.rawValue) needs HTTP/1.1, because it is sent in chunks")
        }
        guard query.text("limit") == nil else {
            throw WebRefusal(
                .badRequest, .badRequest,
                "\(MediaType.jsonLines.rawValue) is the whole history, so `limit` is not allowed")
        }
        self.document = document
        after = try query.moment("after")
        wantsEdits = try query.choice("edits", ["0", "1"]) == "1"
    }

    mutating func begin() -> ExchangeStep { request(after) }

    private func request(_ after: Moment) -> ExchangeStep {
        .send(
            .history(
                History(
                    document: document, after: after, limit: Limits.items.upperBound, wantsEdits: wantsEdits))
        )
    }

    mutating func received(_ answer: ServerLine) -> ExchangeStep {
        guard case .revisions(let page) = answer.message else { return .wait }
        var writer = JSONWriter()
        page.encodeLines(into: &writer)
        last = page.revisions.last?.revision
        return .part(
            ResponsePart(
                head: Response(partsOf: MediaType.jsonLines.contentType).adding("Vary", "Accept")
                    .adding("Cache-Control", "no-store"),
                bytes: writer.bytes, isLast: !page.hasMore || last == nil))
    }

    mutating func delivered() -> ExchangeStep { last.map { request(.revision($0)) } ?? .wait }

    mutating func refused(_ report: ErrorReport, _ line: [UInt8]) -> ExchangeStep {
        .respond(report.responseToRead(line))
    }
}
