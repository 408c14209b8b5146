import CaretCore
import CaretRooms
import CaretWire

/// A request that pushes edits: `POST /docs/NAME` and `POST /append/NAME`. It opens the document, pushes, and
/// closes the document again. If an append finds no document, it pushes the body as the text of a new one: so the
/// document exists only once it has the text.
struct Editing: Exchange {
    private enum Kind {
        /// The body has the edits, which apply to this version.
        case edits(EntityTag, exact: Bool)
        /// The body is a text to add at the end.
        case append(creates: Bool)
    }

    private enum Phase {
        case opening
        /// The document was missing, and the body is being pushed as its first text.
        case creating
        /// `isRepeat` is true if the client's last committed push to the document had the same number, and
        /// `isNew` if it had a lower one.
        case pushing(epoch: WireString, isRepeat: Bool, isNew: Bool)
        /// The client's last committed push had the same number, and made this version. The body must be the
        /// text that this push has appended.
        case comparing(EntityTag)
        /// The push is answered, and the document is being closed. The value is the response for the push.
        case closing(Response)
    }

    private let document: WireString
    private let kind: Kind
    private let unit: CodeUnit
    private let seq: Int
    private var phase = Phase.opening
    /// The body, if it was pushed as the text of a new document. It is sent again if another request was first.
    private var body: [UInt8]?

    /// Edits in the body, which apply to the version that the request names.
    init(
        editing document: WireString, _ head: RequestHead, _ query: Query, seq: Int
    ) throws(WebRefusal) {
        try head.require(contentType: ["application/json"])
        switch try WriteCondition(head.fields, query) {
        case .isHead(let tag): kind = .edits(tag, exact: true)
        case .mergesInto(let tag): kind = .edits(tag, exact: false)
        case .isMissing, .exists, nil:
            throw WebRefusal(
                .preconditionRequired, .conditionRequired,
                "edits need base=EPOCH/REV to merge, or If-Match with the tag of the head")
        }
        self.document = document
        self.seq = seq
        unit = try query.unit()
    }

    /// The body is a text to add at the end of the document.
    init(
        appendingTo document: WireString, _ head: RequestHead, _ query: Query, seq: Int
    ) throws(WebRefusal) {
        try head.require(contentType: ["text/plain", "application/octet-stream"])
        kind = .append(creates: try query.choice("create", ["0", "1"]) == "1")
        self.document = document
        self.seq = seq
        unit = try query.unit()
    }

    mutating func begin() -> ExchangeStep {
        switch kind {
        case .edits(let tag, _):
            let resume = WirePosition(epoch: tag.epoch, revision: tag.revision)
            return .send(.open(Open(document: document, resume: resume)))
        case .append: return .send(.open(Open(document: document)))
        }
    }

    private mutating func create() -> ExchangeStep {
        phase = .creating
        let push = Push(document: document, epoch: nil, base: 0, seq: seq, content: .text(""), create: true)
        return .sendBody(BodyFrame(text: push, keeps: true))
    }

    /// Sends the body in this frame.
    private func send(_ frame: BodyFrame) -> ExchangeStep {
        body.map { .sendAgain(frame, body: $0) } ?? .sendBody(frame)
    }

    mutating func received(_ answer: ServerLine) -> ExchangeStep {
        switch (phase, answer.message) {
        case (.opening, .opened(let opened)): return push(opened, answer.text?.wholeText)
        case (.creating, .ack(let ack)):
            return .respond(response(answer.bytes, ack.epoch.map { EntityTag($0, ack.revision) }))
        // While the document is open, its changes arrive too. The ack of an earlier push with the same number
        // may be among them. Only the answer to a repeat has `duplicate`.
        case (.pushing(let epoch, let isRepeat, _), .ack(let ack))
        where ack.seq == seq && (ack.duplicate || !isRepeat):
            return close(with: response(answer.bytes, EntityTag(epoch, ack.revision)))
        // A session that is far behind gets the whole text, and then no ack of a push that the text contains.
        case (.pushing(_, isRepeat: false, _), .resync(let resync)):
            guard let own = resync.own, own.seq == seq else { return .wait }
            var writer = JSONWriter()
            Ack(document: document, seq: seq, revision: own.revision).encode(into: &writer)
            return close(with: response(writer.bytes, EntityTag(resync.epoch, own.revision)))
        case (.comparing, .revisions(let page)): return compare(page.revisions.first?.edits ?? [])
        case (.closing(let response), .closed): return .respond(response)
        default: return .wait
        }
    }

    private func response(_ ack: [UInt8], _ tag: EntityTag?) -> Response {
        var response = Response(.ok, MediaType.json.contentType, ack)
        if let tag { response.addTag(tag) }
        return response
    }

    /// `longText` is the text of the document, if the message does not contain it because it is long.
    private mutating func push(_ opened: Opened, _ longText: WireString?) -> ExchangeStep {
        let own = opened.own.flatMap { $0.seq == seq ? $0 : nil }
        if let own, case .append = kind {
            phase = .comparing(EntityTag(opened.epoch, own.revision))
            let before = Moment.revision(Revision(own.revision.value - 1))
            return .send(.history(History(document: document, after: before, limit: 1, wantsEdits: true)))
        }
        var push = Push(
            document: document, epoch: opened.epoch, base: opened.revision, seq: seq, content: .edits([]))
        let isNew = (opened.own?.seq).map { $0 < seq } ?? true
        phase = .pushing(epoch: opened.epoch, isRepeat: own != nil, isNew: isNew)
        switch kind {
        case .edits(let tag, let exact):
            (push.epoch, push.base, push.exact) = (tag.epoch, tag.revision, exact)
            return send(BodyFrame(edits: push))
        case .append:
            let text: WireString =
                switch opened.content {
                case .text(let text), .textAfterAll(let text): longText ?? text
                case .resumed: ""
                }
            let isInLine = text.utf8.last.map { $0 != UInt8(ascii: "\n") } ?? false
            return send(BodyFrame(inserting: push, at: text.length(in: unit), after: isInLine ? "\n" : ""))
        }
    }

    /// Compares the body with the text that an earlier append with the same number has inserted. The room
    /// cannot recognise such a repeat, because the end of the document is now at another offset.
    private func compare(_ edits: [WireEdit]) -> ExchangeStep {
        let text = edits.count == 1 ? Array(edits[0].text.utf8) : nil
        // The first line break may be the one that was added before the body.
        let rest = text.flatMap { $0.first == UInt8(ascii: "\n") ? Array($0.dropFirst()) : nil }
        return send(BodyFrame(comparing: [text, rest].compactMap { $0 }))
    }

    mutating func sentBody(_ frame: BodyFrame) -> ExchangeStep {
        if case .creating = phase { body = frame.kept }
        guard case .comparing(let tag) = phase else { return .wait }
        guard frame.isEqual else {
            let report = ErrorReport(
                .seqReused, "seq \(seq) was used with other content", document: document, seq: seq)
            return close(with: report.response())
        }
        var writer = JSONWriter()
        Ack(document: document, seq: seq, revision: tag.revision, duplicate: true).encode(into: &writer)
        return close(with: response(writer.bytes, tag))
    }

    mutating func refused(_ report: ErrorReport, _ line: [UInt8]) -> ExchangeStep {
        switch phase {
        case .opening:
            let isMissing = report.code == .known(.notFound)
            if isMissing, body == nil, case .append(creates: true) = kind { return create() }
            return .respond(report.response(line))
        case .creating where report.code == .known(.epochChanged):
            // Another request has created the document first.
            if body == nil {
                let message =
                    "the document was created while the request arrived, and its body has more than \(BodyFrame.mostKept) bytes; repeat the request"
                return .respond(WebRefusal(.conflict, .exists, message).response)
            }
            phase = .opening
            return begin()
        case .creating: return .respond(report.response(line))
        case .pushing where report.code == .known(.notOpen):
            let message = "the document was deleted, renamed or hidden while the request arrived"
            return close(with: WebRefusal(.notFound, .notFound, message).response)
        case .pushing(_, _, isNew: true) where isAppend && report.code == .known(.seqReused):
            // The same append arrived on an earlier connection, and is being committed. The end of the document
            // has moved, so the room does not recognise the repeat. It can be compared after the commit.
            let report = ErrorReport(
                .pushInFlight,
                "an append with seq \(seq) is being committed; repeat the request for its answer",
                document: document, seq: seq)
            return close(with: report.response())
        case .pushing, .comparing:
            let isStrict = if case .edits(_, exact: true) = kind { true } else { false }
            let isOther = report.code == .known(.epochChanged) || report.code == .known(.baseAhead)
            return close(with: report.response(line, isStrict && isOther ? .preconditionFailed : nil))
        // The document was closed meanwhile.
        case .closing(let response): return .respond(response)
        }
    }

    private var isAppend: Bool { if case .append = kind { true } else { false } }

    var outcome: Response? { if case .closing(let response) = phase { response } else { nil } }

    private mutating func close(with response: Response) -> ExchangeStep {
        phase = .closing(response)
        return .send(.close(Close(document: document)))
    }
}

extension WireString {
    fileprivate func length(in unit: CodeUnit) -> Int {
        switch unit {
        case .utf8: utf8.count
        case .utf16: string.utf16.count
        case .scalar: string.unicodeScalars.count
        }
    }
}
