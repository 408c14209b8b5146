import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import Testing

/// An open document as a value, its clock, and what happens to it: one line each.
struct DocumentTalk {
    private(set) var state: DocumentState
    private var now = Moment(milliseconds: 0)
    private var ids = RequestIDs()

    init(creating: Bool = false, mode: DocumentMode = .edit) {
        state = DocumentState("notes", creating: creating, mode: mode)
    }

    /// One that has the document open at revision 1.
    static func opened(_ text: String, peers: [Peer] = []) throws -> DocumentTalk {
        var talk = DocumentTalk()
        _ = talk.welcomed()
        _ = talk.hear(.opened(.text(text, at: 1, peers: peers)), .number(1))
        return talk
    }

    mutating func welcomed() -> [DocumentAction] { happens { [now] in $0.welcomed(at: now, &$1) } }
    mutating func cutOff() -> [DocumentAction] { happens { [now] in $0.cutOff(at: now, &$1) } }

    /// Nil where what was said cannot be.
    mutating func hear(_ message: ServerMessage, _ id: RequestID? = nil) -> [DocumentAction]? {
        happens { [now] in $0.heard(Envelope(message, id: id), at: now, &$1) }
    }

    func isMeant(by message: ServerMessage, _ id: RequestID? = nil) -> Bool {
        state.isMeant(by: Envelope(message, id: id))
    }

    /// Time goes on by so much, and is told.
    mutating func wait(_ span: Milliseconds) -> [DocumentAction] {
        now = now + span
        return happens { [now] in $0.timePassed(at: now, &$1) }
    }

    mutating func type(_ start: Offset, _ end: Offset, _ text: String) throws -> [DocumentAction] {
        try happens { [now] in try $0.typed(Change([Edit(start..<end, text)]), at: now, &$1) }
    }

    mutating func type(
        _ start: Offset, _ end: Offset, _ text: String, in view: Int
    ) throws -> (Change, [DocumentAction]) {
        try happens { [now] in try $0.typed(Change([Edit(start..<end, text)]), in: view, at: now, &$1) }
    }

    mutating func look(in view: Int) throws -> Change {
        try happens { [now] in try $0.typed(Change(), in: view, at: now, &$1).0 }
    }

    mutating func bind(_ view: Int) { happens { state, _ in state.bind(view) } }
    mutating func unbind(_ view: Int) -> [DocumentAction] { happens { state, _ in state.unbind(view) } }

    mutating func withhold(_ saving: SavingState?, in view: Int) -> [DocumentAction] {
        happens { state, _ in state.withhold(saving, in: view) }
    }

    mutating func select(_ selections: Selection...) throws -> [DocumentAction] {
        try happens { [now] in try $0.selected(selections, at: now, &$1) }
    }

    mutating func undo() -> [DocumentAction] { happens { [now] in $0.undone(at: now, &$1) } }
    mutating func redo() -> [DocumentAction] { happens { [now] in $0.redone(at: now, &$1) } }
    mutating func retry() -> [DocumentAction] { happens { [now] in $0.retried(at: now, &$1) } }
    mutating func discard() -> [DocumentAction] { happens { [now] in $0.discarded(at: now, &$1) } }

    mutating func overlong(_ message: ClientMessage) -> [DocumentAction] {
        happens { [now] in $0.overlong(message, at: now, &$1) }
    }

    /// Passes an event to the document and checks that the invariants hold after it.
    private mutating func happens<Answer>(
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
            user: WireString(name), client: WireString("c-\(name)"), info: Person(name: name).info)
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
        .tell(.edited(try Change([Edit(start..<end, text)]), selections: selections))
    }
}
