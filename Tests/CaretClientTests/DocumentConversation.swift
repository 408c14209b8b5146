import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import Testing

/// The state of an open document in a test, with its clock. Each event is one call, which returns the
/// actions.
struct DocumentConversation {
    private(set) var state: DocumentState
    private var now = Moment(milliseconds: 0)
    private var ids = RequestIDs()

    init(creating: Bool = false, mode: DocumentMode = .edit) {
        state = DocumentState("notes", creating: creating, mode: mode)
    }

    /// A document that is open at revision 1.
    static func opened(_ text: String, peers: [Peer] = []) throws -> DocumentConversation {
        var talk = DocumentConversation()
        _ = talk.welcomed()
        _ = talk.receive(.opened(.text(text, at: 1, peers: peers)), .number(1))
        return talk
    }

    mutating func welcomed() -> [DocumentAction] { handle { [now] in $0.welcomed(at: now, &$1) } }
    mutating func disconnect() -> [DocumentAction] { handle { [now] in $0.disconnected(at: now, &$1) } }

    /// Returns nil if the message contains an invalid text or edit.
    mutating func receive(_ message: ServerMessage, _ id: RequestID? = nil) -> [DocumentAction]? {
        handle { [now] in $0.received(Envelope(message, id: id), at: now, &$1) }
    }

    func isAddressed(by message: ServerMessage, _ id: RequestID? = nil) -> Bool {
        state.isAddressed(by: Envelope(message, id: id))
    }

    /// Advances the clock, and passes the time to the document.
    mutating func wait(_ span: Milliseconds) -> [DocumentAction] {
        now = now + span
        return handle { [now] in $0.timePassed(at: now, &$1) }
    }

    mutating func type(_ start: Offset, _ end: Offset, _ text: String) throws -> [DocumentAction] {
        try handle { [now] in try $0.typed(Change([Edit(start..<end, text)]), at: now, &$1) }
    }

    mutating func type(
        _ start: Offset, _ end: Offset, _ text: String, in view: Int
    ) throws -> (Change, [DocumentAction]) {
        try handle { [now] in try $0.typed(Change([Edit(start..<end, text)]), in: view, at: now, &$1) }
    }

    mutating func look(in view: Int) throws -> Change {
        try handle { [now] in try $0.typed(Change(), in: view, at: now, &$1).0 }
    }

    mutating func bind(_ view: Int) { handle { state, _ in state.bind(view) } }
    mutating func unbind(_ view: Int) -> [DocumentAction] { handle { state, _ in state.unbind(view) } }

    mutating func setUnaccepted(_ saving: SavingState?, in view: Int) -> [DocumentAction] {
        handle { state, _ in state.setUnaccepted(saving, in: view) }
    }

    mutating func select(_ selections: Selection...) throws -> [DocumentAction] {
        try handle { [now] in try $0.selected(selections, at: now, &$1) }
    }

    mutating func undo() -> [DocumentAction] { handle { [now] in $0.undone(at: now, &$1) } }
    mutating func redo() -> [DocumentAction] { handle { [now] in $0.redone(at: now, &$1) } }
    mutating func retry() -> [DocumentAction] { handle { [now] in $0.retried(at: now, &$1) } }
    mutating func discard() -> [DocumentAction] { handle { [now] in $0.discarded(at: now, &$1) } }

    mutating func lineTooLong(_ message: ClientMessage) -> [DocumentAction] {
        handle { [now] in $0.lineTooLong(message, at: now, &$1) }
    }

    /// Passes an event to the document, and checks its invariants afterwards.
    private mutating func handle<Answer>(
        _ event: (inout DocumentState, inout RequestIDs) throws -> Answer
    ) rethrows -> Answer {
        let answer = try event(&state, &ids)
        do { try state.checkInvariants() } catch { Issue.record(error) }
        return answer
    }

    var text: String { state.replica.text.string }
}

extension Opened {
    static func text(
        _ text: String, at revision: Revision, peers: [Peer] = [], own: OwnPush? = nil
    ) -> Opened {
        Opened(
            document: "notes", epoch: "e", revision: revision, content: .text(WireString(text)),
            rights: .write, newline: .lf, peers: peers, own: own)
    }

    static func resumed(at revision: Revision) -> Opened {
        Opened(
            document: "notes", epoch: "e", revision: revision, content: .resumed, rights: .write,
            newline: .lf)
    }
}

extension Peer {
    static func named(_ name: String, _ selections: WireSelection...) -> Peer {
        Peer(
            session: WireString("s-\(name)"), introduction: .named(name), selections: selections)
    }
}

extension Introduction {
    static func named(_ name: String) -> Introduction {
        Introduction(
            user: WireString(name), client: WireString("c-\(name)"), info: PersonInfo(name: name).info)
    }
}

extension DocumentAction {
    static func open(_ number: Int, from revision: Revision? = nil, creating: Bool = false) -> DocumentAction
    {
        let resume = revision.map { WirePosition(epoch: "e", revision: $0) }
        return .send(
            .open(Open(document: "notes", create: creating, resume: resume)), id: .number(number))
    }

    static func push(_ seq: Int, base: Revision, _ start: Int, _ end: Int, _ text: WireString)
        -> DocumentAction
    {
        .send(
            .push(
                Push(
                    document: "notes", epoch: "e", base: base, seq: seq,
                    content: .edits([WireEdit(WireRange(start, end), text)]))), id: nil)
    }

    static func edited(
        _ start: Offset, _ end: Offset, _ text: String, selections: Selection...
    ) throws -> DocumentAction {
        .notify(.edited(try Change([Edit(start..<end, text)]), selections: selections))
    }
}
