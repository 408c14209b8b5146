import CaretCore
package import CaretLog
package import CaretWire

/// What sessions ask of a room.
extension RoomState {
    /// A room that refuses it ends the session behind its error.
    package mutating func open(_ opening: RoomOpening) -> [RoomAction] {
        take(.open(opening))
        return finished()
    }

    package mutating func push(_ push: RoomPush) -> [RoomAction] {
        notes.pushes += 1
        take(.push(push, wasTaken: false))
        return finished()
    }

    package mutating func select(_ session: SessionID, _ select: Select, _ id: RequestID?) -> [RoomAction] {
        take(.select(session, select, id))
        return finished()
    }

    package mutating func close(_ session: SessionID, id: RequestID?) -> [RoomAction] {
        take(.close(session, id))
        return finished()
    }

    /// Runs a request, or lets it wait until it is known what its pusher has pushed, so that all requests of a
    /// session take effect in the order sent.
    mutating func take(_ request: RoomRequest) {
        if let refusal = over ?? misnaming(in: request) { return refuse(request, refusal) }
        guard let pusher = pusher(of: request) else {
            return standstills.isEmpty ? refuse(request, .notOpen) : hold(request)
        }
        switch pushers[pusher] {
        case .asked: wait(request, for: pusher)
        case .known?, nil:
            if !standstills.isEmpty {
                hold(request)
            } else if request.needsPusher, pushers[pusher] == nil {
                if pushers.ask(for: pusher) { ask(.lookUp(pusher)) }
                wait(request, for: pusher)
            } else {
                run(request)
            }
        }
    }

    private mutating func wait(_ request: RoomRequest, for pusher: Pusher) {
        if let refusal = pushers.wait(request, for: pusher) { refuse(request, refusal) }
    }

    mutating func hold(_ request: RoomRequest) {
        if let refusal = held.join(request) { refuse(request, refusal) }
    }

    /// It was sent before the document was given another name.
    private func misnaming(in request: RoomRequest) -> RequestRefusal? {
        guard let document = request.document, document != name else { return nil }
        return .notFound
    }

    private func pusher(of request: RoomRequest) -> Pusher? {
        switch request {
        case .open(let opening): opening.participant.pusher
        case .push(let push, _): push.pusher
        case .select(let session, _, _), .close(let session, _):
            sessions.place(of: session).map { sessions[$0].pusher } ?? pushers.opener(of: session)
        }
    }

    private mutating func run(_ request: RoomRequest) {
        switch request {
        case .open(let opening): admit(opening)
        case .push(let push, let wasTaken): judge(push, wasTaken: wasTaken)
        case .select(let session, let select, let id): selected(session, select, id)
        case .close(let session, let id): closed(session, id)
        }
    }

    /// Refuses a request of whatever kind; but a session that is to be closed is, whatever else cannot be.
    mutating func refuse(_ request: RoomRequest, _ refusal: RequestRefusal) {
        switch request {
        case .open(let opening): refuse(opening, refusal)
        case .push(let push, _): refuse(push, refusal)
        case .select(let session, let select, let id):
            send(
                ErrorReport(refusal.code, refusal.message, document: select.document), id, to: session)
        case .close(let session, let id):
            if let place = sessions.place(of: session), sessions[place].closing == nil {
                sessions[place].closing = Closing(id: id)
                streamsWait = true
            } else {
                send(ErrorReport(refusal.code, refusal.message, document: name), id, to: session)
            }
        }
    }

    // MARK: What is known of pushers

    /// Asks the store for something that is answered by an event of its own.
    mutating func ask(_ action: RoomAction) {
        storeCalls += 1
        actions.append(action)
    }

    /// The store's answer to `lookUp`.
    package mutating func pusherFound(
        _ pusher: Pusher, _ result: Result<PusherAnswer, StoreRefusal>
    ) -> [RoomAction] {
        storeCalls -= 1
        if over != nil { return finished() }
        switch result {
        case .failure(.damaged): damage()
        case .failure(.gone):
            needReload()
            for request in pushers.notFound(pusher) { take(request) }
        // Whether a push that waits was committed before is not known, so it must not be called unsaved.
        case .failure(.full), .failure(.failed):
            for request in pushers.notFound(pusher) { refuse(request, .unreadable) }
            // A session that is to be handed the whole text may need him yet.
            letStoreRest()
        case .success(let answer): found(answer, of: pusher)
        }
        return finished()
    }

    private mutating func found(_ answer: PusherAnswer, of pusher: Pusher) {
        if pushers.isOutdated(pusher, at: answer.head) { return ask(.lookUp(pusher)) }
        if let entry = answer.entry, entry.revision > head {
            // No head will ever be there that this push could wait for.
            if entry.revision > answer.head { return findDamage() }
            storeHead = max(storeHead, answer.head)
            waitingForHead.append(pusher)
            // An append in flight tells soon enough, and so does a reload.
            if inFlight == nil, !standstills.contains(.reload) { readBehindHead() }
            return
        }
        // What waited may need him no longer than it runs.
        pushers.retain(pusher)
        for request in pushers.found(answer.entry, of: pusher) { take(request) }
        streamsWait = true
        pushers.release(pusher)
    }

    /// The head has moved: those who waited for that are looked up again.
    mutating func headMoved() {
        let waiting = waitingForHead
        waitingForHead = []
        for pusher in waiting { ask(.lookUp(pusher)) }
    }
}
