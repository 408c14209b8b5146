import CaretCore
import CaretLog
import CaretWire

/// How rooms open and end, and the requests that wait for them.
extension HubState {
    /// Makes the room of a document for a request, and sends it the request.
    mutating func makeRoom(_ loaded: LoadedDocument, for request: HubRequest) {
        let entry = loaded.entry
        rooms[entry.id] = HubRoom(entry, .open)
        assign(entry.name, to: entry.id)
        if sharesStore { emit(.needNews(of: entry.id, true)) }
        emit(.makeRoom(loaded))
        sendAcceptances(to: entry.id)
        send(entry.id, request, PusherAnswer(entry: loaded.opener, head: loaded.head.revision))
    }

    /// Forgets a room. Requests that wait for the room are looked up again.
    private mutating func forget(_ document: DocumentID) {
        guard let room = rooms.removeValue(forKey: document) else { return }
        if sharesStore, room.state != .changingInStore { emit(.needNews(of: document, false)) }
        unname(document, room.name)
        // An opening under way may have read an older text than the one that the room had.
        if let name = room.name, openings[name] != nil { outdateLookUps(of: name) }
        for session in room.sessions.sorted() { end(session) }
        for waiting in room.waiting { lookUp(waiting) }
    }

    /// Assigns a name to a document. Rooms run on several queues. So the hub may learn of the name's new
    /// document before it learns that the old one was renamed or deleted.
    mutating func assign(_ name: DocumentName, to document: DocumentID) {
        if let owner = names[name], owner != document { rooms[owner]?.isNameReassigned = true }
        rooms[document]?.name = name
        names[name] = document
    }

    private mutating func unname(_ document: DocumentID, _ name: DocumentName?) {
        guard let name, names[name] == document else { return }
        names[name] = nil
    }

    /// Sends a room the requests that wait for it, until it accepts no more for now.
    mutating func serve(_ document: DocumentID) {
        while let room = rooms[document], room.state == .open, !room.waiting.isEmpty {
            guard var waiting = rooms[document]?.waiting.removeFirst() else { return }
            if !room.isNameReassigned, waiting.request.question.document?.name == room.name {
                send(document, waiting.request)
            } else {
                waiting.attempts += 1
                lookUp(waiting)
            }
        }
    }

    /// `opener` is what the store has just said of the pusher, if the room was made for this request.
    private mutating func send(_ document: DocumentID, _ request: HubRequest, _ opener: PusherAnswer? = nil) {
        guard joinedConnections.isPresent(request.connection),
            let (name, sentName) = request.question.document
        else {
            return
        }
        if let refusal = refusal(of: request) { return refuse(request, refusal) }
        let rights = access(request, to: name).rights
        switch request.question {
        case .open(_, var opening, _):
            opening.rights = rights
            opening.opener = opener
            begin(opening, document)
        case .push(_, var push, _):
            push.rights = rights
            joinedConnections.pushed(as: request.connection, to: document)
            emit(.sendToRoom(document, .push(push)))
        case .rename(_, let to, _):
            beginOrder(document)
            let readers = readers(of: to, in: document)
            emit(.sendToRoom(document, .rename(to: to, roomOrder(request, sentName, readers))))
        case .delete:
            beginOrder(document)
            emit(.sendToRoom(document, .delete(roomOrder(request, sentName, []))))
        case .redact(_, let redaction, _):
            if redaction.isDryRun { return call(.redact(document, redaction), for: .dryRun(request)) }
            beginOrder(document)
            emit(.sendToRoom(document, .redact(redaction, roomOrder(request, sentName, []))))
        case .read, .history, .blame, .tags, .notes:
            guard let joined = joinedConnections[request.connection] else { return }
            waitingReads[request.connection] = request
            emit(.sendToRoom(document, .awaitPushes(of: joined.pusher, for: request.connection)))
        case .links(_, let links): perform(links, request, on: document, named: name)
        case .authenticate, .list, .listDeleted, .undelete, .follow, .unfollow, .admin:
            refuse(request, .unexpectedAnswer)
        }
    }

    private mutating func begin(_ opening: RoomOpening, _ document: DocumentID) {
        let session = opening.session
        sessions[session] = document
        rooms[document]?.sessions.insert(session)
        joinedConnections.began(session)
        emit(.sendToConnection(session.connection, .assignedRoom(session, document)))
        emit(.sendToRoom(document, .open(opening)))
    }

    private func roomOrder(_ request: HubRequest, _ sentName: WireString, _ readers: [SessionID]) -> RoomOrder
    {
        RoomOrder(
            requester: .sessionless(request.connection), id: request.id, document: sentName, readers: readers)
    }

    func readers(of name: DocumentName, in document: DocumentID) -> [SessionID] {
        (rooms[document]?.sessions ?? []).sorted().filter {
            access($0.connection, to: name) >= .read
        }
    }

    // MARK: Rooms without sessions

    /// Records that an idle room has offered to be dropped.
    mutating func unloadOffered(_ document: DocumentID) {
        rooms[document]?.offersUnload = true
        dropIfUnneeded(document)
    }

    /// Drops a room that has offered to be dropped, unless it has sessions.
    mutating func dropIfUnneeded(_ document: DocumentID) {
        guard let room = rooms[document], room.offersUnload, room.sessions.isEmpty else { return }
        switch room.state {
        // If the room was ordered to rename or delete and is idle, it has refused the order.
        case .open: drop(document, orderUntil: nil)
        case .runningOrder(let until): drop(document, orderUntil: until)
        case .dropping, .changingInStore: break
        }
    }

    private mutating func drop(_ document: DocumentID, orderUntil: Int64?) {
        rooms[document]?.state = .dropping(orderUntil: orderUntil)
        emit(.dropRoom(document))
    }

    /// A room was dropped.
    mutating func dropped(_ document: DocumentID) {
        guard case .dropping = rooms[document]?.state else { return }
        forget(document)
    }

    /// A room could not be dropped, because it has work to do.
    mutating func kept(_ document: DocumentID) {
        guard case .dropping(let orderUntil) = rooms[document]?.state else { return }
        rooms[document]?.offersUnload = false
        // If the room was sent an order to rename or delete, it had offered to be dropped before the order
        // reached it. So the hub waits for the order again.
        rooms[document]?.state = orderUntil.map { .runningOrder(until: $0) } ?? .open
        sendMissed(document)
        updateRightsOfPushesWithoutSession(in: document)
        serve(document)
    }

    /// Informs a room of accepted suggestions, renewed epochs and trimmed history, which it has missed.
    private mutating func sendMissed(_ document: DocumentID) {
        guard let room = rooms[document] else { return }
        rooms[document]?.hasMissedRenewal = false
        rooms[document]?.missedTrim = nil
        sendAcceptances(to: document)
        if room.hasMissedRenewal { emit(.sendToRoom(document, .renewed)) }
        if let start = room.missedTrim { emit(.sendToRoom(document, .trimmed(start: start))) }
    }

    /// The store has renewed the epochs of all documents, so every room must load its document again.
    mutating func epochsRenewed() {
        outdateLookUps { _ in true }
        for document in rooms.keys.sorted() {
            switch rooms[document]?.state {
            case .open, .runningOrder: emit(.sendToRoom(document, .renewed))
            case .dropping: rooms[document]?.hasMissedRenewal = true
            case .changingInStore, nil: break
            }
        }
    }

    // MARK: Renaming and deleting

    private mutating func beginOrder(_ document: DocumentID) {
        let until = now + Int64(limits.orderTimeoutSeconds) * 1_000
        rooms[document]?.state = .runningOrder(until: until)
        orderDeadlines.append(OrderDeadline(document: document, until: until))
    }

    /// Stops waiting for rooms whose deadline to rename or delete has passed. Requests then go to such a room
    /// again. If the room renames or deletes its document later, it refuses these requests.
    mutating func giveUpOrders() {
        let due = orderDeadlines.prefix { $0.until <= now }
        orderDeadlines.removeFirst(due.count)
        for deadline in due {
            switch rooms[deadline.document]?.state {
            case .runningOrder(deadline.until): endOrder(deadline.document)
            case .dropping(deadline.until): rooms[deadline.document]?.state = .dropping(orderUntil: nil)
            case .open, .runningOrder, .dropping, .changingInStore, nil: break
            }
        }
    }

    /// The store has answered a room's call to rename its document.
    mutating func renamed(
        _ document: DocumentID, to name: DocumentName, _ result: RenameResult
    ) {
        if result == .renamed { rename(document, to: name) }
        endOrder(document)
    }

    /// The store has answered a room's call to delete its document. `refusal` is nil if the document was
    /// deleted.
    mutating func deleted(_ document: DocumentID, _ refusal: StoreRefusal?) {
        if refusal == nil { delete(document) }
        endOrder(document)
    }

    /// The store has answered a room's call to redact its document. `epoch` is nil if the store refused.
    mutating func redacted(_ document: DocumentID, _ epoch: Epoch?) {
        if let epoch { historyChanged(document, to: epoch) }
        endOrder(document)
    }

    private mutating func historyChanged(_ document: DocumentID, to epoch: Epoch) {
        rooms[document]?.epoch = epoch
        remoteChanges?.changedHere(document)
        // A lookup under way may return the old epoch.
        if let name = rooms[document]?.name { outdateLookUps(of: name) }
        schedule(document)
        needDelivery()
    }

    private mutating func endOrder(_ document: DocumentID) {
        guard case .runningOrder = rooms[document]?.state else { return }
        rooms[document]?.state = .open
        serve(document)
    }

    mutating func rename(_ document: DocumentID, to name: DocumentName) {
        guard let room = rooms[document], let old = room.name else { return }
        remoteChanges?.changedHere(document)
        unname(document, old)
        linksEnded(to: document)
        outdateLookUps(of: old)
        assign(name, to: document)
        rooms[document]?.isNameReassigned = false
        feed.gone(document, old, room.epoch, to: name)
        schedule(document)
        needDelivery()
    }

    mutating func delete(_ document: DocumentID) {
        guard let room = rooms[document], let old = room.name else { return }
        remoteChanges?.changedHere(document)
        unname(document, old)
        linksEnded(to: document)
        outdateLookUps(of: old)
        rooms[document]?.name = nil
        rooms[document]?.isNameReassigned = false
        feed.gone(document, old, room.epoch, to: nil)
        needDelivery()
    }

    /// The store has answered the hub's call to change a document without a room.
    mutating func changed(_ answer: StoreAnswer, _ document: DocumentID, _ request: HubRequest) {
        switch answer {
        case .renamed(let result): finish(request, document, result)
        case .deleted(nil):
            delete(document)
            self.answer(request, .done(Done()))
        case .deleted(let refusal?): refuse(request, refusal)
        case .redacted(let result):
            if let epoch = result.epoch { historyChanged(document, to: epoch) }
            finish(request, result)
        // The store gives no other answer to this call.
        default: refuse(request, .unexpectedAnswer)
        }
        forget(document)
    }

    private mutating func finish(_ request: HubRequest, _ document: DocumentID, _ result: RenameResult) {
        guard case .rename(_, let to, _) = request.question else { return refuse(request, .unexpectedAnswer) }
        switch result {
        case .renamed:
            rename(document, to: to)
            answer(request, .done(Done()))
        case .exists: refuse(request, RequestRefusal(.exists, "another document has the new name"))
        case .refused(let refusal): refuse(request, refusal)
        }
    }
}
