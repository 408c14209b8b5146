import CaretClient
import CaretCore
import CaretReplica
import CaretWire

/// A client as a value, its clock, and what happens to it: one line each.
struct ClientTalk {
    private(set) var state: ClientState
    private var now = Moment(milliseconds: 0)
    private var luck = Luck(0)

    static let address = ServerAddress.tcp(host: "example.org", port: 7)

    init(reconnects: Bool = true) {
        state = ClientState(
            ClientState.Settings(
                address: ClientTalk.address, hello: Hello(client: "client-1"), reconnects: reconnects))
    }

    /// One that the server has welcomed.
    static func welcomed(reconnects: Bool = true) -> ClientTalk {
        var talk = ClientTalk(reconnects: reconnects)
        _ = talk.begin()
        _ = talk.connected()
        _ = talk.hear(ClientTalk.welcome)
        return talk
    }

    static let welcome = ServerMessage.welcome(
        Welcome(unit: .utf16, server: "caret/test", user: "ann", client: "p-1", ping: 20))

    mutating func begin() -> [ClientAction] { state.begun(at: now) }
    mutating func connected() -> [ClientAction] { state.connected(at: now) }

    mutating func hear(_ message: ServerMessage, _ id: RequestID? = nil) -> [ClientAction] {
        state.heard(Envelope(message, id: id), at: now, luck)
    }

    /// A line as it comes from the server.
    mutating func hear(line: String) throws -> [ClientAction] {
        var decoder = MessageDecoder()
        let envelope = try Array(line.utf8).withUnsafeBytes { try decoder.serverMessage($0) }
        return envelope.map { state.heard($0, at: now, luck) } ?? []
    }

    mutating func ask(_ message: ClientMessage) -> [ClientAction] {
        let number = state.nextNumber()
        return state.asked(message, as: number)
    }

    mutating func cancel(_ number: Int) -> [ClientAction] { state.cancelled(AskNumber(value: number)) }
    mutating func cut(_ reason: CutReason = .ended) -> [ClientAction] { state.cut(reason, at: now, luck) }

    /// Time goes on by so much, and is told.
    mutating func wait(_ span: Milliseconds) -> [ClientAction] {
        now = now + span
        return state.timePassed(at: now, luck)
    }

    /// A document that is open for `notes`, at revision 1.
    mutating func open(_ text: String) -> DocumentKey {
        let (key, _) = state.opened("notes", creating: false, mode: .edit, at: now)
        _ = hear(.opened(.text(text, at: 1)), .number(1))
        return key
    }

    mutating func type(_ text: String, in key: DocumentKey) throws -> [ClientAction] {
        try state.change(key) { [now] document, ids in
            try document.typed(Change([Edit(0..<0, text)]), at: now, &ids)
        }
    }

    mutating func follow() -> [ClientAction] { state.followed(Follow(prefix: nil)) }
    mutating func close() -> [ClientAction] { state.closed(at: now) }
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
