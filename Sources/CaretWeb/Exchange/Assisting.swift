import CaretCore
import CaretRooms
import CaretWire

/// `POST /mcp`: a message of the Model Context Protocol from the program of an assistant.
///
/// Each message is answered for itself, without a session: the token of the request says who calls.
struct Assisting: Exchange {
    private enum Phase {
        /// The message has not arrived yet.
        case reading
        /// The server was asked for what the tool needs.
        case asking
        /// The document of the tool is open.
        case open
        case closing(Next)
        /// The document was missing, and is being created.
        case creating
        /// Only the answer is missing.
        case finished(ToolAnswer.Content)
    }

    /// What follows after the document is closed.
    private enum Next {
        case finish(ToolAnswer.Content)
        case readNewestText
    }

    private let answers: AssistantAnswers
    private let fields: AssistantFields
    private let seq: Int
    private var phase = Phase.reading
    private var called: (call: ToolCall, tool: AssistantAnswers.CalledTool)?
    /// The newest text, for a difference to an older one.
    private var newest: WireText?
    /// The notes of the pages so far.
    private var notes: [NoteSummary] = []

    init(_ answers: AssistantAnswers, _ head: RequestHead, seq: Int) throws(WebRefusal) {
        try head.require(contentType: ["application/json"])
        guard MediaType.preferred(by: head.fields, among: [.json]) != nil else {
            throw WebRefusal(.notAcceptable, .badType, "this resource answers only with application/json")
        }
        self.answers = answers
        self.seq = seq
        fields = AssistantFields(head.fields)
    }

    mutating func begin() -> ExchangeStep { .takeBody }

    mutating func took(_ body: [UInt8]) -> ExchangeStep {
        do throws(RPCFault) {
            let message = try AssistantMessage(body)
            try fields.check(against: message)
            switch try answers.step(for: message) {
            // The message is a notification, or an answer.
            case nil: return .respond(Response(.accepted))
            case .answer(let line): return .respond(.toAssistant(line))
            case .call(let call, let tool):
                called = (call, tool)
                return start(call)
            }
        } catch {
            // Programs of earlier versions take any other status for a fault of HTTP, and do not read the answer.
            let isAboutVersion = [.headerMismatch, .unsupportedVersion].contains(error.code)
            let isEarlier = error.id != nil && !fields.areStateless && !isAboutVersion
            return .respond(.toAssistant(answers.answer(to: error), isEarlier ? .ok : error.code.status))
        }
    }

    // MARK: Tools

    private mutating func start(_ call: ToolCall) -> ExchangeStep {
        phase = .asking
        switch call {
        case .list(let prefix):
            let prefix = prefix.isEmpty ? nil : WireString(prefix)
            return .send(.list(List(prefix: prefix, after: nil, limit: ToolResult.mostDocuments)))
        case .read(let name, let revision, _): return read(name, at: revision)
        // The name of the document sorts before all longer names that begin with this name.
        case .history(let name, _):
            return .send(.list(List(prefix: WireString(name), after: nil, limit: 1)))
        case .edit(let name, _, _): return .send(.open(Open(document: WireString(name))))
        case .write(let name, _, let base, _): return read(name, at: base)
        case .wait(let name, _, _): return .send(.open(Open(document: WireString(name), mode: .watch)))
        case .notes(let call, let name):
            if let list = call.list(of: name) { return .send(.notes(.list(list))) }
            if call.passage == nil, let note = call.request(to: name) { return .send(.notes(.add(note))) }
            return read(name, at: nil)
        }
    }

    private func read(_ name: String, at revision: Int?) -> ExchangeStep {
        let moment = revision.map { Moment.revision(Revision($0)) } ?? .unspecified
        return .send(.read(Read(document: WireString(name), moment: moment)))
    }

    mutating func received(_ answer: ServerLine) -> ExchangeStep {
        guard let called else { return .wait }
        switch (phase, answer.message) {
        case (.closing(let next), .closed), (.closing(let next), .gone): return follow(next)
        case (.closing, _), (.reading, _), (.finished, _): return .wait
        case (.asking, _), (.open, _), (.creating, _): break
        }
        switch called.call {
        case .list: return listed(answer)
        case .read(let name, _, let lines):
            guard let text = answer.read else { return .wait }
            return finish(.text(text, of: name, lines))
        case .history(let name, let limit): return history(of: name, limit, answer)
        case .edit(let name, let old, let new): return edit(name, old, new, answer)
        case .write(let name, let text, _, _): return write(name, text, answer)
        case .wait(let name, let revision, let seconds):
            return wait(name, after: revision, seconds: seconds, answer)
        case .notes(let call, let name): return note(call, name, answer)
        }
    }

    private mutating func note(_ call: NoteToolCall, _ name: String, _ answer: ServerLine) -> ExchangeStep {
        switch answer.message {
        case .notes(.written(let written)): return finish(.result(.noted(written, by: call, in: name)))
        case .notes(.list(let list)):
            if let change = call.change(in: list) { return .send(.notes(.change(change))) }
            var list = list
            notes += list.notes
            list.notes = notes
            if let next = call.next(after: list) { return .send(.notes(.list(next))) }
            switch call {
            case .set(let note, _): return finish(.result(.missing(note, in: name)))
            case .list(let isForAll): return finish(.result(.notes(list, of: name, isForAll: isForAll)))
            case .add, .suggest: return .wait
            }
        case .text:
            guard let text = answer.read else { return .wait }
            do throws(UniquePassage.Fault) {
                let note = try call.request(to: name, in: text.text.string, at: text.revision)
                return .send(.notes(.add(note)))
            } catch {
                return finish(.result(ToolResult(error.description, isError: true)))
            }
        default: return .wait
        }
    }

    private mutating func listed(_ answer: ServerLine) -> ExchangeStep {
        guard case .listed(let page) = answer.message else { return .wait }
        let documents = page.documents.map { ($0.document.string, $0.revision, $0.length) }
        return finish(.result(.documents(documents, hasMore: page.hasMore)))
    }

    private mutating func history(
        of name: String, _ limit: Int, _ answer: ServerLine
    ) -> ExchangeStep {
        switch answer.message {
        case .listed(let page):
            guard let entry = page.documents.first, entry.document == WireString(name) else {
                return finish(.result(.refusal(.notFound, "\(name): there is no such document")))
            }
            let after = Revision(max(0, entry.revision.value - limit))
            return readHistory(of: name, after: .revision(after), limit)
        case .revisions(let page):
            let revisions = page.revisions.map {
                ToolRevision(
                    $0.revision, by: $0.author.user.string, at: $0.author.time, inserted: $0.inserted,
                    deleted: $0.deleted)
            }
            return finish(.result(.history(of: name, revisions)))
        default: return .wait
        }
    }

    private func readHistory(of name: String, after: Moment, _ limit: Int) -> ExchangeStep {
        .send(
            .history(
                History(document: WireString(name), after: after, limit: limit, wantsEdits: false)))
    }

    private mutating func edit(
        _ name: String, _ old: String, _ new: String, _ answer: ServerLine
    ) -> ExchangeStep {
        switch answer.message {
        case .opened(let opened):
            phase = .open
            let text: WireString =
                switch opened.content {
                case .text(let text), .textAfterAll(let text): answer.text?.wholeText ?? text
                case .resumed: ""
                }
            do throws(UniquePassage.Fault) {
                let range = try UniquePassage(old, in: text.string).range
                let edit = WireEdit(
                    WireRange(range.lowerBound.value, range.upperBound.value),
                    WireString(new.withLineFeeds))
                return .send(
                    .push(
                        Push(
                            document: WireString(name), epoch: opened.epoch, base: opened.revision, seq: seq,
                            content: .edits([edit]))))
            } catch {
                return close(name, then: .finish(.result(ToolResult(error.description, isError: true))))
            }
        case .ack(let ack): return close(name, then: .finish(.result(.saved(name, as: ack.revision))))
        // A session that is far behind gets the whole text, and then no ack of a push that the text contains.
        case .resync(let resync):
            guard let own = resync.own, own.seq == seq else { return .wait }
            return close(name, then: .finish(.result(.saved(name, as: own.revision))))
        default: return .wait
        }
    }

    private mutating func write(
        _ name: String, _ text: String, _ answer: ServerLine
    ) -> ExchangeStep {
        switch answer.message {
        case .text(let base): return push(text, to: name, epoch: base.epoch, base: base.revision)
        case .ack(let ack):
            return finish(
                .result(
                    .saved(
                        name, as: ack.revision, isUnchanged: ack.unchanged, text: text,
                        merged: ack.text?.string)))
        default: return .wait
        }
    }

    private func push(
        _ text: String, to name: String, epoch: WireString?, base: Revision
    ) -> ExchangeStep {
        let push = Push(
            document: WireString(name), epoch: epoch, base: base, seq: seq, content: .text(""),
            wantsText: true, create: epoch == nil)
        return .sendAgain(BodyFrame(text: push), body: Array(text.utf8))
    }

    private mutating func wait(
        _ name: String, after revision: Int, seconds: Int, _ answer: ServerLine
    ) -> ExchangeStep {
        switch answer.message {
        case .opened(let opened):
            phase = .open
            if opened.revision.value > revision { return close(name, then: .readNewestText) }
            return .waitAtMost(seconds: seconds)
        case .change(let change) where change.revision.value > revision:
            return close(name, then: .readNewestText)
        case .resync: return close(name, then: .readNewestText)
        case .gone(let gone):
            return finish(.result(.refusal(.notFound, "\(name): \(gone.words)")))
        case .text:
            guard let text = answer.read else { return .wait }
            guard let newest else {
                newest = text
                return read(name, at: revision)
            }
            return finish(.changes(in: name, from: text, to: newest))
        default: return .wait
        }
    }

    mutating func timeIsUp() -> ExchangeStep {
        // A change may have come, whose text is being read.
        guard case .open = phase, case .wait(let name, let revision, _) = called?.call else { return .wait }
        return close(name, then: .finish(.result(.unchanged(name, since: revision))))
    }

    mutating func refused(_ report: ErrorReport, _ line: [UInt8]) -> ExchangeStep {
        guard let called else { return .respond(report.response(line)) }
        let code: ErrorCode? = if case .known(let code) = report.code { code } else { nil }
        let result = ToolAnswer.Content.result(
            .refusal(code, "\(report.message) (\(code.map { "\($0.word)" } ?? "error"))"))
        switch (phase, called.call) {
        // The document was closed meanwhile.
        case (.closing(let next), _): return follow(next)
        case (.asking, .write(let name, let text, base: nil, creates: true)) where code == .notFound:
            phase = .creating
            return push(text, to: name, epoch: nil, base: 0)
        // Fewer revisions are kept.
        case (.asking, .history(let name, let limit)) where code == .baseTrimmed:
            return readHistory(of: name, after: .unspecified, limit)
        case (.open, .edit(let name, _, _)) where code != .notOpen: return close(name, then: .finish(result))
        default: return finish(result)
        }
    }

    // MARK: The end

    private mutating func close(_ name: String, then next: Next) -> ExchangeStep {
        phase = .closing(next)
        return .send(.close(Close(document: WireString(name))))
    }

    private mutating func follow(_ next: Next) -> ExchangeStep {
        switch next {
        case .finish(let content): return finish(content)
        case .readNewestText:
            phase = .asking
            guard case .wait(let name, _, _) = called?.call else { return .wait }
            return read(name, at: nil)
        }
    }

    private mutating func finish(_ content: ToolAnswer.Content) -> ExchangeStep {
        guard let called else { return .wait }
        phase = .finished(content)
        return .compute(.toolAnswer(ToolAnswer(answers, called.tool, content)))
    }

    var outcome: Response? {
        switch phase {
        case .closing(.finish(let content)), .finished(let content):
            called.map { ToolAnswer(answers, $0.tool, content).response() }
        case .reading, .asking, .open, .closing(.readNewestText), .creating: nil
        }
    }
}

/// The fields of a request that repeat what its message says, so that proxies need not read the message.
private struct AssistantFields {
    private let version: [[UInt8]]
    private let method: [[UInt8]]
    private let tool: [[UInt8]]

    init(_ fields: Fields) {
        version = fields["mcp-protocol-version"]
        method = fields["mcp-method"]
        tool = fields["mcp-name"]
    }

    /// Whether the client speaks the version without sessions.
    var areStateless: Bool { version == [Array(AssistantAnswers.statelessVersion.utf8)] }

    /// Before the stateless version, only the version is in a field, and `initialize` has not even this.
    func check(against message: AssistantMessage) throws(RPCFault) {
        guard let sent = message.version else {
            let known = AssistantAnswers.versions.map { Array($0.utf8) }
            if message.id != nil, !version.allSatisfy({ known.contains($0) }) {
                throw RPCFault(
                    .headerMismatch,
                    "the field MCP-Protocol-Version names a version that the message does not name",
                    id: message.id)
            }
            return
        }
        if !says(version, sent) { throw mismatch("MCP-Protocol-Version", "\(sent)", message) }
        if !says(method, message.method) { throw mismatch("Mcp-Method", "the method", message) }
        if let name = message.tool, !says(tool.map(Self.decoded), name) {
            throw mismatch("Mcp-Name", "the tool", message)
        }
    }

    /// A value that is no plain ASCII comes in Base64.
    private static func decoded(_ value: [UInt8]) -> [UInt8] {
        let (start, end) = (Array("=?base64?".utf8), Array("?=".utf8))
        guard value.count >= start.count + end.count, value.starts(with: start),
            value.suffix(end.count).elementsEqual(end)
        else { return value }
        return Base64.decoded(value.dropFirst(start.count).dropLast(end.count)) ?? value
    }

    private func says(_ values: [[UInt8]], _ word: WireString?) -> Bool {
        values.count == 1 && word.map { values[0].elementsEqual($0.utf8) } == true
    }

    private func mismatch(_ field: String, _ what: String, _ message: AssistantMessage) -> RPCFault {
        RPCFault(.headerMismatch, "the field \(field) must name \(what) of the message", id: message.id)
    }
}

/// The answer of a tool, which may contain a long text.
package struct ToolAnswer: Equatable, Sendable {
    enum Content: Equatable, Sendable {
        case result(ToolResult)
        case text(WireText, of: String, ToolLines?)
        case changes(in: String, from: WireText, to: WireText)
    }

    private let answers: AssistantAnswers
    private let tool: AssistantAnswers.CalledTool
    private let content: Content

    init(_ answers: AssistantAnswers, _ tool: AssistantAnswers.CalledTool, _ content: Content) {
        self.answers = answers
        self.tool = tool
        self.content = content
    }

    func response() -> Response { .toAssistant(answers.answer(to: tool, with: result)) }

    private var result: ToolResult {
        switch content {
        case .result(let result): return result
        case .text(let text, let name, let lines):
            return .text(text.text.string, of: name, at: text.revision, lines: lines)
        case .changes(let name, let old, let new):
            do throws(TextError) {
                return try .changes(
                    in: name, from: TextBuffer(old.text.string), at: old.revision.value,
                    to: TextBuffer(new.text.string), at: new.revision)
            } catch {
                // Every text of a document is valid, so this is a fault of the server.
                return .refusal(.internal, "the texts cannot be compared: \(error)")
            }
        }
    }
}

extension Gone {
    fileprivate var words: String {
        switch reason {
        case .known(.renamed): "it has another name now"
        case .known(.damaged): "it is damaged"
        case .known(.deleted), .unknown: "it was deleted, or you may no longer read it"
        }
    }
}

extension Response {
    fileprivate static func toAssistant(_ message: [UInt8], _ status: Status = .ok) -> Response {
        Response(status, MediaType.json.contentType, message).adding("Cache-Control", "no-store")
    }
}

extension RPCFault.Code {
    fileprivate var status: Status {
        switch self {
        case .noMethod: .notFound
        case .parse, .invalid, .badParameters, .headerMismatch, .unsupportedVersion: .badRequest
        }
    }
}
