import CaretCore
package import CaretLog
import CaretWire

/// What a room stands still for: it takes nothing new, and lets the append in flight and all that it asked end.
enum Standstill: Equatable, Sendable {
    case rename(to: DocumentName, RoomOrder)
    case delete(RoomOrder)
    /// The store has another history than the room.
    case reload
    /// A client knows this revision, which is beyond the head.
    case renewal(known: Revision)
}

/// How far the first standstill is.
enum Standing: Equatable, Sendable {
    /// For what is under way.
    case waiting
    /// For the store.
    case asked
    /// The store could not; it is asked again.
    case resting
}

extension RoomState {
    package mutating func rename(to name: DocumentName, _ order: RoomOrder) -> [RoomAction] {
        standStill(for: .rename(to: name, order), order)
        return finished()
    }

    package mutating func delete(_ order: RoomOrder) -> [RoomAction] {
        standStill(for: .delete(order), order)
        return finished()
    }

    private mutating func standStill(for standstill: Standstill, _ order: RoomOrder) {
        if let over { return refuse(order, over) }
        if order.document != name { return refuse(order, .notFound) }
        standstills.append(standstill)
    }

    mutating func needReload() {
        // In front of all others: what they are about may be gone.
        if standstills.contains(.reload) { return }
        // But behind the one that the store has been asked for.
        standstills.insert(.reload, at: standing == .waiting ? 0 : min(1, standstills.count))
    }

    /// Asks the store, once all that was under way has ended.
    mutating func goOnStandingStill() {
        guard standing == .waiting, let first = standstills.first, inFlight == nil, storeCalls == 0,
            catchUp == .none
        else { return }
        standing = .asked
        switch first {
        case .rename(let name, _):
            refuseQueue()
            actions.append(.rename(to: name))
        case .delete:
            refuseQueue()
            actions.append(.delete)
        case .reload: actions.append(.reload)
        case .renewal(let known): actions.append(.renewEpochs(known: known))
        }
    }

    private mutating func refuseQueue() {
        for pusher in pending.keys.sorted() { settle(pusher, refusing: .notFound) }
        ready = []
        deliver()
    }

    /// The store has answered: takes the first standstill away.
    mutating func takeStandstill() {
        standstills.removeFirst()
        standing = .waiting
    }

    /// Goes on with the next standstill, or with what was asked meanwhile.
    mutating func goOn() {
        if !standstills.isEmpty || over != nil { return }
        let requests = held
        held = []
        for request in requests { take(request) }
        streamsWait = true
    }

    // MARK: The store's answers

    /// The store's answer to `rename`.
    package mutating func renamed(_ result: Renaming) -> [RoomAction] {
        guard over == nil, standing == .asked, case .rename(let to, let order)? = standstills.first else {
            return finished()
        }
        takeStandstill()
        switch result {
        case .renamed:
            endAll(.renamed, .notFound, to: to, readers: Set(order.readers))
            send(Done(), order.id, to: order.requester)
            call(to)
        case .exists:
            refuse(order, RequestRefusal(.exists, "there is a document of the name that it is to have"))
        case .refused(let refusal): refused(order, refusal)
        }
        goOn()
        return finished()
    }

    /// The store's answer to `delete`.
    package mutating func deleted(_ result: Result<Void, StoreRefusal>) -> [RoomAction] {
        guard over == nil, standing == .asked, case .delete(let order)? = standstills.first else {
            return finished()
        }
        takeStandstill()
        switch result {
        case .success:
            endAll(.deleted, .notFound)
            send(Done(), order.id, to: order.requester)
            close(with: .notFound)
        case .failure(let refusal): refused(order, refusal)
        }
        goOn()
        return finished()
    }

    private mutating func refused(_ order: RoomOrder, _ refusal: StoreRefusal) {
        if refusal == .damaged { damage() }
        refuse(order, RequestRefusal(refusal))
        if refusal == .gone { needReload() }
    }

    /// The document has another name from now on. Who ordered something of it by the old one comes too late.
    private mutating func call(_ name: DocumentName) {
        take(name)
        let late = standstills
        standstills.removeAll { $0 != .reload }
        for standstill in late {
            switch standstill {
            case .rename(_, let order), .delete(let order): refuse(order, .notFound)
            case .reload, .renewal: break
            }
        }
    }
}
