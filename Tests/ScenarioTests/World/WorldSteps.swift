import CaretCore
import CaretLog
import CaretRooms
import CaretServer
import CaretWire
import TestSupport

/// What a plan does to the world.
extension World {
    func perform(_ deed: Deed) {
        switch deed {
        case .client(let client, let deed): if client < plan.clients.count { machines[client].does(deed) }
        case .world(let deed): perform(deed)
        }
    }

    private func perform(_ deed: WorldDeed) {
        switch deed {
        case .allows(let client, let name, let access):
            if client < plan.clients.count { allow(client, name, access) }
        case .revokes(let client, let span): if client < plan.clients.count { revoke(client, span) }
        case .store(let weather, let span): store.weather[weather] = now + Int64(span) * 1_000
        case .elsewhere(let name, let typings): appendElsewhere(name, typings)
        case .trims(let name, let share): trim(name, share)
        case .renews: renew(store.model)
        case .crashes: crash()
        case .shutsDown: shutDown()
        case .keeps: store.kept = store.model
        case .putsBack: putBack()
        }
    }

    func allow(_ client: Int, _ name: Int, _ access: Access) {
        referee.rights.allow(client, name, access, at: now)
        tellGrants(client, referee.rights.grants(of: client))
    }

    private func tellGrants(_ client: Int, _ grants: Grants?) {
        guard let server, !fault.forgetsGrants else { return }
        server.switchboard.hub.enqueue(.event(.grantsChanged(grants, TokenID(Int64(client)))))
    }

    private func revoke(_ client: Int, _ span: Int) {
        referee.rights.revoke(client)
        tellGrants(client, nil)
        after(Int64(span) * 1_000) { [unowned self] in reinstate(client) }
    }

    func reinstate(_ client: Int) {
        referee.rights.reinstate(client)
        tellGrants(client, referee.rights.grants(of: client))
    }

    private func entry(_ name: Int) -> DocumentEntry? { try? store.model.find(Names.parsed[name]).get() }

    /// Another node commits something, of which nobody here hears.
    private func appendElsewhere(_ name: Int, _ typings: [Typing]) {
        // A room reads what others append by revisions alone, so it has to know of a new epoch before that.
        guard let entry = entry(name), let history = referee.ledger.history(of: entry.id), history.isInUse
        else { return }
        let change = typings.change(in: history.text)
        if change.isEmpty || history.text.length.utf8 > limits.announced.document / 2 { return }
        store.elsewhereSeq += 1
        let edits = change.edits.compactMap { try? LoggedEdit($0, in: history.text) }
        let logged = LoggedChange(
            pusher: Names.elsewhere, seq: store.elsewhereSeq, time: max(time, entry.updated), edits: edits)
        _ = commit(
            Append(
                document: entry.id, epoch: entry.epoch, expected: entry.head,
                changes: [PushedChange(logged, digest: Digest(of: []))]))
    }

    private func trim(_ name: Int, _ share: Int) {
        guard let entry = entry(name) else { return }
        _ = store.model.trim(entry.id, through: Revision(entry.head.value * share / 1_000))
    }

    /// The server ends, and comes back with an older state of its store.
    private func putBack() {
        guard let kept = store.kept, server != nil else { return }
        crash()
        store.kept = renew(kept)
    }

    /// The store is this older state of itself from now on, under new epochs.
    @discardableResult
    private func renew(_ kept: StoreModel) -> StoreModel {
        store.generation += 1
        let renewed = kept.renewed(generation: store.generation)
        var entries: [(old: WireString, entry: DocumentEntry)] = []
        for (old, new) in zip(kept.live, renewed.live) { entries.append((old.epoch.wire, new)) }
        store.model = renewed
        referee.ledger.putBack(entries)
        return renewed
    }
}
