import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import Testing

/// A web connection with a server that follows a script: each message of the connection's member gets the
/// next answer of the script.
///
/// Without an answer in the script, the message stays unanswered.
final class WebConversation {
    let world: WebWorld
    /// The lines of the server that are still to be sent. Several lines for one message are separated by LF.
    var answers: [String] = []
    /// What the server knows about tokens; every other token is a token of `anonymous`.
    var tokens: [WireString: Authentication] = [:]
    /// Whether the hub admits new members.
    var admits = true
    /// Why the hub refuses new members.
    var refusal: ErrorReport?
    /// How many bytes of the budget for long lines are left.
    var lineBudget = Int.max
    /// What the member and the hub said, in order: `join`, `leave` and messages as JSON.
    private(set) var log: [String] = []
    /// The identities of the members that have joined.
    private(set) var identities: [Identity] = []
    private(set) var responses: [WebResponse] = []
    /// All bytes of the responses.
    private(set) var bytes = ""
    /// The other actions, such as `[endOutput]`. The actions that pause and resume reading are left out.
    private(set) var actions: [String] = []
    private var orders: [ConnectionAction] = []
    private var decoder = MessageDecoder()

    init(_ world: WebWorld = WebWorld()) { self.world = world }

    /// The messages of the member after `hello`.
    var messages: [String] { log.filter { $0.hasPrefix("{") } }

    /// The only response.
    func response() throws -> WebResponse {
        try #require(responses.count == 1, "\(responses.count) responses")
        return responses[0]
    }

    func forget() { (log, responses, bytes, actions) = ([], [], "", []) }

    // MARK: The client

    /// Sends a whole request, and returns its response. Without a body, it has no `Content-Length`.
    @discardableResult
    func request(_ line: String, _ fields: [String] = [], body: String? = nil) throws -> WebResponse {
        responses = []
        send(WebConversation.bytes(of: line, fields, body: body))
        return try response()
    }

    static func bytes(of line: String, _ fields: [String] = [], body: String? = nil) -> [UInt8] {
        let length = body.map { ["Content-Length: \($0.utf8.count)"] } ?? []
        let lines = ["\(line) HTTP/1.1", "Host: localhost"] + fields + length
        return Array((lines.map { $0 + "\r\n" }.joined() + "\r\n" + (body ?? "")).utf8)
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        note(world.receive(bytes))
        serve()
    }

    /// The client reads this many bytes.
    func deliver(bytes: Int) {
        note(world.written(bytes))
        serve()
    }

    func endInput() {
        note(world.inputEnded())
        serve()
    }

    /// The connection breaks.
    func lose() {
        note(world.connectionLost())
        serve()
    }

    func pass(seconds: Double) {
        note(world.pass(seconds: seconds))
        serve()
    }

    func shutDown(retryAfterMilliseconds: Int? = nil) {
        note(world.shutDown(retryAfterMilliseconds: retryAfterMilliseconds))
        serve()
    }

    // MARK: The server

    func happens(_ event: (inout ConnectionState) -> [ConnectionAction]) {
        note(world.happens(event))
        serve()
    }

    /// Sends a line of a room to the member's session with this number; 0 is for no session.
    func room(_ line: String, to number: Int) {
        let kind: RoomOutput.Kind =
            if line.hasPrefix(#"{"type":"closed""#) {
                .closed
            } else if line.hasPrefix(#"{"type":"rights""#) { .rights } else { .stream }
        let output = RoomOutput(kind, Array((line + "\n").utf8))
        happens { $0.sent(output, to: SessionID(ConnectionID(1), number: number)) }
    }

    /// Sends the hub's answer.
    func hub(_ line: String) {
        sendAnswer(line)
        serve()
    }

    /// Ends the member's session with this number.
    func end(_ number: Int) { happens { $0.ended(SessionID(ConnectionID(1), number: number)) } }

    /// Carries out the actions for the hub and the rooms. When reading resumes, passes the unread bytes to
    /// the connection again, as the shell does.
    private func serve() {
        while true {
            orders += world.takeOrders()
            if !orders.isEmpty {
                serve(orders.removeFirst())
            } else if !world.unread.isEmpty, !world.isPaused {
                note(world.receive([]))
            } else {
                return
            }
        }
    }

    private func serve(_ order: ConnectionAction) {
        switch order {
        case .authenticate(let token):
            let result = token.flatMap { tokens[$0] } ?? .known(.anonymous)
            note(world.happens { $0.authenticated(result) })
        case .join(let joining):
            log.append("join \(joining.pusher.client) \(joining.unit.word)")
            identities.append(joining.identity)
            if let refusal {
                note(world.happens { $0.hubSent(.refused(refusal)) })
            } else if admits {
                note(world.happens { $0.hubSent(.admitted(expiresIn: nil)) })
            }
        case .leave: log.append("leave")
        case .ask(let request):
            log.append(request.question.message)
            answer(request.question.session ?? 0, isOpening: request.question.session != nil)
        case .sendToRoom(_, let event):
            guard let (message, session) = event.message else { return }
            log.append(message)
            answer(session)
        case .claimLine(let bytes):
            lineBudget -= bytes
            if lineBudget >= 0 { return }
            lineBudget += bytes
            note(world.happens { $0.lineRefused() })
            // The connection gets the refusal at once, so the actions that it returns come before the other
            // actions.
            orders = world.takeOrders() + orders
        case .releaseLine(let bytes): lineBudget += bytes
        default: break
        }
    }

    private func answer(_ session: Int, isOpening: Bool = false) {
        if answers.isEmpty { return }
        for line in answers.removeFirst().split(separator: "\n").map(String.init) {
            if session > 0, line.hasPrefix(#"{"type":"opened""#) {
                let id = SessionID(ConnectionID(1), number: session)
                note(world.happens { $0.hubSent(.assignedRoom(id, DocumentID(7))) })
                room(line, to: session)
            } else if isOpening, line.hasPrefix(#"{"type":"error""#) {
                sendAnswer(line)
            } else if session > 0 || line.hasPrefix(#"{"type":"ack""#) {
                room(line, to: session)
                if line.hasPrefix(#"{"type":"closed""#) { end(session) }
            } else {
                sendAnswer(line)
            }
        }
    }

    private func sendAnswer(_ line: String) {
        do {
            let envelope = try #require(try decoder.serverMessage(Array(line.utf8)))
            note(world.happens { $0.hubSent(.answered(envelope)) })
        } catch { Issue.record(error) }
    }

    private func note(_ words: [String]) {
        for word in words {
            if !word.hasPrefix("["), !word.hasPrefix("<") { bytes += word }
            if word.hasPrefix("HTTP/1.1 ") {
                responses.append(WebResponse(word))
            } else if !["[pauseReading]", "[resumeReading]"].contains(word) {
                actions.append(word)
            }
        }
    }
}
