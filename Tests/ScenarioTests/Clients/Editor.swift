import CaretCore
import CaretReplica
import CaretWire
import TestSupport

/// A person with a text view and a replica for each document. Replicas count in UTF-16, so the editor
/// converts their pushes to the unit of the connection.
final class Editor: Program {
    unowned let machine: Machine
    let mode: DocumentMode
    var documents: [EditorDocument?] = Plan.names.map { _ in nil }
    /// For each document name, the first seq of its next `EditorDocument`. No two pushes of a client may have
    /// the same seq.
    var firstSeqs: [Int64] = Plan.names.indices.map { Int64($0) * 1_000_000 + 1 }
    /// How often `look` has run.
    var looks = 0

    init(_ machine: Machine, _ mode: DocumentMode) {
        self.machine = machine
        self.mode = mode
    }

    var world: World { machine.world }

    // MARK: The connection

    func welcomed() { forAll { $0.replica.connected() } }

    func lost() {
        for at in documents.indices { documents[at]?.lastOpen = nil }
        forAll(.disconnected) { $0.replica.disconnected() }
    }

    private func forAll(
        _ cause: ReplicaTransition.Cause = .other, _ body: (inout EditorDocument) -> [ReplicaAction]
    ) {
        for at in documents.indices where documents[at] != nil { change(at, cause, body) }
    }

    /// Applies an event to a document, runs the actions of its replica, and checks the result.
    func change(
        _ at: Int, _ cause: ReplicaTransition.Cause = .other,
        _ body: (inout EditorDocument) -> [ReplicaAction]
    ) {
        guard var document = documents[at] else { return }
        // Takes the document out of the array, so that changing it makes no copy.
        documents[at] = nil
        let inFlight = document.replica.inFlight?.push.seq
        let inText = cause.pushInText(for: document.replica)
        let move = ExpectedUnsentEdits(cause, document.replica)
        let actions = world.fault.changesReplicas ? runWithFault(&document, cause, body) : body(&document)
        if let move, !move.isMade(in: document.replica) {
            world.fail(
                .client,
                "client \(machine.index) does not rebase its unsent edits over a change by another client")
        }
        if let inFlight, inText == inFlight, document.replica.inFlight?.push.seq == inFlight {
            world.fail(
                .client, "client \(machine.index) keeps a push in flight that the received text contains")
        }
        do throws(BrokenInvariant) { try document.replica.checkInvariants() } catch {
            world.fail(.invariant, "client \(machine.index): \(error.law)")
        }
        let isKept = run(actions, &document, at, isUndo: cause.isUndo)
        document.handlesWrongCheck = false
        if actions.contains(.close), !cause.mayReopen(inFlight: inFlight) {
            world.fail(.client, "client \(machine.index) reopens \(document.name) without a reason")
        }
        if !isKept { return }
        look(at: document, closely: cause.bringsText)
        documents[at] = document
    }

    /// Runs an event, and lets a planted fault change its result.
    private func runWithFault(
        _ document: inout EditorDocument, _ cause: ReplicaTransition.Cause,
        _ body: (inout EditorDocument) -> [ReplicaAction]
    ) -> [ReplicaAction] {
        let before = document.replica
        let actions = body(&document)
        var transition = ReplicaTransition(
            cause: cause, before: before, replica: document.replica, actions: actions)
        world.fault.change(&transition)
        document.replica = transition.replica
        return transition.actions
    }

    // MARK: The user

    func perform(_ operation: ClientOperation) {
        switch operation {
        case .opens(let at): begin(at)
        case .types(let at, let typings): type(at, typings)
        case .selects(let at, let places):
            change(at) { document in
                let most = places.prefix(world.limits.announced.selections)
                return (try? document.replica.selected(document.replica.text.selections(Array(most)))) ?? []
            }
        case .undoes(let at): undo(at) { $0.undo() }
        case .redoes(let at): undo(at) { $0.redo() }
        case .isRefused(let at, let code): documents[at]?.nextRefusal = code
        case .hearsWrongCheck(let at): receiveWrongCheck(at)
        case .reloads: reload()
        case .retries(let at): retry(at)
        case .discards(let at):
            change(at) { document in
                document.markers = []
                return document.replica.discard()
            }
        case .repeats(let at): repeatPush(at)
        case .reuses(let at): reuse(at)
        case .reads(let at, _):
            if let document = documents[at] { ask(.read(Read(document: document.name))) }
        case .looksBack(let at, let share):
            guard let document = documents[at] else { return }
            let after = Revision((document.replica.position?.revision.value ?? 0) * share / 1_000)
            ask(.history(History(document: document.name, after: .revision(after), wantsEdits: true)))
        case .restarts: for at in documents.indices where documents[at] != nil { restart(at) }
        default: break
        }
    }

    /// Sends a request. The editor ignores the answer, but the referee checks it.
    private func ask(_ message: ClientMessage) {
        if machine.isWelcomed { machine.send(message, isAnswered: true) }
    }

    private func begin(_ at: Int) {
        if documents[at] != nil { return retry(at) }
        if isShown(Names.documents[at]) { return }
        var document = EditorDocument(Names.documents[at], firstSeq: Seq(firstSeqs[at]), mode)
        document.creates = mode == .edit
        documents[at] = document
        if machine.isWelcomed { change(at) { $0.replica.connected() } }
    }

    private func isShown(_ name: WireString) -> Bool { documents.contains { $0?.name == name } }

    private func type(_ at: Int, _ typings: [Typing]) {
        if mode == .watch { return }
        if documents[at] == nil { begin(at) }
        let most = world.limits.announced.document * 3 / 4
        change(at) { document in
            let text = document.replica.text
            var change = typings.change(in: text)
            if text.length.utf8 > most {
                change = [Typing(place: 0, removed: text.length.scalars / 2, text: "")].change(in: text)
            }
            note(change, in: text, &document)
            let pause = document.lastTyped.map { Milliseconds(Int(world.now - $0) / 1_000) }
            document.lastTyped = world.now
            guard document.show(change, isOwn: true),
                let actions = try? document.replica.typed(change, after: pause)
            else {
                world.fail(.client, "a typed edit does not fit the view")
                return []
            }
            return actions
        }
    }

    /// Records a change that the user makes.
    func note(_ change: Change, in text: TextBuffer, _ document: inout EditorDocument) {
        for edit in change.edits {
            if let removed = try? text.slice(edit.range) {
                document.markers.subtract(Markers.found(in: removed))
            }
        }
        document.unrebasedEdits = try? (document.unrebasedEdits ?? Change()).composed(with: change)
        document.markers.formUnion(Markers.found(in: change))
    }

    /// Opens the document again. If the last answer was `not_found`, tries the name in the plan, because the
    /// document may have been renamed since.
    private func retry(_ at: Int) {
        change(at) { document in
            if case .refused(.notFound) = document.state {
                let name = Names.documents[at]
                if document.name == name || !isShown(name) { document.name = name }
                document.creates = mode == .edit
            }
            return document.replica.retry()
        }
    }

    /// Sends the last push again, unless the server might refuse one copy and later accept another copy.
    /// After a refusal the client might push the same edits with another seq. Then the edits would be
    /// committed twice.
    private func repeatPush(_ at: Int) {
        guard let document = documents[at], let push = document.pushed, push.seq != document.refusedSeq else {
            return
        }
        let isCommitted =
            world.referee.ledger.commits[Ledger.PushKey(client: machine.index, seq: Int64(push.seq))] != nil
        let isAwaited = document.replica.inFlight?.outcome == .awaited && !world.plan.changesRights
        if isCommitted || isAwaited { send(push) }
    }

    private func reuse(_ at: Int) {
        guard let document = documents[at], document.replica.inFlight == nil, var push = document.pushed
        else { return }
        // The server does not remember a push that changed nothing, so it would accept another push with this
        // seq.
        let key = Ledger.PushKey(client: machine.index, seq: Int64(push.seq))
        if world.referee.ledger.commits[key] == nil { return }
        push.content = .edits([WireEdit(WireRange(0, 0), "!")])
        send(push)
    }

    private func restart(_ at: Int) {
        guard let old = documents[at] else { return }
        let isOpen = machine.isWelcomed
        firstSeqs[at] = max(firstSeqs[at], old.replica.nextSeq.value)
        if isOpen { machine.send(.close(Close(document: old.name)), isAnswered: true) }
        documents[at] = nil
        var document = EditorDocument(old.name, firstSeq: old.replica.nextSeq, mode)
        document.creates = old.creates
        documents[at] = document
        if isOpen { change(at) { $0.replica.connected() } }
    }

    // MARK: Actions of the replica

    /// Runs the actions of the replica. Returns false if the document must be dropped.
    private func run(_ actions: [ReplicaAction], _ document: inout EditorDocument, _ at: Int, isUndo: Bool)
        -> Bool
    {
        for action in actions {
            switch action {
            case .open(let place, let mode): open(place, mode, &document)
            case .close: machine.send(.close(Close(document: document.name)), isAnswered: true)
            case .push(let push): self.push(push, &document, at)
            case .select(let revision, let selections):
                let said = document.replica.committed.wire(selections, in: machine.unit)
                let select = Select(document: document.name, revision: revision, selections: said)
                machine.send(.select(select), isAnswered: false)
            case .reportDivergence(let revision):
                if !document.handlesWrongCheck { reportDivergence(at: revision, document) }
            case .retry(let span): retryLater(span, &document, at)
            case .edit(let change): show(change, &document, isUndo: isUndo)
            case .showPeers: break
            case .show(let state): document.state = state
            case .rename(let name):
                // A client must not have two views of one document.
                if isShown(name) { return false }
                document.name = name
            }
        }
        return true
    }

    private func reportDivergence(at revision: Revision, _ document: EditorDocument) {
        world.fail(
            .check, "client \(machine.index) finds that its text is wrong at revision \(revision.value)")
        machine.send(.diverged(Diverged(document: document.name, revision: revision)), isAnswered: false)
    }

    private func show(_ change: Change, _ document: inout EditorDocument, isUndo: Bool) {
        if isUndo, !document.removesOnlyOwn(change) {
            return world.fail(.client, "client \(machine.index) undoes text of another client")
        }
        if !document.show(change, isOwn: isUndo) { world.fail(.client, "an edit does not fit the view") }
    }

    private func open(_ place: WirePosition?, _ mode: DocumentMode, _ document: inout EditorDocument) {
        let open = Open(
            document: document.name, create: document.creates, resume: place,
            mode: mode == .edit ? .edit : .watch,
            squash: mode == .watch)
        document.lastOpen = machine.send(.open(open), isAnswered: true)
    }

    private func push(_ push: SentPush, _ document: inout EditorDocument, _ at: Int) {
        let isNew =
            document.pushed?.seq != Int(push.seq.value) || document.pushed?.base != push.position.revision
        if !isNew {
            document.pushed?.document = document.name
            document.refusedSeq = nil
            world.referee.counts.resends += 1
        } else {
            if push.position != document.replica.position {
                world.fail(.client, "a new push is not based on the current position")
            }
            let committed = document.replica.committed
            let change = world.fault.change(push.change, unrebasedEdits: document.unrebasedEdits)
            document.unrebasedEdits = nil
            guard
                (try? committed.applying(change))
                    == (try? committed.applying(document.replica.draft.inFlight))
            else {
                return world.fail(.client, "client \(machine.index) pushes other edits than it shows")
            }
            let edits = committed.wire(change, in: machine.unit)
            document.pushed = Push(
                document: document.name, epoch: push.position.epoch, base: push.position.revision,
                seq: Int(push.seq.value), content: .edits(edits))
        }
        if isNew, let code = document.nextRefusal { return refusePush(by: code, &document, at) }
        if let pushed = document.pushed { send(pushed) }
    }

    private func send(_ push: Push) {
        if machine.isWelcomed { machine.send(.push(push), isAnswered: true) }
    }

    private func retryLater(_ span: Milliseconds, _ document: inout EditorDocument, _ at: Int) {
        document.retry += 1
        let retry = document.retry
        world.after(Int64(span.value) * 1_000) { [unowned self] in
            if documents[at]?.retry == retry { change(at) { $0.replica.timePassed() } }
        }
    }
}
