import CaretCore
import CaretLog
import CaretWire

/// Handling the requests of sessions.
extension RoomState {
    /// Opens the document for a session. If the room was made for this request, the store has already said what it knows
    /// of the pusher.
    mutating func open(_ opening: RoomOpening) {
        let pusher = opening.participant.pusher
        guard let answer = opening.opener, answer.head == head, pause.isOver, pushers.beginLookup(of: pusher)
        else {
            return submit(.open(opening))
        }
        wait(.open(opening), for: pusher)
        found(answer, of: pusher)
    }

    /// Handles a request, or queues it until the room knows the newest push of its pusher. So all requests of
    /// a session take effect in the order sent. `isLookedUp` says that the pusher was just looked up for this
    /// request.
    mutating func submit(_ request: RoomRequest, isLookedUp: Bool = false) {
        if let refusal = closedWith ?? refusalOfName(in: request) { return refuse(request, refusal) }
        guard let pusher = pusher(of: request) else {
            return pause.isOver ? refuse(request, .notOpen) : queue(request)
        }
        switch pushers[pusher] {
        case .lookingUp: wait(request, for: pusher)
        case .known?, nil:
            if !pause.isOver {
                queue(request)
            } else if !isLookedUp && mustLookUp(pusher, for: request) {
                if pushers.beginLookup(of: pusher) { lookUp(pusher) }
                wait(request, for: pusher)
            } else if case .push(let push, _) = request, push.isOfNewClient, pushers[pusher] == nil {
                // Keep the pusher known while the push is in flight, so that the room recognises a repeat.
                pushers.retain(pusher)
                _ = pushers.found(nil, of: pusher)
                run(request)
                pushers.release(pusher)
            } else {
                run(request)
            }
        }
    }

    /// Whether the pusher must be looked up before the room can validate the request.
    ///
    /// Another server may have committed revisions that this room does not have yet, and its client may come
    /// to this server then. The answer to the lookup names the newest head, and the room catches up with it.
    /// So no client gets an older text than it has seen, and no push is refused for a base that exists. If only this
    /// server uses the store, the room can lack such revisions only while an append is in flight, also one of the hub, or
    /// while it catches up.
    private func mustLookUp(_ pusher: Pusher, for request: RoomRequest) -> Bool {
        switch request {
        case .open:
            sharesStore || pushers[pusher] == nil || pushes.isAppending || !catchUp.isIdle || hubAppends
        case .push(let push, let wasAccepted):
            // A push that the room has accepted may be committed already.
            pushers[pusher] == nil && (wasAccepted || !push.isOfNewClient)
                || push.base > head && push.epoch == log.epochName
        case .select, .close: false
        }
    }

    private mutating func wait(_ request: RoomRequest, for pusher: Pusher) {
        if let refusal = pushers.wait(request, for: pusher) { refuse(request, refusal) }
    }

    /// Makes a request wait for the end of the pause.
    mutating func queue(_ request: RoomRequest) {
        if let refusal = pause.queue(request) { refuse(request, refusal) }
    }

    /// The refusal of a request that uses an old name of the document. The client sent such a request before
    /// it learned of a rename.
    private func refusalOfName(in request: RoomRequest) -> RequestRefusal? {
        guard let document = request.document, document != log.name, document != pause.newName else {
            return nil
        }
        return .notFound
    }

    private func pusher(of request: RoomRequest) -> Pusher? {
        switch request {
        case .open(let opening): opening.participant.pusher
        case .push(let push, _): push.pusher
        case .select(let session, _, _), .close(let session, _):
            sessions.index(of: session).map { sessions[$0].pusher } ?? pushers.opener(of: session)
        }
    }

    private mutating func run(_ request: RoomRequest) {
        switch request {
        case .open(let opening): admit(opening)
        case .push(let push, let wasAccepted): validate(push, wasAccepted: wasAccepted)
        case .select(let session, let select, let id): self.select(select, id, of: session)
        case .close(let session, let id): close(session, id)
        }
    }

    /// Refuses a request of any kind. A session whose close is refused is closed anyway.
    mutating func refuse(_ request: RoomRequest, _ refusal: RequestRefusal) {
        switch request {
        case .open(let opening): refuse(opening, refusal)
        case .push(let push, _): refuse(push, refusal)
        case .select(let session, let select, let id):
            reply(ErrorReport(refusal, document: select.document), id, to: session)
        case .close(let session, let id):
            if let index = sessions.index(of: session), sessions[index].stream.closeRequest == nil {
                sessions[index].stream.close(id)
                sessions.needDelivery()
            } else {
                let report = ErrorReport(refusal, document: log.name)
                reply(report, id, to: session, as: .closeRefused)
            }
        }
    }

    // MARK: What is known of pushers

    mutating func lookUp(_ pusher: Pusher) { call(.pusher(pusher, in: log.document)) }

    /// Handles the store's answer to a `pusher` call.
    mutating func pusherFound(
        _ pusher: Pusher, _ result: Result<PusherAnswer, StoreRefusal>
    ) {
        if closedWith != nil { return }
        switch result {
        case .failure(.damaged): closeAsDamaged()
        case .failure(.gone):
            requestReload()
            for request in pushers.lookupFailed(pusher) { submit(request) }
        // The waiting push may be committed already, so the error must not say that it was not saved.
        case .failure(.full), .failure(.failed), .failure(.away):
            for request in pushers.lookupFailed(pusher) { refuse(request, .unreadable) }
            // The lookup is retried later, because a session that gets the whole text may still need this
            // pusher.
            backOff()
        case .success(let answer): found(answer, of: pusher)
        }
    }

    mutating func found(_ answer: PusherAnswer, of pusher: Pusher) {
        if pushers.isOutdated(pusher, at: answer.head) { return lookUp(pusher) }
        // The store names a revision beyond its own head, so its data is damaged.
        if let entry = answer.entry, entry.revision > answer.head { return reportDamage() }
        if answer.head > head {
            catchUp.noteStoreHead(answer.head)
            catchUp.wait(for: CatchUp.LateAnswer(pusher: pusher, answer: answer))
            // An append in flight or a reload will report the store's head, so no read is needed then.
            if !pushes.isAppending, !pause.awaits(.reload) { readAfterHead() }
            return
        }
        // Keep the pusher's entry while the waiting requests run, even if nothing else needs it.
        pushers.retain(pusher)
        for request in pushers.found(answer.entry, of: pusher) { submit(request, isLookedUp: true) }
        sessions.needDelivery()
        pushers.release(pusher)
    }
}
