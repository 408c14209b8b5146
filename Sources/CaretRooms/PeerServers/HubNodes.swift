import CaretCore
import CaretLog
import CaretWire

/// Other servers over the same store: what they tell, and what nobody tells if a hint was lost.
///
/// A hint has no content that is believed. The hub asks the store, and informs rooms, followers and connections. A
/// sweep asks for everything that is in use, so a lost hint only costs time.
extension HubState {
    /// The time between two sweeps.
    private static let sweepMilliseconds: Int64 = 2_000
    /// The least time between two reactions to lost news. A reaction tells others something, which may be lost too.
    private static let missedMilliseconds: Int64 = 500

    mutating func heard(_ news: [NodeNews], from node: NodeID) {
        for one in news {
            switch one {
            case .head(let document, let revision): hintHead(document, revision)
            case .changed(let document):
                schedule(document)
                if rooms[document] != nil { checks.add([document]) }
            case .revoked(let token): checkTokens([token])
            case .joined(let pusher, let time): endReplaced(by: pusher, at: time)
            case .selected(let guest): send(.selected(node, guest), to: guest.document)
            case .left(let document, let session): send(.left(session), to: document)
            case .roster(let document): send(.rosterAsked, to: document)
            }
        }
    }

    /// Something that other servers told was lost, so anything may have changed.
    mutating func missedNews() {
        if let soonest = missedAt.map({ $0 + HubState.missedMilliseconds }), now < soonest {
            missedDue = soonest
            return
        }
        (missedAt, missedDue) = (now, nil)
        feed.rescan()
        sweep()
        sendToOpenRooms(.missed)
    }

    mutating func sendToOpenRooms(_ event: GuestEvent) {
        for document in rooms.keys.sorted() { send(event, to: document) }
    }

    private mutating func send(_ event: GuestEvent, to document: DocumentID) {
        switch rooms[document]?.state {
        case .open, .runningOrder: emit(.sendToRoom(document, .guests(event)))
        // A room that is made now, or is idle, has no session that could see guests.
        case .dropping, .changingInStore, nil: break
        }
    }

    /// Reacts to lost news, if there are any and it is time.
    mutating func reactToMissedNews() {
        if let missedDue, missedDue <= now { missedNews() }
    }

    /// Asks the store for everything that is in use, if it is time.
    mutating func sweepIfDue() {
        guard let nextSweep, nextSweep <= now else { return }
        sweep()
    }

    private mutating func sweep() {
        nextSweep = now + HubState.sweepMilliseconds
        checks.add(rooms.lazy.filter { $0.value.state == .open && $0.value.name != nil }.map(\.key))
        checkTokens(joinedConnections.tokensInUse)
        feed.retryScan()
        emit(.report(load))
    }

    /// How much this server is used.
    var load: NodeLoad {
        NodeLoad(connections: joinedConnections.connections.count, documents: rooms.count)
    }

    private mutating func hintHead(_ document: DocumentID, _ revision: Revision) {
        schedule(document)
        switch rooms[document]?.state {
        case .open, .runningOrder: emit(.sendToRoom(document, .storeHead(revision)))
        // The next sweep finds the head.
        case .dropping, .changingInStore, nil: break
        }
    }

    // MARK: Documents

    /// Begins the next comparison of documents with the store, unless one runs.
    mutating func checkDocuments() {
        if let documents = checks.next() { call(.entries(documents), for: .check) }
    }

    /// The store has answered a comparison. Documents that it could not find now are compared in the next sweep.
    mutating func checked(_ answer: StoreAnswer) {
        var results: [Result<DocumentEntry, StoreRefusal>] = []
        if case .entries(let found) = answer { results = found }
        for (document, result) in checks.ended(results) {
            switch result {
            case .success(let entry): learn(entry)
            case .failure(.gone): learnDeletion(of: document)
            case .failure: break
            }
        }
    }

    /// Informs the room of a document of what other servers have changed.
    mutating func learn(_ entry: DocumentEntry) {
        let document = entry.id
        // A room that is renaming or deleting its document learns the truth from its own call.
        guard let room = rooms[document], room.state == .open, let name = room.name else { return }
        if entry.name != name {
            let readers = readers(of: entry.name, in: document)
            rename(document, to: entry.name)
            emit(.sendToRoom(document, .nowCalled(entry.name, readers: readers)))
        } else if room.isNameReassigned {
            // The document lost its name and got it back.
            assign(name, to: document)
            rooms[document]?.isNameReassigned = false
        }
        if entry.epoch != room.epoch {
            rooms[document]?.epoch = entry.epoch
            rooms[document]?.head = entry.head
            outdateLookUps(of: entry.name)
            emit(.sendToRoom(document, .renewed))
        }
        if entry.start > room.start {
            rooms[document]?.start = entry.start
            emit(.sendToRoom(document, .trimmed(start: entry.start)))
        }
        if entry.epoch == room.epoch, entry.head > room.head {
            rooms[document]?.head = entry.head
            emit(.sendToRoom(document, .storeHead(entry.head)))
        }
    }

    /// Another server has deleted a document. Its room finds that out when it loads the document again.
    private mutating func learnDeletion(of document: DocumentID) {
        guard let room = rooms[document], room.state == .open, room.name != nil else { return }
        delete(document)
        emit(.sendToRoom(document, .renewed))
    }

    // MARK: Connections

    private mutating func checkTokens(_ tokens: Set<TokenID>) {
        let stored = tokens.subtracting([.unneeded]).intersection(joinedConnections.tokensInUse)
        if !stored.isEmpty { call(.tokens(.live(stored.sorted())), for: .tokenCheck(stored)) }
    }

    /// The store has answered which tokens were not revoked.
    mutating func checkedTokens(_ tokens: Set<TokenID>, _ answer: StoreAnswer) {
        guard case .tokens(.live(.success(let live))) = answer else { return }
        for token in tokens.subtracting(live).sorted() { grantsChanged(nil, of: token) }
    }

    /// A client has joined another server, so its older connection here ends.
    private mutating func endReplaced(by pusher: PublicPusher, at time: Int64) {
        for connection in joinedConnections.connections(of: pusher, before: time)
        where joinedConnections.dismiss(connection) {
            emit(.sendToConnection(connection, .ended(.replaced)))
        }
    }

    /// What other servers call a pusher.
    func publicPusher(_ pusher: Pusher) -> PublicPusher {
        PublicPusher(user: pusher.user, client: ByteString(publicClient(pusher).string))
    }
}
