import CaretCore
import CaretReplica
import CaretWire
import TestSupport

/// A person with a text view and a replica for each document. Replicas count in UTF-16, so the editor
/// converts their pushes to the unit of the connection.
final class Editor: Program {
    unowned let machine: Machine
    let mode: DocumentMode
    var sheets: [EditorDocument?] = Plan.names.map { _ in nil }
    /// For each document name, the first seq of its next sheet. No two pushes of a client may have the same
    /// seq.
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
        for at in sheets.indices { sheets[at]?.lastOpen = nil }
        forAll(.cutOff) { $0.replica.disconnected() }
    }

    private func forAll(
        _ cause: ReplicaTransition.Cause = .other, _ body: (inout EditorDocument) -> [ReplicaAction]
    ) {
        for at in sheets.indices where sheets[at] != nil { change(at, cause, body) }
    }

    /// Applies an event to a sheet, runs the actions of its replica, and checks the result.
    func change(
        _ at: Int, _ cause: ReplicaTransition.Cause = .other,
        _ body: (inout EditorDocument) -> [ReplicaAction]
    ) {
        guard var sheet = sheets[at] else { return }
        // Takes the sheet out of the array, so that changing it makes no copy.
        sheets[at] = nil
        let inFlight = sheet.replica.inFlight?.push.seq
        let inText = cause.pushInText(for: sheet.replica)
        let move = ExpectedUnsentEdits(cause, sheet.replica)
        let actions = world.fault.changesReplicas ? spoiled(&sheet, cause, body) : body(&sheet)
        if let move, !move.isMade(in: sheet.replica) {
            world.fail(
                .client,
                "client \(machine.index) does not rebase its unsent edits over a change by another client")
        }
        if let inFlight, inText == inFlight, sheet.replica.inFlight?.push.seq == inFlight {
            world.fail(
                .client, "client \(machine.index) keeps a push in flight that the received text contains")
        }
        do throws(BrokenInvariant) { try sheet.replica.checkInvariants() } catch {
            world.fail(.invariant, "client \(machine.index): \(error.law)")
        }
        let isKept = run(actions, &sheet, at, isUndo: cause.isUndo)
        sheet.handlesWrongCheck = false
        if actions.contains(.close), !cause.mayReopen(inFlight: inFlight) {
            world.fail(.client, "client \(machine.index) reopens \(sheet.name) without a reason")
        }
        if !isKept { return }
        look(at: sheet, closely: cause.bringsText)
        sheets[at] = sheet
    }

    /// Runs an event, and lets a planted fault change its result.
    private func spoiled(
        _ sheet: inout EditorDocument, _ cause: ReplicaTransition.Cause,
        _ body: (inout EditorDocument) -> [ReplicaAction]
    ) -> [ReplicaAction] {
        let before = sheet.replica
        let actions = body(&sheet)
        var transition = ReplicaTransition(
            cause: cause, before: before, replica: sheet.replica, actions: actions)
        world.fault.change(&transition)
        sheet.replica = transition.replica
        return transition.actions
    }

    // MARK: The user

    func perform(_ operation: ClientOperation) {
        switch operation {
        case .opens(let at): begin(at)
        case .types(let at, let typings): type(at, typings)
        case .selects(let at, let places):
            change(at) { sheet in
                let most = places.prefix(world.limits.announced.selections)
                return (try? sheet.replica.selected(sheet.replica.text.selections(Array(most)))) ?? []
            }
        case .undoes(let at): undo(at) { $0.undo() }
        case .redoes(let at): undo(at) { $0.redo() }
        case .isRefused(let at, let code): sheets[at]?.nextRefusal = code
        case .hearsWrongCheck(let at): receiveWrongCheck(at)
        case .reloads: reload()
        case .retries(let at): retry(at)
        case .discards(let at):
            change(at) { sheet in
                sheet.markers = []
                return sheet.replica.discard()
            }
        case .repeats(let at): repeatPush(at)
        case .reuses(let at): reuse(at)
        case .reads(let at, _):
            if let sheet = sheets[at] { ask(.read(Read(document: sheet.name))) }
        case .looksBack(let at, let share):
            guard let sheet = sheets[at] else { return }
            let after = Revision((sheet.replica.position?.revision.value ?? 0) * share / 1_000)
            ask(.history(History(document: sheet.name, after: .revision(after), wantsEdits: true)))
        case .restarts: for at in sheets.indices where sheets[at] != nil { restart(at) }
        default: break
        }
    }

    /// Sends a request. No view shows the answer, but the referee checks it.
    private func ask(_ message: ClientMessage) {
        if machine.isWelcomed { machine.send(message, isAnswered: true) }
    }

    private func begin(_ at: Int) {
        if sheets[at] != nil { return retry(at) }
        if isShown(Names.documents[at]) { return }
        var sheet = EditorDocument(Names.documents[at], firstSeq: Seq(firstSeqs[at]), mode)
        sheet.creates = mode == .edit
        sheets[at] = sheet
        if machine.isWelcomed { change(at) { $0.replica.connected() } }
    }

    private func isShown(_ name: WireString) -> Bool { sheets.contains { $0?.name == name } }

    private func type(_ at: Int, _ typings: [Typing]) {
        if mode == .watch { return }
        if sheets[at] == nil { begin(at) }
        let most = world.limits.announced.document * 3 / 4
        change(at) { sheet in
            let text = sheet.replica.text
            var change = typings.change(in: text)
            if text.length.utf8 > most {
                change = [Typing(place: 0, removed: text.length.scalars / 2, text: "")].change(in: text)
            }
            note(change, in: text, &sheet)
            let pause = sheet.lastTyped.map { Milliseconds(Int(world.now - $0) / 1_000) }
            sheet.lastTyped = world.now
            guard sheet.show(change, isOwn: true),
                let actions = try? sheet.replica.typed(change, after: pause)
            else {
                world.fail(.client, "a typed edit does not fit the view")
                return []
            }
            return actions
        }
    }

    /// Records a change that the user makes.
    func note(_ change: Change, in text: TextBuffer, _ sheet: inout EditorDocument) {
        for edit in change.edits {
            if let removed = try? text.slice(edit.range) {
                sheet.markers.subtract(Markers.found(in: removed))
            }
        }
        sheet.unrebasedEdits = try? (sheet.unrebasedEdits ?? Change()).composed(with: change)
        sheet.markers.formUnion(Markers.found(in: change))
    }

    /// Opens the document again. If the server did not find it, uses the name from the plan again.
    private func retry(_ at: Int) {
        change(at) { sheet in
            if case .refused(.notFound) = sheet.state {
                let name = Names.documents[at]
                if sheet.name == name || !isShown(name) { sheet.name = name }
                sheet.creates = mode == .edit
            }
            return sheet.replica.retry()
        }
    }

    /// Sends the last push again, unless the server might refuse one copy and accept a later one. Between the
    /// two copies, the client might push the same edits with another seq.
    private func repeatPush(_ at: Int) {
        guard let sheet = sheets[at], let push = sheet.pushed, push.seq != sheet.refusedSeq else { return }
        let isCommitted =
            world.referee.ledger.commits[Ledger.PushKey(client: machine.index, seq: Int64(push.seq))] != nil
        let isAwaited = sheet.replica.inFlight?.outcome == .awaited && !world.plan.changesRights
        if isCommitted || isAwaited { send(push) }
    }

    private func reuse(_ at: Int) {
        guard let sheet = sheets[at], sheet.replica.inFlight == nil, var push = sheet.pushed else { return }
        // The server does not remember a push that changed nothing, so its seq is free.
        let key = Ledger.PushKey(client: machine.index, seq: Int64(push.seq))
        if world.referee.ledger.commits[key] == nil { return }
        push.content = .edits([WireEdit(WireRange(0, 0), "!")])
        send(push)
    }

    private func restart(_ at: Int) {
        guard let old = sheets[at] else { return }
        let isOpen = machine.isWelcomed
        firstSeqs[at] = max(firstSeqs[at], old.replica.nextSeq.value)
        if isOpen { machine.send(.close(Close(document: old.name)), isAnswered: true) }
        sheets[at] = nil
        var sheet = EditorDocument(old.name, firstSeq: old.replica.nextSeq, mode)
        sheet.creates = old.creates
        sheets[at] = sheet
        if isOpen { change(at) { $0.replica.connected() } }
    }

    // MARK: Actions of the replica

    /// Runs the actions of the replica. Returns false if the sheet must be dropped.
    private func run(_ actions: [ReplicaAction], _ sheet: inout EditorDocument, _ at: Int, isUndo: Bool)
        -> Bool
    {
        for action in actions {
            switch action {
            case .open(let place, let mode): open(place, mode, &sheet)
            case .close: machine.send(.close(Close(document: sheet.name)), isAnswered: true)
            case .push(let push): self.push(push, &sheet, at)
            case .select(let revision, let selections):
                let said = sheet.replica.committed.wire(selections, in: machine.unit)
                let select = Select(document: sheet.name, revision: revision, selections: said)
                machine.send(.select(select), isAnswered: false)
            case .reportDivergence(let revision):
                if !sheet.handlesWrongCheck { reportDivergence(at: revision, sheet) }
            case .retry(let span): retryLater(span, &sheet, at)
            case .edit(let change): show(change, &sheet, isUndo: isUndo)
            case .showPeers: break
            case .show(let state): sheet.state = state
            case .rename(let name):
                // A client must not have two views of one document.
                if isShown(name) { return false }
                sheet.name = name
            }
        }
        return true
    }

    private func reportDivergence(at revision: Revision, _ sheet: EditorDocument) {
        world.fail(
            .check, "client \(machine.index) finds that its text is wrong at revision \(revision.value)")
        machine.send(.diverged(Diverged(document: sheet.name, revision: revision)), isAnswered: false)
    }

    private func show(_ change: Change, _ sheet: inout EditorDocument, isUndo: Bool) {
        if isUndo, !sheet.removesOnlyOwn(change) {
            return world.fail(.client, "client \(machine.index) undoes text of another client")
        }
        if !sheet.show(change, isOwn: isUndo) { world.fail(.client, "an edit does not fit the view") }
    }

    private func open(_ place: WirePosition?, _ mode: DocumentMode, _ sheet: inout EditorDocument) {
        let open = Open(
            document: sheet.name, create: sheet.creates, resume: place,
            mode: mode == .edit ? .edit : .watch,
            squash: mode == .watch)
        sheet.lastOpen = machine.send(.open(open), isAnswered: true)
    }

    private func push(_ push: SentPush, _ sheet: inout EditorDocument, _ at: Int) {
        let isNew = sheet.pushed?.seq != Int(push.seq.value) || sheet.pushed?.base != push.position.revision
        if !isNew {
            sheet.pushed?.document = sheet.name
            sheet.refusedSeq = nil
            world.referee.counts.resends += 1
        } else {
            if push.position != sheet.replica.position {
                world.fail(.client, "a new push is not based on the current position")
            }
            let committed = sheet.replica.committed
            let change = world.fault.change(push.change, unrebasedEdits: sheet.unrebasedEdits)
            sheet.unrebasedEdits = nil
            guard (try? committed.applying(change)) == (try? committed.applying(sheet.replica.draft.inFlight))
            else {
                return world.fail(.client, "client \(machine.index) pushes other edits than it shows")
            }
            let edits = committed.wire(change, in: machine.unit)
            sheet.pushed = Push(
                document: sheet.name, epoch: push.position.epoch, base: push.position.revision,
                seq: Int(push.seq.value), content: .edits(edits))
        }
        if isNew, let code = sheet.nextRefusal { return refusePush(by: code, &sheet, at) }
        if let pushed = sheet.pushed { send(pushed) }
    }

    private func send(_ push: Push) {
        if machine.isWelcomed { machine.send(.push(push), isAnswered: true) }
    }

    private func retryLater(_ span: Milliseconds, _ sheet: inout EditorDocument, _ at: Int) {
        sheet.retry += 1
        let retry = sheet.retry
        world.after(Int64(span.value) * 1_000) { [unowned self] in
            if sheets[at]?.retry == retry { change(at) { $0.replica.timePassed() } }
        }
    }
}
