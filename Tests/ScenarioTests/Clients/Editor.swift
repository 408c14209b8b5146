import CaretCore
import CaretReplica
import CaretWire
import TestSupport

/// A person with a text view and a replica for each document. Replicas count in UTF-16, so the editor
/// converts their pushes to the unit of the connection.
final class Editor: Program {
    unowned let machine: Machine
    let mode: DocumentMode
    var sheets: [Sheet?] = Plan.names.map { _ in nil }
    /// The seq of the first push of the next sheet of each name. No two pushes of a client share a seq.
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

    private func forAll(_ cause: ReplicaTransition.Cause = .other, _ body: (inout Sheet) -> [ReplicaAction]) {
        for at in sheets.indices where sheets[at] != nil { change(at, cause, body) }
    }

    /// Applies an event to a sheet, runs the actions of its replica, and checks the result.
    func change(
        _ at: Int, _ cause: ReplicaTransition.Cause = .other, _ body: (inout Sheet) -> [ReplicaAction]
    ) {
        guard var sheet = sheets[at] else { return }
        // Removed for the moment, so that the sheet is not copied.
        sheets[at] = nil
        let inFlight = sheet.replica.inFlight?.push.seq
        let inText = cause.pushInText(for: sheet.replica)
        let move = UnsentMove(cause, sheet.replica)
        let actions = world.fault.changesReplicas ? spoiled(&sheet, cause, body) : body(&sheet)
        if let move, !move.isMade(in: sheet.replica) {
            world.fail(
                .client, "client \(machine.index) does not move what is unsent over what others changed")
        }
        if let inFlight, inText == inFlight, sheet.replica.inFlight?.push.seq == inFlight {
            world.fail(.client, "client \(machine.index) keeps a push in flight that is in the whole text")
        }
        do throws(BrokenInvariant) { try sheet.replica.checkInvariants() } catch {
            world.fail(.invariant, "client \(machine.index): \(error.law)")
        }
        let isKept = run(actions, &sheet, at, isUndo: cause.isUndo)
        sheet.isMisled = false
        if actions.contains(.close), !cause.mayReopen(inFlight: inFlight) {
            world.fail(.client, "client \(machine.index) opens \(sheet.name) again without need")
        }
        if !isKept { return }
        look(at: sheet, closely: cause.bringsText)
        sheets[at] = sheet
    }

    /// Runs an event, and lets a planted fault change its result.
    private func spoiled(
        _ sheet: inout Sheet, _ cause: ReplicaTransition.Cause, _ body: (inout Sheet) -> [ReplicaAction]
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

    func does(_ deed: ClientDeed) {
        switch deed {
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
        case .hearsWrongCheck(let at): hearWrongCheck(at)
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

    /// Sends a request whose answer no view shows. The referee checks the answer.
    private func ask(_ message: ClientMessage) {
        if machine.isWelcomed { machine.say(message, isAnswered: true) }
    }

    private func begin(_ at: Int) {
        if sheets[at] != nil { return retry(at) }
        if isShown(Names.documents[at]) { return }
        var sheet = Sheet(Names.documents[at], firstSeq: Seq(firstSeqs[at]), mode)
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
                world.fail(.client, "what is typed does not fit the view")
                return []
            }
            return actions
        }
    }

    /// Records a change that the user makes.
    func note(_ change: Change, in text: Text, _ sheet: inout Sheet) {
        for edit in change.edits {
            if let removed = try? text.slice(edit.range) {
                sheet.markers.subtract(Markers.found(in: removed))
            }
        }
        sheet.unmoved = try? (sheet.unmoved ?? Change()).composed(with: change)
        sheet.markers.formUnion(Markers.found(in: change))
    }

    /// Opens the document again. Uses its old name if the document was not found.
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

    /// Sends the last push again. Not if the server might refuse one copy and accept the next: the client may
    /// have pushed the same edits with another seq in between.
    private func repeatPush(_ at: Int) {
        guard let sheet = sheets[at], let push = sheet.pushed, push.seq != sheet.refusedSeq else { return }
        let isCommitted =
            world.referee.ledger.commits[Ledger.PushKey(client: machine.index, seq: Int64(push.seq))] != nil
        let isAwaited = sheet.replica.inFlight?.outcome == .awaited && !world.plan.changesRights
        if isCommitted || isAwaited { say(push) }
    }

    private func reuse(_ at: Int) {
        guard let sheet = sheets[at], sheet.replica.inFlight == nil, var push = sheet.pushed else { return }
        // The server does not remember a push that changed nothing, so its seq is free.
        let key = Ledger.PushKey(client: machine.index, seq: Int64(push.seq))
        if world.referee.ledger.commits[key] == nil { return }
        push.content = .edits([WireEdit(WireRange(0, 0), "!")])
        say(push)
    }

    private func restart(_ at: Int) {
        guard let old = sheets[at] else { return }
        let isOpen = machine.isWelcomed
        firstSeqs[at] = max(firstSeqs[at], old.replica.nextSeq.value)
        if isOpen { machine.say(.close(Close(document: old.name)), isAnswered: true) }
        sheets[at] = nil
        var sheet = Sheet(old.name, firstSeq: old.replica.nextSeq, mode)
        sheet.creates = old.creates
        sheets[at] = sheet
        if isOpen { change(at) { $0.replica.connected() } }
    }

    // MARK: Actions of the replica

    /// Runs the actions of the replica. Returns false if the sheet must be dropped.
    private func run(_ actions: [ReplicaAction], _ sheet: inout Sheet, _ at: Int, isUndo: Bool) -> Bool {
        for action in actions {
            switch action {
            case .open(let place, let mode): open(place, mode, &sheet)
            case .close: machine.say(.close(Close(document: sheet.name)), isAnswered: true)
            case .push(let push): self.push(push, &sheet, at)
            case .select(let revision, let selections):
                let said = sheet.replica.committed.wire(selections, in: machine.unit)
                let select = Select(document: sheet.name, revision: revision, selections: said)
                machine.say(.select(select), isAnswered: false)
            case .reportDivergence(let revision): if !sheet.isMisled { reportDivergence(at: revision, sheet) }
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

    private func reportDivergence(at revision: Revision, _ sheet: Sheet) {
        world.fail(.check, "client \(machine.index) finds its text another at revision \(revision.value)")
        machine.say(.diverged(Diverged(document: sheet.name, revision: revision)), isAnswered: false)
    }

    private func show(_ change: Change, _ sheet: inout Sheet, isUndo: Bool) {
        if isUndo, !sheet.removesOnlyOwn(change) {
            return world.fail(.client, "client \(machine.index) undoes what somebody else has put there")
        }
        if !sheet.show(change, isOwn: isUndo) { world.fail(.client, "an edit does not fit the view") }
    }

    private func open(_ place: WirePosition?, _ mode: DocumentMode, _ sheet: inout Sheet) {
        let open = Open(
            document: sheet.name, create: sheet.creates, resume: place,
            mode: mode == .edit ? .edit : .watch,
            squash: mode == .watch)
        sheet.lastOpen = machine.say(.open(open), isAnswered: true)
    }

    private func push(_ push: SentPush, _ sheet: inout Sheet, _ at: Int) {
        let isNew = sheet.pushed?.seq != Int(push.seq.value) || sheet.pushed?.base != push.position.revision
        if !isNew {
            sheet.pushed?.document = sheet.name
            sheet.refusedSeq = nil
            world.referee.counts.resends += 1
        } else {
            if push.position != sheet.replica.position {
                world.fail(.client, "a new push is of an old place")
            }
            let committed = sheet.replica.committed
            let change = world.fault.change(push.change, unmoved: sheet.unmoved)
            sheet.unmoved = nil
            guard (try? committed.applying(change)) == (try? committed.applying(sheet.replica.draft.inFlight))
            else {
                return world.fail(.client, "client \(machine.index) pushes something else than it shows")
            }
            let edits = committed.wire(change, in: machine.unit)
            sheet.pushed = Push(
                document: sheet.name, epoch: push.position.epoch, base: push.position.revision,
                seq: Int(push.seq.value), content: .edits(edits))
        }
        if isNew, let code = sheet.nextRefusal { return refusePush(by: code, &sheet, at) }
        if let pushed = sheet.pushed { say(pushed) }
    }

    private func say(_ push: Push) {
        if machine.isWelcomed { machine.say(.push(push), isAnswered: true) }
    }

    private func retryLater(_ span: Milliseconds, _ sheet: inout Sheet, _ at: Int) {
        sheet.retry += 1
        let retry = sheet.retry
        world.after(Int64(span.value) * 1_000) { [unowned self] in
            if sheets[at]?.retry == retry { change(at) { $0.replica.timePassed() } }
        }
    }
}
