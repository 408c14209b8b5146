import CaretCore
import CaretLog
import CaretRooms
import CaretServer
import CaretWire

/// A selection that a room received from a session.
struct ReceivedSelection {
    let history: WireString
    let revision: Revision
    let selections: [Selection]
}

/// Checks selections and peers.
extension Referee {
    /// A room has received a selection. If the room already applied it, the room's selection must be the
    /// received one, mapped to the head.
    /// Rule S2.
    func checkSelection(_ event: RoomEvent, _ room: RoomState, after moment: Int) {
        guard case .select(let session, let select, _) = event,
            let kept = room.sessions.all.first(where: { $0.id == session }),
            let history = ledger[room.log.epoch.wire], let text = history.text(at: select.revision),
            let said = text.selections(select.selections, in: kept.unit)
        else { return }
        // Record the selection now, although the room may apply it later. The room may first have to wait
        // until the store has looked up the session's pusher.
        let taken = ReceivedSelection(history: history.epoch, revision: select.revision, selections: said)
        selected[kept.participant.name, default: []].append(taken)
        guard kept.presence.selected > moment else { return }
        let mapped = history.coreChanges(from: select.revision, to: room.head).mapping(said)
        if mapped != kept.presence.selections {
            fail(.presence, "the server's selection of \(kept.participant.name) is not the received one")
        }
    }

    /// Finds the number of a session's selection, counted from 1; 0 for none. The result is never less than
    /// `earliest`, the number of the selection that the client received last.
    func match(
        _ session: WireString, _ selections: [Selection], notBefore earliest: Int, _ revision: Revision,
        _ history: Ledger.History
    ) -> Int {
        // A room drops all selections when its epoch changes. It shows an empty list too while it does not know yet
        // what a session at another server has selected.
        if selections.isEmpty, history.isContinued || world.plan.nodes > 1 { return earliest }
        // Returns the first match. Several selections may look the same, and a later message must not show an
        // earlier selection.
        for (index, one) in (selected[session] ?? []).enumerated().dropFirst(max(earliest, 1) - 1)
        where one.revision <= revision && one.selections.count == selections.count && isOf(one, history) {
            if history.coreChanges(from: one.revision, to: revision).mapping(one.selections) == selections {
                return index + 1
            }
        }
        // An empty list is also correct, before the session's first selection and after the history has
        // changed.
        if selections.isEmpty { return earliest }
        fail(
            .presence, "the server sent a selection that \(session) never made, at revision \(revision.value)"
        )
        return earliest
    }

    /// Whether a received selection may belong to this history. A selection names no epoch, so a room may
    /// still apply it after the epoch has changed, if the text is the same.
    private func isOf(_ taken: ReceivedSelection, _ history: Ledger.History) -> Bool {
        taken.history == history.epoch
            || history.text(at: taken.revision) == ledger[taken.history]?.text(at: taken.revision)
    }

    /// Rule S3.
    func received(_ peer: PeerChange, _ sent: SentLine, _ link: Link, _ unit: CodeUnit) {
        counts.peers += 1
        guard let stream = link.streams[peer.document] else {
            return fail(.stream, "client \(link.client) received a peer of a document that is not open")
        }
        guard case .selected(let revision, let said, _) = peer.news else {
            link.streams[peer.document]?.peers[peer.session] = nil
            return
        }
        if revision != stream.position {
            return fail(.presence, "client \(link.client) received a peer at another revision than its own")
        }
        guard let selections = stream.history.text(at: revision)?.selections(said, in: unit) else {
            return fail(.presence, "a peer's selection does not fit revision \(revision.value)")
        }
        let known = stream.peers[peer.session]?.taken ?? 0
        let taken = match(peer.session, selections, notBefore: known, revision, stream.history)
        link.streams[peer.document]?.peers[peer.session] = TrackedStream.PeerView(
            selections: selections, taken: taken)
    }

    /// Compares the peers that a client has received with the server's sessions. Returns the first
    /// difference; nil if there is none.
    func unfinishedWork(on link: Link, _ server: ServerRun) -> String? {
        for (name, stream) in link.streams.sorted(by: { $0.key.string < $1.key.string }) {
            let room = server.rooms.values.first { $0.log.name == name }
            let sessions = room?.sessions.all ?? []
            if !sessions.contains(where: { $0.id.connection == link.port?.shell?.id }) { continue }
            let others = sessions.filter {
                $0.id.connection != link.port?.shell?.id && $0.presence.known != nil
            }
            let here = others.map { ($0.participant.name, $0.presence.selections) }
            let elsewhere = (room?.remoteSessions.all ?? []).map { ($0.name, $0.presence.selections) }
            let said = Dictionary(uniqueKeysWithValues: here + elsewhere)
            if said != stream.peers.mapValues(\.selections) {
                return "client \(link.client) and the server differ in the selections of peers in \(name)"
            }
            if let room, !areRemoteSessionsComplete(of: room, server) {
                return "two servers differ in the selections of sessions in \(name)"
            }
        }
        return nil
    }

    /// Whether a room knows what all sessions at other servers have selected. Beyond the limit of selections, each
    /// server shows those that it received first.
    private func areRemoteSessionsComplete(of room: RoomState, _ server: ServerRun) -> Bool {
        let all = sessionsElsewhere(room, server)
        let count =
            all.values.reduce(0) { $0 + $1.count }
            + room.sessions.all.reduce(0) { $0 + $1.presence.selections.count }
        if max(count, all.count) > world.limits.roomSelections { return true }
        return Dictionary(
            uniqueKeysWithValues: room.remoteSessions.all.map { ($0.name, $0.presence.selections) })
            == all
    }

    /// What the sessions have selected that other servers have of the document of this room. A client that has moved
    /// here is no remote session.
    private func sessionsElsewhere(_ room: RoomState, _ server: ServerRun) -> [WireString: [Selection]] {
        var found: [WireString: [Selection]] = [:]
        let here = Set(room.sessions.all.map(\.pusher))
        for case let other? in world.nodes where other !== server {
            for session in other.rooms[room.log.document]?.sessions.all ?? []
            where session.presence.known != nil && !here.contains(session.participant.pusher) {
                found[session.participant.name] = session.presence.selections
            }
        }
        return found
    }

    // MARK: Bounds

    func look(at room: RoomState) {
        looks += 1
        if looks % 8 != 0 { return }
        // The room keeps its newest revision even if this revision alone has more bytes than the limit.
        if room.windowBytes > world.limits.windowBytes + 2_048 + 64 + 6 * world.limits.announced.document {
            fail(.bounds, "a room keeps \(room.windowBytes) bytes of revisions, which is more than its limit")
        }
        // A room sends answers and the selections of peers regardless of the credit, one line each.
        let most = world.limits.creditBytes + (4 + room.sessions.indices.count) * longest
        for session in room.sessions.all where session.stream.outstanding > most {
            fail(
                .bounds,
                "a room has \(session.stream.outstanding) unwritten bytes for a session; the limit is \(most)"
            )
        }
        if room.presence.selectionCount > world.limits.roomSelections {
            fail(
                .bounds,
                "a room has \(room.presence.selectionCount) selections; the limit is \(world.limits.roomSelections)"
            )
        }
        // The head of a room must be on disk.
        guard let history = ledger[room.log.epoch.wire] else {
            return fail(.synced, "the epoch of a room is not in the log")
        }
        if room.head > history.head { return fail(.synced, "a room has a revision that is not on disk") }
        if looks % 256 == 0, history.text(at: room.head) != room.text {
            fail(.text, "the text of a room differs from the log at revision \(room.head.value)")
        }
    }

    func look(at connection: ConnectionState) {
        looks += 1
        if looks % 8 != 0 { return }
        let limits = world.limits
        if connection.waitingInput > limits.announced.line + limits.waitingLineBytes + limits.announced.line {
            fail(
                .bounds,
                "a connection holds \(connection.waitingInput) bytes of input, which is more than its limit")
        }
        // The limit is a sum: the connection's own waiting output, the credit of each open document, and one
        // longest line for each of them.
        let most = limits.waitingOutput + 8 * (limits.creditBytes + longest) + 2 * longestSent
        if connection.waitingOutput > most {
            fail(
                .bounds,
                "a connection holds \(connection.waitingOutput) bytes of output; the limit is \(most)")
        }
    }
}
