import CaretCore
import CaretReplica
import CaretWire

/// Checks that must hold for an editor's documents at any time.
extension Editor {
    func look(at sheet: Sheet, closely: Bool) {
        looks += 1
        let replica = sheet.replica
        if let place = replica.position,
            world.referee.ledger[place.epoch]?.text(at: place.revision) != replica.committed
        {
            return world.fail(
                .text,
                "client \(machine.index) has another text than the log at revision \(place.revision.value)")
        }
        if sheet.state != replica.state {
            return world.fail(.client, "client \(machine.index) is shown another state than it has")
        }
        if sheet.state == .saved, replica.hasUnsaved {
            return world.fail(.client, "client \(machine.index) is shown unsaved text as saved")
        }
        if closely || looks % 16 == 0 { lookClosely(at: sheet) }
    }

    private func lookClosely(at sheet: Sheet) {
        let replica = sheet.replica
        if sheet.view != replica.text {
            return world.fail(.client, "client \(machine.index) shows another text than it has")
        }
        for selection in replica.selections + replica.peers.flatMap(\.selections)
        where !replica.text.isScalarBoundary(selection.anchor)
            || !replica.text.isScalarBoundary(selection.head)
        {
            return world.fail(.presence, "client \(machine.index) has a selection in no place")
        }
        checkMarkers(of: replica)
    }

    private func checkMarkers(of replica: Replica) {
        // A file may copy text to another document of the same name, or to an older state of the document.
        if world.plan.clients.contains(.syncer) { return }
        let committed = Markers.found(in: replica.committed.string)
        if !committed.isEmpty, !Set(committed).isDisjoint(with: Markers.found(in: replica.unsaved)) {
            return world.fail(.lost, "client \(machine.index) has committed text once more as unsaved")
        }
        // A restored text may contain markers that are also elsewhere in the text by now.
        if world.plan.clients.contains(.admin) { return }
        if Markers.isAnyDoubled(in: replica.text) {
            world.fail(.lost, "client \(machine.index) sees a marker twice")
        }
    }
}
