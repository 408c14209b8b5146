import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport

/// What clients do.
extension RoomSimulation {
    mutating func act(_ client: Int) throws {
        switch clients[client].link {
        case .offline:
            clients[client].link = .connected
        case .connected: try actWithoutSession(client)
        case .opening: break
        case .open(let session): try act(client, in: session)
        case .closing: break
        case .cutOff(let session): if random.chance(30) { try tell(.leave(session)) }
        }
    }

    private mutating func actWithoutSession(_ client: Int) throws {
        switch random.number(0...9) {
        case 0 where clients[client].mode == .edit && clients[client].epoch != nil:
            if clients[client].inFlight == nil, let push = newText(client) {
                try push.inserted(into: &self, client, in: nextSession(of: client))
            }
        case 1: cutOff(client)
        default: try open(client)
        }
    }

    private mutating func act(_ client: Int, in session: SessionID) throws {
        switch random.number(0...99) {
        case 0..<2: try close(client, session)
        case 2..<5: cutOff(client)
        case 5:
            clients[client].link = .connected
            clients[client].peers = [:]
            let revision = clients[client].revision
            try tell(.diverged(session, revision))
        case 6..<30: try select(client, session)
        default:
            guard clients[client].mode == .edit else { return }
            if clients[client].inFlight != nil, clients[client].sentIn != session {
                return try repeatPush(client, in: session)
            }
            if clients[client].inFlight == nil, clients[client].rights == .write || random.chance(5) {
                try newPush(client)?.inserted(into: &self, client, in: session)
            }
        }
    }

    private mutating func close(_ client: Int, _ session: SessionID) throws {
        clients[client].link = .closing(session)
        try tell(.close(session, nil))
    }

    mutating func open(_ client: Int) throws {
        let session = nextSession(of: client)
        // Names are looked up by whoever is asked to open.
        if random.chance(95) { clients[client].name = room.log.name }
        clients[client].link = .opening(session)
        clients[client].rights = .write
        let me = clients[client]
        let resume = me.epoch.flatMap { epoch in
            random.chance(70) ? WirePosition(epoch: epoch, revision: me.revision) : nil
        }
        let opening = RoomOpening(
            session: session, id: nil, document: me.name, participant: me.participant(in: session),
            rights: .write, resume: resume, mode: me.mode, squashes: me.squashes)
        try tell(.open(opening))
        if me.inFlight != nil, random.chance(50) { try repeatPush(client, in: session) }
    }

    private mutating func select(_ client: Int, _ session: SessionID) throws {
        let me = clients[client]
        var selections: [WireSelection] = []
        for _ in 0..<random.number(0...2) {
            selections.append(WireSelection(place(in: me.text), place(in: me.text)))
        }
        let select = Select(document: me.name, revision: me.revision, selections: selections)
        let before = room.sessions.all.first { $0.id == session }?.presence.selected
        let isHeld = !room.pause.isOver || !room.pushers.isKnown(me.pusher)
        if isHeld { return }
        try tell(.select(session, select, nil))
        guard let kept = room.sessions.all.first(where: { $0.id == session }),
            kept.presence.selected != before
        else { return }
        guard let sent = store.truth.text(at: me.revision).selections(selections, in: me.unit) else {
            throw SimulatedClient.Wrong("a selection that has no place was taken")
        }
        noteSelection(session, sent, at: me.revision)
    }

    private mutating func place(in text: UnitText) -> Int {
        var place = random.number(0...text.units.count)
        while !text.isBoundary(place) { place -= 1 }
        return place
    }

    // MARK: Pushes

    private mutating func newPush(_ client: Int) -> SimulatedPush? {
        switch random.number(0...19) {
        case 0..<4: newText(client)
        case 4 where clients[client].revision > 0:
            SimulatedPush(
                seq: clients[client].lastSeq + 1,
                base: Revision(
                    random.number(
                        min(
                            room.log.start.value, clients[client].revision.value)...clients[client].revision
                            .value
                    )),
                content: .restore)
        default: newEdits(client)
        }
    }

    private mutating func newText(_ client: Int) -> SimulatedPush? {
        if clients[client].ownRevision > clients[client].revision { return nil }
        var text = clients[client].text
        for _ in 0..<random.number(0...3) { _ = text.apply([newEdit(in: text)]) }
        return SimulatedPush(
            seq: clients[client].lastSeq + 1, base: clients[client].revision,
            content: .text(WireString(text.string)))
    }

    /// At the revision that the client has, or at one that it had since its last own push.
    private mutating func newEdits(_ client: Int) -> SimulatedPush? {
        let me = clients[client]
        if me.ownRevision > me.revision { return nil }
        var (base, text) = (me.revision, me.text)
        if random.chance(15), me.ownRevision < me.revision {
            base = Revision(
                random.number(
                    max(me.ownRevision, room.log.start).value...max(me.revision, room.log.start).value))
            if base > me.revision { return nil }
            text = UnitText(store.truth.text(at: base).string, in: me.unit)
        }
        var edits: [WireEdit] = []
        for _ in 0..<random.number(random.chance(5) ? 0...0 : 1...3) {
            let edit = newEdit(in: text)
            if edit.range.start >= edits.last?.range.end ?? 0 { edits.append(edit) }
        }
        return SimulatedPush(seq: me.lastSeq + 1, base: base, content: .edits(edits))
    }

    private mutating func newEdit(in text: UnitText) -> WireEdit {
        let (one, other) = (place(in: text), place(in: text))
        let start = min(one, other)
        var end = random.chance(50) ? start : min(max(one, other), start + 8)
        while !text.isBoundary(end) { end -= 1 }
        let inserted = text.units.count > 200 ? "" : SampleText.make(upTo: 4, &random)
        return WireEdit(WireRange(start, end), WireString(inserted))
    }

    mutating func repeatPush(_ client: Int, in session: SessionID) throws {
        guard let push = clients[client].inFlight else { return }
        count("repeats")
        try send(push, client, in: session)
    }

    private func roomPush(_ push: SimulatedPush, _ client: Int, in session: SessionID) -> RoomPush {
        let me = clients[client]
        return RoomPush(
            session: session, id: .number(me.lastID), document: me.name,
            participant: me.participant(in: session),
            rights: me.session == session ? me.rights : .write, epoch: me.epoch, base: push.base,
            seq: push.seq, content: push.content, digest: push.digest, time: time)
    }

    mutating func send(_ push: SimulatedPush, _ client: Int, in session: SessionID) throws {
        clients[client].lastID += 1
        clients[client].sentIn = session
        let push = roomPush(push, client, in: session)
        try tell(.push(push))
    }

    /// Brings a client to where it has the document open and waits for nothing.
    mutating func bringBack(_ client: Int) throws {
        switch clients[client].link {
        case .cutOff(let session): try tell(.leave(session))
        case .offline: clients[client].link = .connected
        case .connected:
            clients[client].name = room.log.name
            try open(client)
        case .open(let session):
            if clients[client].rights != .write { try tell(.rightsChanged(session, .write)) }
            // Not while the answer to an earlier copy may be on its way, which frees the number for another push.
            let isAnswered = clients[client].queue.isEmpty && room.isSettled
            if clients[client].inFlight != nil, isAnswered { try repeatPush(client, in: session) }
        case .opening, .closing: break
        }
    }

    // MARK: Other servers

    /// Another server commits something: a stranger's change, or what a client of this room pushed there too.
    mutating func commitElsewhere() throws {
        let truth = store.truth
        if let client = clients.first(where: { $0.inFlight?.edits?.isEmpty == false }), random.chance(60),
            let push = client.inFlight, let change = try moved(push, of: client)
        {
            let entry = (try? store.model.pusher(client.pusher, in: store.document).get())?.entry
            if let entry, entry.seq >= push.seq || entry.revision > push.base { return }
            clients[client.number].seqElsewhere = push.seq
            return try commit(change, by: client.pusher, push.seq, push.digest)
        }
        let edit = SampleChange.make(for: truth.text, upTo: 2, &random)
        if edit.edits.isEmpty { return }
        try commit(
            edit, by: Pusher(user: "elsewhere", client: "e"), Int64(truth.head.value + 1),
            SampleLog.digest(Int64(truth.head.value)))
    }

    private func moved(_ push: SimulatedPush, of client: SimulatedClient) throws -> Change? {
        guard let edits = push.edits else { return nil }
        let change = try store.truth.text(at: push.base).change(edits, in: client.unit, at: push.base)
        let moved = try store.truth.changes(after: push.base).reduce(change) {
            $0.rebased(over: try $1.change, tie: .otherFirst)
        }
        return moved.isEmpty ? nil : moved
    }

    private mutating func commit(
        _ change: Change, by pusher: Pusher, _ seq: Int64, _ digest: Digest
    ) throws {
        let text = store.truth.text
        var edits: [LoggedEdit] = []
        for edit in change.edits { edits.append(try LoggedEdit(edit, in: text)) }
        let logged = LoggedChange(pusher: pusher, seq: seq, time: time, edits: edits)
        try store.commit(PushedChange(logged, digest: digest))
    }
}

extension SimulatedPush {
    /// Is what its client has in flight from now on, and sent.
    func inserted(into simulation: inout RoomSimulation, _ client: Int, in session: SessionID) throws {
        simulation.clients[client].inFlight = self
        simulation.clients[client].lastSeq = seq
        try simulation.send(self, client, in: session)
    }
}
