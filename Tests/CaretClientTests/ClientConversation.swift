import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import Testing

/// A client state in a test, with its clock. Each event is one call, which returns the client's actions.
struct ClientConversation {
    private(set) var state: ClientState
    private var now = Moment(milliseconds: 0)
    private var jitter = Jitter(0)
    /// The number of the newest question to the app for a token.
    private(set) var newestQuestion = 0

    static let address = ServerAddress.tcp(host: "example.org", port: 7)

    init(
        servers: [ServerAddress] = [address], reconnects: Bool = true, ownsID: Bool = false,
        store: WireString? = nil, token: WireString? = nil, fetchesTokens: Bool = false,
        user: WireString? = nil,
        unsaved: [UnsavedDocument]? = nil
    ) {
        state = ClientState(
            ClientState.Settings(
                rotation: ServerRotation(servers), hello: Hello(client: "client-1", token: token),
                reconnects: reconnects,
                ownsID: ownsID, store: store, fetchesTokens: fetchesTokens, user: user),
            unsaved: unsaved)
    }

    /// A client that the server has welcomed.
    static func welcomed(
        by servers: [ServerAddress] = [address], reconnects: Bool = true, ownsID: Bool = false,
        unsaved: [UnsavedDocument]? = nil
    ) -> ClientConversation {
        var talk = ClientConversation(
            servers: servers, reconnects: reconnects, ownsID: ownsID, unsaved: unsaved)
        _ = talk.start()
        _ = talk.connected()
        _ = talk.receive(ClientConversation.welcome)
        return talk
    }

    static let welcome = ServerMessage.welcome(
        Welcome(unit: .utf16, server: "caret/test", user: "ann", client: "p-1", ping: 20))

    mutating func start() -> [ClientAction] { handle { [now] in $0.started(at: now) } }
    /// The app answers a question, by default the newest one.
    mutating func fetched(_ answer: FetchedToken, to question: Int? = nil) -> [ClientAction] {
        handle { [now, jitter, newestQuestion] in
            $0.fetched(answer, to: question ?? newestQuestion, at: now, jitter)
        }
    }
    mutating func connected() -> [ClientAction] { handle { [now] in $0.connected(at: now) } }

    mutating func receive(_ message: ServerMessage, _ id: RequestID? = nil) -> [ClientAction] {
        receive(Envelope(message, id: id))
    }

    private mutating func receive(_ envelope: Envelope<ServerMessage>) -> [ClientAction] {
        handle { [now, jitter] in $0.received(envelope, at: now, jitter) }
    }

    /// Passes a line from the server to the client.
    mutating func receive(line: String) throws -> [ClientAction] {
        var decoder = MessageDecoder()
        let envelope = try Array(line.utf8).withUnsafeBytes { try decoder.serverMessage($0) }
        return envelope.map { receive($0) } ?? []
    }

    mutating func request(_ message: ClientMessage) -> [ClientAction] {
        handle { state in
            let number = state.nextNumber()
            return state.requested(message, as: number)
        }
    }

    mutating func cancel(_ number: Int) -> [ClientAction] {
        handle { $0.cancelled(RequestNumber(value: number)) }
    }

    mutating func disconnect(_ reason: DisconnectReason = .ended) -> [ClientAction] {
        handle { [now, jitter] in $0.disconnected(reason, at: now, jitter) }
    }

    /// Advances the clock, and passes the time to the client.
    mutating func wait(_ span: Milliseconds) -> [ClientAction] {
        now = now + span
        return handle { [now, jitter] in $0.timePassed(at: now, jitter) }
    }

    /// Opens a document. The server does not answer: a test passes the answer to `receive`.
    mutating func open(
        named name: WireString = "notes", creating: Bool = false
    ) -> (key: DocumentKey, actions: [ClientAction]) {
        var key = DocumentKey(value: 0)
        let actions = handle { [now] state in
            do throws(ServerRefusal) {
                let (opened, actions) = try state.opened(name, creating: creating, mode: .edit, at: now)
                key = opened
                return actions
            } catch {
                Issue.record(error)
                return []
            }
        }
        return (key, actions)
    }

    mutating func close(_ key: DocumentKey) -> [ClientAction] { handle { $0.closed(key) } }

    /// Opens `notes`, and passes the server's answer: this text at revision 1.
    mutating func open(_ text: String) -> DocumentKey {
        let (key, _) = open()
        _ = receive(.opened(.text(text, at: 1)), .number(1))
        return key
    }

    mutating func type(_ text: String, in key: DocumentKey) throws -> [ClientAction] {
        try handle { [now] state in
            try state.change(key) { document, ids in
                try document.typed(Change([Edit(0..<0, text)]), at: now, &ids)
            }
        }
    }

    mutating func retry(_ key: DocumentKey) -> [ClientAction] {
        handle { [now] state in state.change(key) { $0.retried(at: now, &$1) } }
    }

    mutating func notKept(_ key: DocumentKey, _ fault: UnsavedEditsFault) -> [ClientAction] {
        handle { [now] in $0.notKept(key, fault, at: now) }
    }

    mutating func writeFile(of key: DocumentKey) { _ = state.nextFileAction(for: key) }

    mutating func kept(_ key: DocumentKey) -> [ClientAction] { handle { $0.kept(key) } }

    mutating func discard(_ key: DocumentKey) -> [ClientAction] {
        handle { [now] state in state.change(key) { $0.discarded(at: now, &$1) } }
    }

    mutating func follow() -> [ClientAction] { handle { $0.followed(Follow(prefix: nil)) } }
    mutating func close() -> [ClientAction] { handle { [now] in $0.closed(at: now) } }

    /// Passes an event to the client, and checks its invariants afterwards.
    private mutating func handle(
        _ event: (inout ClientState) throws -> [ClientAction]
    ) rethrows -> [ClientAction] {
        let actions = try event(&state)
        do { try state.checkInvariants() } catch { Issue.record(error) }
        for case .fetchToken(let question) in actions { newestQuestion = question }
        return actions
    }
}

extension ClientAction {
    static func send(_ message: ClientMessage, _ number: Int) -> ClientAction {
        .send(message, id: .number(number))
    }

    /// An attempt to connect to the only server.
    static let attempt = ClientAction.connect(to: ClientConversation.address, within: 10_000)

    static func wake(_ milliseconds: Int) -> ClientAction { .wake(at: Moment(milliseconds: milliseconds)) }

    static func lost(_ number: Int, _ reason: DisconnectReason = .ended) -> ClientAction {
        .fail(
            RequestNumber(value: number),
            .connection(.lost(ClientConversation.address, reason: reason.explanation))
        )
    }
}
