import CaretCore
import CaretReplica
import CaretWire

/// Checks that must hold for an editor's documents at any time.
extension Editor {
    func look(at document: EditorDocument, closely: Bool) {
        looks += 1
        noteTwoNames(of: document)
        let replica = document.replica
        if let place = replica.position,
            world.referee.ledger[place.epoch]?.text(at: place.revision) != replica.committed
        {
            return world.fail(
                .text,
                "client \(machine.index) has a wrong text at revision \(place.revision.value)")
        }
        if document.state != replica.state {
            return world.fail(.client, "client \(machine.index) shows a wrong saving state")
        }
        if document.state == .saved, replica.hasUnsaved {
            return world.fail(.client, "client \(machine.index) shows unsaved text as saved")
        }
        if closely || looks % 16 == 0 { lookClosely(at: document) }
    }

    /// While a client is offline, a rename may give one of its documents the name of another one. Then the client has the
    /// same document open twice, and each of its two replicas misses the acks of the other one. The rules of the protocol
    /// allow one replica only.
    private func noteTwoNames(of document: EditorDocument) {
        guard let epoch = document.replica.position?.epoch else { return }
        for case let other? in documents
        where other.name != document.name && other.replica.position?.epoch == epoch {
            world.referee.clientsWithTwoNames.insert(machine.index)
        }
    }

    private func lookClosely(at document: EditorDocument) {
        let replica = document.replica
        if document.view != replica.text {
            return world.fail(.client, "the view of client \(machine.index) differs from its replica")
        }
        for selection in replica.selections + replica.peers.flatMap(\.selections)
        where !replica.text.isScalarBoundary(selection.anchor)
            || !replica.text.isScalarBoundary(selection.head)
        {
            return world.fail(
                .presence, "client \(machine.index) has a selection that ends inside a character")
        }
        checkMarkers(of: replica)
    }

    private func checkMarkers(of replica: Replica) {
        // A syncer may push a file with old markers into a new document with the same name, or into a
        // document that was restored to an older state.
        if world.plan.clients.contains(.syncer) { return }
        if world.referee.clientsWithTwoNames.contains(machine.index) { return }
        let committed = Markers.found(in: replica.committed.string)
        if !committed.isEmpty, !Set(committed).isDisjoint(with: Markers.found(in: replica.unsaved)) {
            return world.fail(
                .typedText, "client \(machine.index) has the same text both committed and unsaved")
        }
        // After an admin restores an old text, a marker may be in the text twice. It may also be there twice if two clients
        // have replaced the same passage by whole texts.
        if world.plan.clients.contains(where: { $0 == .admin || $0 == .http }) { return }
        if Markers.isAnyDoubled(in: replica.text) {
            world.fail(.typedText, "client \(machine.index) sees a marker twice")
        }
    }
}
