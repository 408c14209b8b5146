import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import Testing

/// A client as a value, its clock, and what happens to it: one line each.
struct ClientTalk {
    private(set) var state: ClientState
    private var now = Moment(milliseconds: 0)
    private var luck = Luck(0)

    static let address = ServerAddress.tcp(host: "example.org", port: 7)

    init(reconnects: Bool = true, kept: [KeptReplica]? = nil) {
        state = ClientState(
            ClientState.Settings(
                address: ClientTalk.address, hello: Hello(client: "client-1"), reconnects: reconnects),
            kept: kept)
    }

    /// One that the server has welcomed.
    static func welcomed(reconnects: Bool = true, kept: [KeptReplica]? = nil) -> ClientTalk {
        var talk = ClientTalk(reconnects: reconnects, kept: kept)
        _ = talk.begin()
        _ = talk.connected()
        _ = talk.hear(ClientTalk.welcome)
        return talk
    }

    static let welcome = ServerMessage.welcome(
        Welcome(unit: .utf16, server: "caret/test", user: "ann", client: "p-1", ping: 20))

    mutating func begin() -> [ClientAction] { happens { [now] in $0.begun(at: now) } }
    mutating func connected() -> [ClientAction] { happens { [now] in $0.connected(at: now) } }

    mutating func hear(_ message: ServerMessage, _ id: RequestID? = nil) -> [ClientAction] {
        hear(Envelope(message, id: id))
    }

    private mutating func hear(_ envelope: Envelope<ServerMessage>) -> [ClientAction] {
        happens { [now, luck] in $0.heard(envelope, at: now, luck) }
    }

    /// A line as it comes from the server.
    mutating func hear(line: String) throws -> [ClientAction] {
        var decoder = MessageDecoder()
        let envelope = try Array(line.utf8).withUnsafeBytes { try decoder.serverMessage($0) }
        return envelope.map { hear($0) } ?? []
    }

    mutating func ask(_ message: ClientMessage) -> [ClientAction] {
        happens { state in
            let number = state.nextNumber()
            return state.asked(message, as: number)
        }
    }

    mutating func cancel(_ number: Int) -> [ClientAction] {
        happens { $0.cancelled(AskNumber(value: number)) }
    }

    mutating func cut(_ reason: CutReason = .ended) -> [ClientAction] {
        happens { [now, luck] in $0.cut(reason, at: now, luck) }
    }

    /// Time goes on by so much, and is told.
    mutating func wait(_ span: Milliseconds) -> [ClientAction] {
        now = now + span
        return happens { [now, luck] in $0.timePassed(at: now, luck) }
    }

    /// A document that the server has not answered for.
    mutating func open(named name: WireString = "notes") -> (key: DocumentKey, actions: [ClientAction]) {
        var key = DocumentKey(value: 0)
        let actions = happens { [now] state in
            let (opened, actions) = state.opened(name, creating: false, mode: .edit, at: now)
            key = opened
            return actions
        }
        return (key, actions)
    }

    mutating func close(_ key: DocumentKey) -> [ClientAction] { happens { $0.closed(key) } }

    /// A document that is open for `notes`, at revision 1.
    mutating func open(_ text: String) -> DocumentKey {
        let (key, _) = open()
        _ = hear(.opened(.text(text, at: 1)), .number(1))
        return key
    }

    mutating func type(_ text: String, in key: DocumentKey) throws -> [ClientAction] {
        try happens { [now] state in
            try state.change(key) { document, ids in
                try document.typed(Change([Edit(0..<0, text)]), at: now, &ids)
            }
        }
    }

    mutating func follow() -> [ClientAction] { happens { $0.followed(Follow(prefix: nil)) } }
    mutating func close() -> [ClientAction] { happens { [now] in $0.closed(at: now) } }

    /// Passes an event to the client and checks that the invariants hold after it.
    private mutating func happens(
        _ event: (inout ClientState) throws -> [ClientAction]
    ) rethrows -> [ClientAction] {
        let actions = try event(&state)
        do { try state.checkInvariants() } catch { Issue.record(error) }
        return actions
    }
}

extension ClientAction {
    static func send(_ message: ClientMessage, _ number: Int) -> ClientAction {
        .send(message, id: .number(number))
    }

    static func wake(_ milliseconds: Int) -> ClientAction { .wake(at: Moment(milliseconds: milliseconds)) }

    static func cut(_ number: Int, _ reason: CutReason = .ended) -> ClientAction {
        .fail(AskNumber(value: number), .connection(.cut(ClientTalk.address, reason: reason.words)))
    }
}
