import CaretCore
import CaretReplica
import CaretRooms
import CaretWire

/// The editor after all faults have ended.
extension Editor {
    func settles() {
        for at in sheets.indices {
            guard let sheet = sheets[at] else { continue }
            switch sheet.state {
            case .saved: break
            // A room that refuses a push as too large appends nothing, so it does not find out what another
            // node has appended. A removal is never too large.
            case .refused(.tooLarge):
                does(.discards(at))
                does(.retries(at))
                does(.types(at, [Typing(place: 0, removed: 1, text: "")]))
            // It cannot be saved as it is, so the user discards it.
            case .refused(.lineTooLong), .refused(.badEdits), .refused(.other),
                .refused(.alreadyOpen),
                .refused(.badRange), .refused(.baseTrimmed), .refused(.seqReused), .refused(.epochChanged):
                does(.discards(at))
                does(.retries(at))
            case .sending, .opening, .offline, .refused: does(.retries(at))
            }
        }
    }

    func unrest() -> String? {
        for sheet in sheets {
            guard let sheet else { continue }
            if sheet.state != .saved {
                return
                    "client \(machine.index) has \(sheet.name) \(sheet.state), in flight \(sheet.replica.inFlight != nil)"
            }
            guard let place = sheet.replica.position, let history = world.referee.ledger[place.epoch]
            else { continue }
            if world.referee.ledger.current[history.document] != place.epoch {
                return "client \(machine.index) has \(sheet.name) in an old epoch"
            }
            if place.revision != history.head {
                return
                    "client \(machine.index) is at \(place.revision.value) of \(history.head.value) in \(sheet.name)"
            }
            if let trouble = presenceUnrest(sheet, history) { return trouble }
        }
        return nil
    }

    /// The server and the client must agree on the user's own selections and on those of peers.
    private func presenceUnrest(_ sheet: Sheet, _ history: Ledger.History) -> String? {
        guard let room = world.server?.rooms[history.document],
            let own = room.sessions.all.first(where: { $0.participant.pusher == Names.pusher(machine.index) })
        else { return "client \(machine.index) has \(sheet.name) open, and no session" }
        if own.presence.selections != sheet.replica.selections {
            return "client \(machine.index) has other selections than the server in \(sheet.name)"
        }
        if mode == .watch { return nil }
        for session in room.sessions.all where session.id != own.id && session.presence.known != nil {
            let seen = sheet.replica.peers.first { $0.session == session.participant.name }
            if seen?.selections != session.presence.selections {
                return "client \(machine.index) sees \(session.participant.name) elsewhere in \(sheet.name)"
            }
        }
        return nil
    }

    func checkRest() {
        for sheet in sheets {
            guard let sheet, let place = sheet.replica.position else { continue }
            if world.referee.ledger[place.epoch]?.text != sheet.replica.text {
                world.fail(.text, "client \(machine.index) rests at another text")
            }
            if sheet.view != sheet.replica.text { world.fail(.client, "a view rests at another text") }
            let committed = world.referee.markers[machine.index] ?? []
            if let lost = sheet.markers.first(where: { !committed.contains($0) }) {
                world.fail(
                    .lost,
                    "what client \(machine.index) typed was never committed: marker \(lost - Markers.first)")
            }
        }
    }
}
