import CaretCore
package import CaretLog
import CaretWire

/// Renaming and deleting the document: the room pauses, asks the store, and goes on.
extension RoomState {
    package mutating func rename(to name: DocumentName, _ order: RoomOrder) -> [RoomAction] {
        pause(for: .rename(to: name, order), order)
        return finished()
    }

    package mutating func delete(_ order: RoomOrder) -> [RoomAction] {
        pause(for: .delete(order), order)
        return finished()
    }

    private mutating func pause(for reason: PauseReason, _ order: RoomOrder) {
        if let closedWith { return refuse(order, closedWith) }
        if order.document != log.name { return refuse(order, .notFound) }
        pause.add(reason)
    }

    mutating func requestReload() { pause.addReload() }

    /// Asks the store for what the room paused for, once all that was under way has ended.
    mutating func continuePause() {
        guard pause.phase == .waiting, let first = pause.first, pushes.inFlight == nil,
            queries.unanswered == 0, catchUp.isIdle
        else { return }
        pause.beginAsking()
        switch first {
        case .rename(let name, _):
            refusePushes()
            effects.add(.rename(to: name))
        case .delete:
            refusePushes()
            effects.add(.delete)
        case .reload: effects.add(.reload)
        case .renewal(let known): effects.add(.renewEpochs(known: known))
        }
    }

    private mutating func refusePushes() {
        for pusher in pushes.pushers { resolve(pusher, refusing: .notFound) }
        deliverStreams()
    }

    /// Goes on with the next reason, or with the requests that waited.
    mutating func resume() {
        if !pause.isOver || closedWith != nil { return }
        for request in pause.takeQueued() { submit(request) }
        sessions.needDelivery()
    }

    // MARK: The store's answers

    /// The store's answer to `rename`.
    package mutating func renamed(_ result: Renaming) -> [RoomAction] {
        guard closedWith == nil, case .rename(let to, let order)? = pause.asked else { return finished() }
        pause.finishFirst()
        switch result {
        case .renamed:
            endAllSessions(.renamed, .notFound, to: to, readers: Set(order.readers))
            reply(Done(), order.id, to: order.requester)
            log.rename(to: to)
            refuseLateOrders()
        case .exists:
            refuse(order, RequestRefusal(.exists, "there is a document of the name that it is to have"))
        case .refused(let refusal): storeRefused(order, refusal)
        }
        resume()
        return finished()
    }

    /// The store's answer to `delete`.
    package mutating func deleted(_ result: Result<Void, StoreRefusal>) -> [RoomAction] {
        guard closedWith == nil, case .delete(let order)? = pause.asked else { return finished() }
        pause.finishFirst()
        switch result {
        case .success:
            endAllSessions(.deleted, .notFound)
            reply(Done(), order.id, to: order.requester)
            close(with: .notFound)
        case .failure(let refusal): storeRefused(order, refusal)
        }
        resume()
        return finished()
    }

    private mutating func storeRefused(_ order: RoomOrder, _ refusal: StoreRefusal) {
        if refusal == .damaged { closeAsDamaged() }
        refuse(order, RequestRefusal(refusal))
        if refusal == .gone { requestReload() }
    }

    /// The orders that name the document as it was called before.
    private mutating func refuseLateOrders() {
        for reason in pause.takeAllButReload() {
            if let order = reason.order { refuse(order, .notFound) }
        }
    }
}
