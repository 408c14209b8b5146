import CaretCore
import CaretLog
import CaretRooms
import CaretServer
import CaretWire

/// A selection that a room received from a session.
struct TakenSelection {
    let history: WireString
    let revision: Revision
    let selections: [Selection]
}

/// Checks selections and peers.
extension Referee {
    /// A room has received a selection. If it applied it, the selection must be the received one, moved to
    /// the head.
    /// Rule S2.
    func took(_ event: RoomEvent, _ room: RoomState, behind moment: Int) {
        guard case .select(let session, let select, _) = event,
            let kept = room.sessions.all.first(where: { $0.id == session }),
            let history = ledger[room.log.epoch.wire], let text = history.text(at: select.revision),
            let said = text.selections(select.selections, in: kept.unit)
        else { return }
        // The room may apply it later: a request waits while the store looks up its pusher.
        let taken = TakenSelection(history: history.epoch, revision: select.revision, selections: said)
        selected[kept.participant.name, default: []].append(taken)
        guard kept.presence.selected > moment else { return }
        let mapped = history.moves(from: select.revision, to: room.head).mapping(said)
        if mapped != kept.presence.selections {
            fail(.presence, "the server has \(kept.participant.name) select something else than it said")
        }
    }

    /// Returns which of a session's selections this is, counted from 1; 0 for none. The result is never
    /// before `behind`, the selection that the client received last.
    func match(
        _ session: WireString, _ selections: [Selection], behind: Int, _ revision: Revision,
        _ history: Ledger.History
    ) -> Int {
        // A room that continues in another epoch drops all selections.
        if selections.isEmpty, history.isContinued { return behind }
        // Takes the first that fits. Several may look the same, and a later message may not show an earlier
        // one.
        for (index, one) in (selected[session] ?? []).enumerated().dropFirst(max(behind, 1) - 1)
        where one.revision <= revision && one.selections.count == selections.count && isOf(one, history) {
            if history.moves(from: one.revision, to: revision).mapping(one.selections) == selections {
                return index + 1
            }
        }
        // A session has no selection before its first one, and none in another history.
        if selections.isEmpty { return behind }
        fail(.presence, "\(session) is said to have selected what it has not, at revision \(revision.value)")
        return behind
    }

    /// A selection does not name an epoch. So a room may apply it after an epoch change if the text is the
    /// same.
    private func isOf(_ taken: TakenSelection, _ history: Ledger.History) -> Bool {
        taken.history == history.epoch
            || history.text(at: taken.revision) == ledger[taken.history]?.text(at: taken.revision)
    }

    /// Rule S3.
    func heard(_ peer: PeerChange, _ sent: SentLine, _ link: Link, _ unit: CodeUnit) {
        counts.peers += 1
        guard let stream = link.streams[peer.document] else {
            return fail(.stream, "client \(link.client) is told of a peer where nothing is open")
        }
        guard case .selected(let revision, let said, _) = peer.news else {
            link.streams[peer.document]?.peers[peer.session] = nil
            return
        }
        if revision != stream.position {
            return fail(.presence, "client \(link.client) is told of a peer at another revision than it has")
        }
        guard let selections = stream.history.text(at: revision)?.selections(said, in: unit) else {
            return fail(.presence, "a peer's selection has no place at revision \(revision.value)")
        }
        let known = stream.peers[peer.session]?.taken ?? 0
        let taken = match(peer.session, selections, behind: known, revision, stream.history)
        link.streams[peer.document]?.peers[peer.session] = StreamCheck.PeerView(
            selections: selections, taken: taken)
    }

    /// Compares the peers that a client has received with the server's sessions. Returns the first
    /// difference; nil if there is none.
    func unrest(on link: Link, _ server: ServerLife) -> String? {
        for (name, stream) in link.streams.sorted(by: { $0.key.string < $1.key.string }) {
            let room = server.rooms.values.first { $0.log.name == name }
            let sessions = room?.sessions.all ?? []
            if !sessions.contains(where: { $0.id.connection == link.port?.shell?.id }) { continue }
            let others = sessions.filter {
                $0.id.connection != link.port?.shell?.id && $0.presence.known != nil
            }
            let said = Dictionary(
                uniqueKeysWithValues: others.map { ($0.participant.name, $0.presence.selections) })
            if said != stream.peers.mapValues(\.selections) {
                return "client \(link.client) has been told of other selections in \(name) than there are"
            }
        }
        return nil
    }

    // MARK: Bounds

    func look(at room: RoomState) {
        looks += 1
        if looks % 8 != 0 { return }
        // The room keeps its newest revision even if that alone exceeds the limit.
        if room.windowBytes > world.limits.windowBytes + 2_048 + 64 + 6 * world.limits.announced.document {
            fail(.bounds, "a room keeps \(room.windowBytes) bytes of revisions")
        }
        // A room sends answers and the selections of peers regardless of the credit, one line each.
        let most = world.limits.creditBytes + (4 + room.sessions.indices.count) * longest
        for session in room.sessions.all where session.stream.outstanding > most {
            fail(.bounds, "a session was handed \(session.stream.outstanding) bytes beyond what was taken")
        }
        if room.presence.selectionCount > world.limits.roomSelections {
            fail(.bounds, "a room maps too many selections")
        }
        // The head of a room must be on disk.
        guard let history = ledger[room.log.epoch.wire] else { return fail(.synced, "a room has no history") }
        if room.head > history.head { return fail(.synced, "a room is ahead of the disk") }
        if looks % 256 == 0, history.text(at: room.head) != room.text {
            fail(.text, "a room has another text than the log at revision \(room.head.value)")
        }
    }

    func look(at connection: ConnectionState) {
        looks += 1
        if looks % 8 != 0 { return }
        let limits = world.limits
        if connection.waitingInput > limits.announced.line + limits.waitingLineBytes + limits.announced.line {
            fail(.bounds, "a connection holds \(connection.waitingInput) bytes of input")
        }
        // The credit of each open document, the output that waits for the connection itself, and one line of
        // each.
        let most = limits.waitingOutput + 8 * (limits.creditBytes + longest) + 2 * longestSent
        if connection.waitingOutput > most {
            fail(.bounds, "\(connection.waitingOutput) bytes wait for a connection to take them")
        }
    }
}
