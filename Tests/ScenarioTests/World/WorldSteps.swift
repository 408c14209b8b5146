import CaretCore
import CaretLog
import CaretRooms
import CaretServer
import CaretWire
import TestSupport

/// The steps of a plan that change the world.
extension World {
    func perform(_ operation: Operation) {
        switch operation {
        case .client(let client, let operation):
            if client < plan.clients.count { machines[client].perform(operation) }
        case .world(let operation): perform(operation)
        }
    }

    private func perform(_ operation: WorldOperation) {
        switch operation {
        case .allows(let client, let name, let access):
            if client < plan.clients.count { allow(client, name, access) }
        case .revokes(let client, let span): if client < plan.clients.count { revoke(client, span) }
        case .store(let behaviour, let span): store.faultEnds[behaviour] = now + Int64(span) * 1_000
        case .elsewhere(let name, let typings): appendElsewhere(name, typings)
        case .trims(let name, let share): trim(name, share)
        case .damages(let name): if let entry = entry(name) { store.model.damage(entry.id) }
        case .renews: renew(store.model)
        case .crashes: if let server = runningServer(for: step) { crash(server) }
        case .shutsDown: if let server = runningServer(for: step) { shutDown(server) }
        case .stops(let span):
            if let server = runningServer(for: step) { server.stoppedUntil = now + Int64(span) * 1_000 }
        case .cutsBus(let span): runningServer(for: step)?.bus?.cut(microseconds: Int64(span) * 1_000)
        case .keeps: store.kept = store.model
        case .putsBack: restoreOlderStore()
        }
    }

    func allow(_ client: Int, _ name: Int, _ access: Access) {
        referee.rights.allow(client, name, access, at: now)
        announceGrants(client, referee.rights.grants(of: client))
    }

    private func announceGrants(_ client: Int, _ grants: Grants?) {
        if fault.forgetsGrants { return }
        for case let server? in nodes {
            server.switchboard.hub.enqueue(.event(.grantsChanged(grants, TokenID(Int64(client)))))
        }
    }

    private func revoke(_ client: Int, _ span: Int) {
        referee.rights.revoke(client)
        announceGrants(client, nil)
        after(Int64(span) * 1_000) { [unowned self] in reinstate(client) }
    }

    func reinstate(_ client: Int) {
        referee.rights.reinstate(client)
        announceGrants(client, referee.rights.grants(of: client))
    }

    private func entry(_ name: Int) -> DocumentEntry? { try? store.model.find(Names.parsed[name]).get() }

    /// Another node commits a change, without notifying this server.
    private func appendElsewhere(_ name: Int, _ typings: [Typing]) {
        // A room recognises changes by other nodes only by their revision numbers. So another node must not
        // append to a document with a new epoch before the room knows this epoch.
        guard let entry = entry(name), let history = referee.ledger.history(of: entry.id), history.isInUse
        else { return }
        let change = typings.change(in: history.text)
        if change.isEmpty || history.text.length.utf8 > limits.announced.document / 2 { return }
        if pushElsewhere(entry, history) { return }
        store.elsewhereSeq += 1
        commit(change, by: Names.elsewhere, store.elsewhereSeq, Digest(of: []), entry, history)
    }

    /// Lets a client that is not connected to this server send its push in flight to another node. Returns
    /// false if no client has such a push.
    private func pushElsewhere(_ entry: DocumentEntry, _ history: Ledger.History) -> Bool {
        for machine in machines where !machine.isWelcomed {
            guard let editor = machine.program as? Editor, let push = editor.pushInFlight(in: history.epoch),
                case .edits(let edits) = push.content
            else { continue }
            let pusher = Names.pusher(machine.index)
            let known = (try? store.model.pusher(pusher, in: entry.id).get())?.entry
            if let known, known.seq >= Int64(push.seq) || known.revision > push.base { continue }
            let said = RecordedPush(
                document: push.document, epoch: push.epoch, base: push.base,
                content: .edits(edits, machine.unit), time: now)
            guard let change = referee.moved(said, in: history, to: history.head), !change.isEmpty,
                let text = try? history.text.applying(change), text.length.utf8 <= limits.announced.document
            else { continue }
            referee.counts.pushedElsewhere += 1
            // The client may later send the same push to this server. If the store fails then, the server
            // does not know that the push is committed, and may refuse it.
            let key = Ledger.PushKey(client: machine.index, seq: Int64(push.seq))
            referee.sentCopy(of: key, in: push.epoch)
            let digest = Digest(of: PushForm(push).bytes)
            commit(change, by: pusher, Int64(push.seq), digest, entry, history)
            return true
        }
        return false
    }

    private func commit(
        _ change: Change, by pusher: Pusher, _ seq: Int64, _ digest: Digest, _ entry: DocumentEntry,
        _ history: Ledger.History
    ) {
        let edits = change.edits.compactMap { try? LoggedEdit($0, in: history.text) }
        let logged = LoggedChange(pusher: pusher, seq: seq, time: max(time, entry.updated), edits: edits)
        _ = commit(
            Append(
                document: entry.id, epoch: entry.epoch, expected: entry.head,
                changes: [PushedChange(logged, digest: digest)]))
    }

    private func trim(_ name: Int, _ share: Int) {
        guard let entry = entry(name) else { return }
        _ = store.model.trim(entry.id, through: Revision(entry.head.value * share / 1_000))
    }

    /// The server ends and starts again on an older state of its store.
    private func restoreOlderStore() {
        guard let kept = store.kept, let server = nodes[0] else { return }
        crash(server)
        store.kept = renew(kept)
    }

    /// Replaces the store's contents with `kept`, and gives every document a new epoch.
    @discardableResult
    private func renew(_ kept: StoreModel) -> StoreModel {
        store.generation += 1
        var kept = kept
        // Repairs damaged documents, because the referee checks only documents that can be read.
        kept.repair()
        let renewed = kept.renewed(generation: store.generation)
        var entries: [(old: WireString, entry: DocumentEntry)] = []
        for (old, new) in zip(kept.live, renewed.live) { entries.append((old.epoch.wire, new)) }
        store.model = renewed
        referee.ledger.restoreOlderStore(entries)
        return renewed
    }
}
