import CaretCore
import CaretLog
import CaretWire

/// What the hub does about other servers over the same store: it compares with the store what they may have changed, and
/// informs rooms, followers and connections.
extension HubState {
    /// True if other servers use the same store.
    var sharesStore: Bool { remoteChanges != nil }

    mutating func received(_ event: BusEvent) {
        switch event {
        case .received(let node, let notifications):
            for one in notifications { received(one, from: node) }
        case .found, .gone: sendToOpenRooms(event)
        case .missed:
            remoteChanges?.missedNotifications(at: now)
            sweepIfDue()
        }
    }

    private mutating func received(_ notification: PeerNotification, from node: NodeID) {
        switch notification {
        case .head(let document, let revision):
            schedule(document)
            send(.storeHead(revision), to: document)
        case .changed(let document):
            schedule(document)
            if rooms[document] != nil { remoteChanges?.compare([document]) }
            notesChanged(document)
        case .revoked(let token): checkTokens([token])
        case .signedOut: readSignOutsAgain()
        case .joined(let pusher, let time): endReplaced(by: pusher, at: time)
        case .selected(let session): send(.bus(.received(node, [notification])), to: session.document)
        case .left(let document, _), .roster(let document):
            send(.bus(.received(node, [notification])), to: document)
        }
    }

    private mutating func sendToOpenRooms(_ event: BusEvent) {
        for document in rooms.keys.sorted() { send(.bus(event), to: document) }
    }

    mutating func send(_ event: RoomEvent, to document: DocumentID) {
        switch rooms[document]?.state {
        case .open, .runningOrder: emit(.sendToRoom(document, event))
        // An idle room has no session that could see remote sessions. The next sweep finds the
        // head.
        case .dropping, .changingInStore, nil: break
        }
    }

    /// Compares everything that is in use with the store, if it is time.
    mutating func sweepIfDue() {
        guard let sweep = remoteChanges?.beginSweep(at: now) else { return }
        remoteChanges?.compare(
            rooms.lazy.filter { $0.value.state == .open && $0.value.name != nil }.map(\.key))
        checkTokens(joinedConnections.tokensInUse)
        if sweep == .afterMissedNotifications { signOuts.forgetPosition() }
        readSignOutsAgain()
        feed.reported?.retryScan()
        emit(.report(load))
        if sweep == .afterMissedNotifications {
            feed.reported?.needScan()
            sendToOpenRooms(.missed)
        }
    }

    /// How much this server is used.
    var load: NodeLoad {
        NodeLoad(connections: joinedConnections.connections.count, documents: rooms.count)
    }

    // MARK: Documents

    /// Begins the next comparison of documents with the store, unless one runs.
    mutating func compareDocuments() {
        if let documents = remoteChanges?.beginComparison() { call(.entries(documents), for: .comparison) }
    }

    /// The store has answered a comparison. Documents that it could not find now are compared in the next sweep.
    mutating func compared(_ answer: StoreAnswer) {
        var results: [Result<DocumentEntry, StoreRefusal>] = []
        if case .entries(let found) = answer { results = found }
        for (document, result) in remoteChanges?.endComparison(results) ?? [] {
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

    // MARK: Followers

    /// Compares all documents with what followers know, because notifications were missed.
    mutating func rescanIfNeeded() {
        if feed.reported?.beginScan() == true { proceed(NameScan(.all, prefix: "")) }
    }

    private mutating func proceed(_ scan: NameScan) {
        var scan = scan
        if let next = scan.next(limit: HubState.batch) {
            call(next, for: .rescan(scan))
        } else {
            schedule(feed.reported?.endScan(failed: false) ?? [])
        }
    }

    mutating func rescanned(_ scan: NameScan, _ answer: StoreAnswer) {
        var scan = scan
        do throws(RequestRefusal) {
            schedule(feed.reported?.scanned(try scan.receive(answer)) ?? [])
            proceed(scan)
        } catch {
            _ = feed.reported?.endScan(failed: true)
        }
    }

    private mutating func schedule(_ documents: [DocumentID]) { for one in documents { schedule(one) } }

    // MARK: Connections

    /// Ends the connections of those tokens that the store does not have any more.
    mutating func checkTokens(_ tokens: Set<TokenID>) {
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

    /// How other servers identify a pusher.
    func publicPusher(_ pusher: Pusher) -> PublicPusher {
        PublicPusher(user: pusher.user, client: ByteString(publicClient(pusher).string))
    }
}
