import CaretCore
import CaretReplica
import CaretWire
import TestSupport

/// A person with a text view and a replica for each document. It converts what replicas push from UTF-16 to the unit of
/// the connection.
final class Editor: Program {
    unowned let machine: Machine
    let mode: DocumentMode
    var sheets: [Sheet?] = Plan.names.map { _ in nil }
    /// The number of the first push of the next sheet of a name: no two pushes of a client have one number.
    var firstSeqs: [Int64] = Plan.names.indices.map { Int64($0) * 1_000_000 + 1 }
    private var looks = 0

    init(_ machine: Machine, _ mode: DocumentMode) {
        self.machine = machine
        self.mode = mode
    }

    var world: World { machine.world }

    // MARK: The connection

    func welcomed() { forAll { $0.replica.connected() } }

    func lost() {
        for at in sheets.indices { sheets[at]?.lastOpen = nil }
        forAll { $0.replica.cutOff() }
    }

    private func forAll(_ body: (inout Sheet) -> [Action]) {
        for at in sheets.indices where sheets[at] != nil { change(at, body) }
    }

    /// Lets something happen to a sheet, and does what its replica wants.
    func change(_ at: Int, _ body: (inout Sheet) -> [Action]) {
        guard var sheet = sheets[at] else { return }
        // Taken out meanwhile, so that it is not copied.
        sheets[at] = nil
        let actions = body(&sheet)
        do throws(BrokenInvariant) { try sheet.replica.checkInvariants() } catch {
            world.fail(.invariant, "client \(machine.index): \(error.law)")
        }
        let isKept = run(actions, &sheet, at)
        look(at: sheet)
        if isKept { sheets[at] = sheet }
    }

    // MARK: The person

    func does(_ deed: ClientDeed) {
        switch deed {
        case .opens(let at): begin(at)
        case .types(let at, let typings): type(at, typings)
        case .selects(let at, let places):
            change(at) { sheet in
                let most = places.prefix(world.limits.announced.selections)
                return (try? sheet.replica.selected(sheet.replica.text.selections(Array(most)))) ?? []
            }
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
            let after = Revision((sheet.replica.place?.revision.value ?? 0) * share / 1_000)
            ask(.history(History(document: sheet.name, after: .revision(after), wantsEdits: true)))
        case .restarts: for at in sheets.indices where sheets[at] != nil { restart(at) }
        default: break
        }
    }

    /// Asks for what no view shows: it is the referee who looks at the answer.
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
            for edit in change.edits {
                if let removed = try? text.slice(edit.range) {
                    sheet.markers.subtract(Markers.found(in: removed))
                }
            }
            let before = sheet.unmoved ?? Change()
            sheet.unmoved = try? before.composed(with: change)
            sheet.markers.formUnion(Markers.found(in: change))
            guard (try? sheet.view.apply(change)) != nil, let actions = try? sheet.replica.typed(change)
            else {
                world.fail(.client, "what is typed does not fit the view")
                return []
            }
            return actions
        }
    }

    /// Looks the document up by its old name, if that is what is wrong.
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

    /// Sends the last push once more. Where it may be refused once and taken the next time nobody does so: whoever was
    /// refused may have pushed the same under another number by then.
    private func repeatPush(_ at: Int) {
        guard let sheet = sheets[at], let push = sheet.pushed else { return }
        let isCommitted =
            world.referee.ledger.commits[Ledger.PushKey(client: machine.index, seq: Int64(push.seq))] != nil
        let isAwaited = sheet.replica.inFlight?.outcome == .awaited && !world.plan.changesRights
        if isCommitted || isAwaited { say(push) }
    }

    private func reuse(_ at: Int) {
        guard let sheet = sheets[at], sheet.replica.inFlight == nil, var push = sheet.pushed else { return }
        // One that came to nothing is not remembered, and its number is free.
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

    // MARK: What the replica wants

    /// False where the sheet is given up.
    private func run(_ actions: [Action], _ sheet: inout Sheet, _ at: Int) -> Bool {
        for action in actions {
            switch action {
            case .open(let place, let mode): open(place, mode, &sheet)
            case .close: machine.say(.close(Close(document: sheet.name)), isAnswered: true)
            case .push(let push): self.push(push, &sheet)
            case .select(let revision, let selections):
                let said = sheet.replica.committed.wire(selections, in: machine.unit)
                let select = Select(document: sheet.name, revision: revision, selections: said)
                machine.say(.select(select), isAnswered: false)
            case .reportDivergence(let revision):
                world.fail(
                    .check, "client \(machine.index) finds its text another at revision \(revision.value)")
                machine.say(.diverged(Diverged(document: sheet.name, revision: revision)), isAnswered: false)
            case .retry(let span): retryLater(span, &sheet, at)
            case .edit(let change):
                if (try? sheet.view.apply(change)) == nil {
                    world.fail(.client, "an edit does not fit the view")
                }
            case .showPeers: break
            case .show(let state): sheet.state = state
            case .rename(let name):
                // Two views of one document would be one too many.
                if isShown(name) { return false }
                sheet.name = name
            }
        }
        return true
    }

    private func open(_ place: WirePosition?, _ mode: DocumentMode, _ sheet: inout Sheet) {
        let open = Open(
            document: sheet.name, create: sheet.creates, resume: place,
            mode: mode == .edit ? .edit : .watch,
            squash: mode == .watch)
        sheet.lastOpen = machine.say(.open(open), isAnswered: true)
    }

    private func push(_ push: SentPush, _ sheet: inout Sheet) {
        if let pushed = sheet.pushed, pushed.seq == Int(push.seq.value), pushed.base == push.place.revision {
            sheet.pushed?.document = sheet.name
        } else {
            if push.place != sheet.replica.place { world.fail(.client, "a new push is of an old place") }
            let committed = sheet.replica.committed
            let change = world.fault.change(push.change, unmoved: sheet.unmoved)
            sheet.unmoved = nil
            guard (try? committed.applying(change)) == (try? committed.applying(sheet.replica.draft.inFlight))
            else {
                return world.fail(.client, "client \(machine.index) pushes something else than it shows")
            }
            let edits = committed.wire(change, in: machine.unit)
            sheet.pushed = Push(
                document: sheet.name, epoch: push.place.epoch, base: push.place.revision,
                seq: Int(push.seq.value), content: .edits(edits))
        }
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

    // MARK: What holds at any time

    private func look(at sheet: Sheet) {
        looks += 1
        let replica = sheet.replica
        if let place = replica.place,
            world.referee.ledger[place.epoch]?.text(at: place.revision) != replica.committed
        {
            return world.fail(
                .text,
                "client \(machine.index) has another text than the log at revision \(place.revision.value)")
        }
        if looks % 16 != 0 { return }
        if sheet.view != replica.text {
            return world.fail(.client, "client \(machine.index) shows another text than it has")
        }
        for selection in replica.selections + replica.peers.flatMap(\.selections)
        where !replica.text.isScalarBoundary(selection.anchor)
            || !replica.text.isScalarBoundary(selection.head)
        {
            return world.fail(.presence, "client \(machine.index) has a selection in no place")
        }
    }
}
