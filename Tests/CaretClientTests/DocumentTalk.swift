import CaretClient
import CaretCore
import CaretReplica
import CaretWire

/// An open document as a value, its clock, and what happens to it: one line each.
struct DocumentTalk {
    private(set) var state: DocumentState
    private var now = Moment(milliseconds: 0)
    private var ids = RequestIDs()

    init(creating: Bool = false, mode: Mode = .edit) {
        state = DocumentState("notes", creating: creating, mode: mode)
    }

    /// One that has the document open at revision 1.
    static func opened(_ text: String, peers: [CaretWire.Peer] = []) throws -> DocumentTalk {
        var talk = DocumentTalk()
        _ = talk.welcomed()
        _ = talk.hear(.opened(.text(text, at: 1, peers: peers)), .number(1))
        return talk
    }

    mutating func welcomed() -> [DocumentAction] { state.welcomed(at: now, &ids) }
    mutating func cutOff() -> [DocumentAction] { state.cutOff(at: now, &ids) }

    /// Nil where what was said cannot be.
    mutating func hear(_ message: ServerMessage, _ id: RequestID? = nil) -> [DocumentAction]? {
        state.heard(Envelope(message, id: id), at: now, &ids)
    }

    func isMeant(by message: ServerMessage, _ id: RequestID? = nil) -> Bool {
        state.isMeant(by: Envelope(message, id: id))
    }

    /// Time goes on by so much, and is told.
    mutating func wait(_ span: Milliseconds) -> [DocumentAction] {
        now = now + span
        return state.timePassed(at: now, &ids)
    }

    mutating func type(_ start: Offset, _ end: Offset, _ text: String) throws -> [DocumentAction] {
        try state.typed(Change([Edit(start..<end, text)]), at: now, &ids)
    }

    mutating func type(
        _ start: Offset, _ end: Offset, _ text: String, in view: Int
    ) throws -> (Change, [DocumentAction]) {
        try state.typed(Change([Edit(start..<end, text)]), in: view, at: now, &ids)
    }

    mutating func look(in view: Int) throws -> Change { try state.typed(Change(), in: view, at: now, &ids).0 }
    mutating func bind(_ view: Int) { state.bind(view) }
    mutating func unbind(_ view: Int) -> [DocumentAction] { state.unbind(view) }

    mutating func withhold(_ saving: SavingState?, in view: Int) -> [DocumentAction] {
        state.withhold(saving, in: view)
    }

    mutating func select(_ selections: Selection...) throws -> [DocumentAction] {
        try state.selected(selections, at: now, &ids)
    }

    mutating func undo() -> [DocumentAction] { state.undone(at: now, &ids) }
    mutating func redo() -> [DocumentAction] { state.redone(at: now, &ids) }
    mutating func retry() -> [DocumentAction] { state.retried(at: now, &ids) }
    mutating func discard() -> [DocumentAction] { state.discarded(at: now, &ids) }

    mutating func overlong(_ message: ClientMessage) -> [DocumentAction] {
        state.overlong(message, at: now, &ids)
    }

    var text: String { state.replica.text.string }
}

extension CaretWire.Opened {
    static func text(
        _ text: String, at revision: Revision, peers: [CaretWire.Peer] = [], own: CaretWire.OwnPush? = nil
    ) -> CaretWire.Opened {
        CaretWire.Opened(
            document: "notes", epoch: "e", revision: revision, content: .text(WireString(text)),
            rights: .write, newline: .lf, peers: peers, own: own)
    }

    static func resumed(at revision: Revision) -> CaretWire.Opened {
        CaretWire.Opened(
            document: "notes", epoch: "e", revision: revision, content: .resumed, rights: .write,
            newline: .lf)
    }
}

extension CaretWire.Peer {
    static func named(_ name: String, _ selections: WireSelection...) -> CaretWire.Peer {
        CaretWire.Peer(
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
                CaretWire.Push(
                    document: "notes", epoch: "e", base: base, seq: seq,
                    content: .edits([WireEdit(WireRange(start, end), text)]))), id: nil)
    }

    static func edited(
        _ start: Offset, _ end: Offset, _ text: String, selections: Selection...
    ) throws -> DocumentAction {
        .tell(.edited(try Change([Edit(start..<end, text)]), selections: selections))
    }
}
