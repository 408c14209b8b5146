import CaretCore
import CaretReplica
import CaretRooms
import CaretWire

/// The editor after all faults have ended.
extension Editor {
    func finishWork() {
        for at in documents.indices {
            guard let document = documents[at] else { continue }
            switch document.state {
            case .saved: break
            // A room that refuses a push appends nothing, so it does not notice changes by another node. So
            // the user removes a character: a removal is never too large.
            case .refused(.tooLarge):
                perform(.discards(at))
                perform(.retries(at))
                perform(.types(at, [Typing(place: 0, removed: 1, text: "")]))
            // The server will never accept these edits, so the user discards them.
            case .refused(.lineTooLong), .refused(.badEdits), .refused(.other),
                .refused(.alreadyOpen),
                .refused(.badRange), .refused(.baseTrimmed), .refused(.seqReused), .refused(.epochChanged):
                perform(.discards(at))
                perform(.retries(at))
            // A rename that was on its way when the faults ended may have taken the name.
            case .refused(.notFound):
                documents[at]?.creates = true
                perform(.retries(at))
            case .sending, .opening, .offline, .refused: perform(.retries(at))
            }
        }
    }

    func unfinishedWork() -> String? {
        for document in documents {
            guard let document else { continue }
            if document.state != .saved {
                return
                    "client \(machine.index) has \(document.name) in state \(document.state), push in flight: \(document.replica.inFlight != nil)"
            }
            guard let place = document.replica.position, let history = world.referee.ledger[place.epoch]
            else { continue }
            if world.referee.ledger.current[history.document] != place.epoch {
                return "client \(machine.index) has an old epoch of \(document.name)"
            }
            if place.revision != history.head {
                return
                    "client \(machine.index) has revision \(place.revision.value) of \(history.head.value) of \(document.name)"
            }
            if let difference = unfinishedPresence(document, history) { return difference }
        }
        return nil
    }

    /// The server and the client must agree on the user's own selections and on those of peers.
    private func unfinishedPresence(_ document: EditorDocument, _ history: Ledger.History) -> String? {
        guard let room = machine.link.flatMap({ world.nodes[$0.node] })?.rooms[history.document],
            let own = room.sessions.all.first(where: { $0.participant.pusher == Names.pusher(machine.index) })
        else { return "client \(machine.index) has no session for its open \(document.name)" }
        if own.presence.selections != document.replica.selections {
            return "client \(machine.index) and the server differ in its selections in \(document.name)"
        }
        if mode == .watch { return nil }
        for session in room.sessions.all where session.id != own.id && session.presence.known != nil {
            let seen = document.replica.peers.first { $0.session == session.participant.name }
            if seen?.selections != session.presence.selections {
                return
                    "client \(machine.index) has wrong selections of \(session.participant.name) in \(document.name)"
            }
        }
        return nil
    }

    func checkFinalState() {
        for document in documents {
            guard let document, let place = document.replica.position else { continue }
            if world.referee.ledger[place.epoch]?.text != document.replica.text {
                world.fail(.text, "client \(machine.index) ends with a wrong text")
            }
            if document.view != document.replica.text {
                world.fail(.client, "a view differs from its replica at the end")
            }
            // The acks of one replica are taken for those of the other one.
            if world.referee.clientsWithTwoNames.contains(machine.index) { continue }
            let committed = world.referee.markers[machine.index] ?? []
            if let lost = document.markers.first(where: { !committed.contains($0) }) {
                world.fail(
                    .typedText,
                    "typed text of client \(machine.index) was never committed: marker \(lost - Markers.first)"
                )
            }
        }
    }
}
