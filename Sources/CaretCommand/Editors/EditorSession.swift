import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import Synchronization

/// Keeps the text of an editor and an open document in sync, by lines on standard input and output.
final class EditorSession: Sendable {
    private struct State {
        var view: LateView
        var peers: [DocumentPeer] = []
        /// The editor drops peers that were sent before its last change arrived, so they are sent again.
        var hasSentPeers = false
        var announced: (state: SavingState, message: String)?
    }

    private let document: LiveDocument
    private let number: Int
    private let unit: EditorUnit
    /// Whether unsaved edits are kept on this machine.
    private let keeping: Bool
    private let output: Output
    private let state: Mutex<State>

    init(_ document: LiveDocument, unit: EditorUnit, keeping: Bool, _ output: Output) {
        (self.document, self.unit, self.keeping, self.output) = (document, unit, keeping, output)
        number = document.nextViewNumber()
        let text = document.bind(number)
        state = Mutex(State(view: LateView(text)))
        put([
            ("type", .text("opened")), ("name", .text(document.name)),
            ("text", .text(EditorText(text, in: unit).shownText)),
        ])
    }

    deinit { document.unbind(number) }

    // MARK: From the document

    /// Sends what has changed in the document since the last call.
    func update() throws {
        try state.withLock { try update(&$0) }
    }

    func renamed(_ name: String) { put([("type", .text("renamed")), ("name", .text(name))]) }

    /// Says why the server cannot be reached, and that it can be reached again.
    func connectionChanged() { state.withLock { announceState(&$0) } }

    private func update(_ state: inout State) throws {
        if state.view.update == nil {
            try send(state.view.show(document.typed(Change(), in: number)), state.view.text)
        }
        if state.view.update == nil, let peers = document.peers(for: number) {
            try send(peers, &state)
        }
        announceState(&state)
    }

    private func announceState(_ state: inout State) {
        let saving = document.state
        let fault = keeping ? document.keepingFault?.description : "there is no folder for them"
        var message = saving.sentence
        if saving == .offline, let reason = document.connectionFault { message += " (\(reason))" }
        if let fault { message += "; edits cannot be kept on this machine: \(fault)" }
        if let announced = state.announced, announced == (saving, message) { return }
        state.announced = (saving, message)
        put([
            ("type", .text("state")), ("state", .text(saving.word)), ("kept", .bool(fault == nil)),
            ("message", .text(message)),
        ])
    }

    private func send(_ update: LateView.Update?, _ text: TextBuffer) throws {
        guard let update else { return }
        put([
            ("type", .text("changed")), ("number", .number(update.number)), ("after", .number(update.after)),
            ("edits", try EditorText(text, in: unit).json(update.change)),
        ])
    }

    private func send(_ peers: [DocumentPeer], _ state: inout State) throws {
        if state.hasSentPeers, peers == state.peers { return }
        if peers.isEmpty, state.peers.isEmpty { return }
        let text = EditorText(state.view.text, in: unit)
        let list = try peers.map { peer in
            try JSON.object([
                "session": .text(peer.session), "name": .text(peer.person?.name ?? peer.user),
                "color": peer.person?.color.map { .text($0) } ?? .null,
                "selections": .list(peer.selections.map { try text.json($0) }),
            ])
        }
        (state.peers, state.hasSentPeers) = (peers, true)
        put([
            ("type", .text("peers")), ("number", .number(state.view.lastNumber)),
            ("after", .number(state.view.arrived)), ("peers", .list(list)),
        ])
    }

    // MARK: From the editor

    func received(_ message: EditorMessage) throws {
        switch message {
        case .change(let change, let seen): try entered(change, seen: seen)
        case .applied(let number):
            try state.withLock { state in
                try state.view.check(number)
                try state.view.applied(number)
                try update(&state)
            }
        case .select(let selections):
            try state.withLock { state in
                let text = EditorText(state.view.text, in: unit)
                let mapped = state.view.mapped(try selections.map { try text.selection($0) })
                try document.select(mapped, in: number)
            }
        case .undo: document.undo()
        case .redo: document.redo()
        // The caller waits until everything is saved, and meanwhile handles more messages.
        case .save: break
        }
    }

    private func entered(_ change: EditorChange, seen: Int) throws {
        try state.withLock { state in
            try state.view.check(seen)
            try state.view.applied(seen)
            let entered = try EditorText(state.view.text, in: unit).entered(change)
            let next = try state.view.entered(entered.change, correction: entered.lineFeeds, seen: seen) {
                try document.typed($0, in: number)
            }
            state.hasSentPeers = false
            try send(next, state.view.text)
            try update(&state)
        }
    }

    func saved() { put([("type", .text("saved")), ("revision", .number(document.revision.value))]) }

    func failed(_ failure: Failure) {
        let advice = failure.advice.map { "; \($0)" } ?? ""
        put([("type", .text("error")), ("message", .text(failure.message + advice))])
    }

    private func put(_ members: [(String, JSON)]) {
        output.write(JSON.object(members.map { (key: $0, value: $1) }).line + "\n")
        // `CommandRun` reports a failed write at the end.
        _ = output.flush()
    }
}

extension LateView {
    /// Refuses the number of a change that was not sent.
    fileprivate func check(_ number: Int) throws {
        if number <= lastNumber { return }
        throw EditorText.Fault(
            description: "the change \(number) was not sent; the last one is \(lastNumber)")
    }
}

extension SavingState {
    fileprivate var word: String {
        switch self {
        case .saved: "saved"
        case .sending: "sending"
        case .opening: "opening"
        case .offline: "offline"
        case .refused: "refused"
        }
    }

    fileprivate var sentence: String {
        switch self {
        case .saved: "all edits are saved on the server"
        case .sending: "edits are on their way to the server"
        case .opening: "the text has not arrived yet"
        case .offline: "the server cannot be reached; edits are saved when it is back"
        case .refused(let refusal): refusal.sentence
        }
    }
}
