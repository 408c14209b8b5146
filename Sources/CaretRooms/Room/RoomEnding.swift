import CaretCore
package import CaretLog
import CaretWire

/// The end of all sessions of a room, and of the room.
extension RoomState {
    /// Tells everybody that the document is not there any more, behind all replies that are due.
    mutating func endAll(
        _ reason: GoneReason, _ refusal: RequestRefusal, to name: DocumentName? = nil,
        readers: Set<SessionID> = []
    ) {
        let requests = held
        held = []
        for request in requests { refuseHeld(request, refusal) }
        let plain = line(
            Gone(
                document: self.name, epoch: epochName, reason: reason == .renamed ? .deleted : reason))
        let telling = name.map {
            line(
                Gone(
                    document: self.name, epoch: epochName, reason: .renamed,
                    to: WireString($0.description)))
        }
        for place in sessions.indices { flush(place) }
        let ending = sessions
        for (place, session) in ending.enumerated() {
            if session.isBarred {
                hand(line(RightsChange(document: self.name, rights: .none)), at: place)
            } else if let closing = session.closing {
                hand(line(Closed(document: self.name), closing.id), at: place)
            } else {
                hand(readers.contains(session.id) ? telling ?? plain : plain, at: place)
            }
        }
        // Nobody is left to be told who has gone.
        sessions = []
        selectionCount = 0
        presence = Presence()
        for session in ending {
            pushers.release(session.pusher)
            actions.append(.ended(session.id))
        }
    }

    private mutating func refuseHeld(_ request: RoomRequest, _ refusal: RequestRefusal) {
        // Presence may be dropped on the way.
        if case .select = request { return }
        refuse(request, refusal)
    }

    /// Hands a session the ack that is due, and what is in front of it in its stream where that is at hand, whatever
    /// its credit.
    private mutating func flush(_ place: Int) {
        guard let due = sessions[place].due else { return }
        if sessions[place].isBarred { return handDueAck(place) }
        while sessions[place].position < due.revision, window.contains(sessions[place].position.next) {
            handNext(place)
        }
        guard sessions[place].due != nil else { return }
        sessions[place].due = nil
        hand(ackLine(due, in: sessions[place].unit), at: place)
    }

    /// The document is not what it was: nobody is served anything of it any more.
    mutating func damage() {
        refuseAll(RequestRefusal(.damaged))
        endAll(.damaged, RequestRefusal(.damaged))
        close(with: RequestRefusal(.damaged))
    }

    /// It is damaged, and the store does not know that yet, who would have told of it.
    mutating func findDamage() {
        notes.foundDamage = true
        damage()
    }

    /// From now on all is refused.
    mutating func close(with refusal: RequestRefusal) {
        refuseAll(refusal)
        over = refusal
        (pushers, standing, catchUp, conflicts) = (KnownPushers(), .waiting, .none, 0)
        (inFlight, ready, working, waitingForHead) = (nil, [], [:], [])
    }

    /// Refuses all that waits for something, in an order that is the same everywhere.
    private mutating func refuseAll(_ refusal: RequestRefusal) {
        for pusher in pending.keys.sorted() { settle(pusher, refusing: refusal) }
        for pusher in pushers.asked {
            for request in pushers.notFound(pusher) { refuse(request, refusal) }
        }
        let due = repeats
        repeats = []
        for repeated in due { refuse(repeated.push, refusal) }
        let orders = standstills
        standstills = []
        for standstill in orders {
            switch standstill {
            case .rename(_, let order), .delete(let order): refuse(order, refusal)
            case .reload, .renewal: break
            }
        }
    }

    // MARK: Another history

    /// The store's answer to `reload`.
    package mutating func reloaded(_ entry: DocumentEntry, _ snapshot: Snapshot) -> [RoomAction] {
        guard over == nil, standing == .asked, standstills.first == .reload else { return finished() }
        takeStandstill()
        let isSameHistory = entry.epoch == epoch
        // A head lower than known is damage, or a fork.
        if isSameHistory, snapshot.revision < head {
            findDamage()
            return finished()
        }
        if name != WireString(entry.name.description) {
            endAll(.deleted, .notFound)
            take(entry.name)
        }
        (start, lineBreak, newestTime) = (entry.start, entry.lineBreak, entry.updated)
        if !isSameHistory || snapshot.revision > head {
            begin(at: snapshot, in: entry.epoch, isSameHistory ? .trimmed : .epoch)
        }
        judgeAllAgain()
        goOn()
        headMoved()
        return finished()
    }

    /// The document has another name from now on, and so has it in every line.
    mutating func take(_ name: DocumentName) {
        self.name = WireString(name.description)
        window.forgetLines()
        squashed = nil
    }

    /// Begins a log anew, with everybody who has the document open.
    private mutating func begin(at snapshot: Snapshot, in epoch: Epoch, _ reason: ResyncReason) {
        self.epoch = epoch
        (storeHead, readingReaches) = (0, 0)
        window = LogWindow(snapshot, mostBytes: window.mostBytes)
        squashed = nil
        checks.beginAnew(at: clock.now)
        pushers.forgetAll()
        for place in sessions.indices {
            sessions[place].resync = reason
            // What was selected in another text is nowhere in this one.
            if sessions[place].known > 0 { setSelections([], of: place) }
        }
    }

    private mutating func judgeAllAgain() {
        let due = repeats
        // In front: what is judged at once is ready at once.
        (repeats, ready) = ([], [])
        for pusher in pending.keys.sorted() { judgeAgain(pusher) }
        for repeated in due { take(.push(repeated.push, wasTaken: true)) }
    }

    /// The store could not tell what the document is now.
    package mutating func reloadFailed(_ refusal: StoreRefusal) -> [RoomAction] {
        guard over == nil, standing == .asked, standstills.first == .reload else { return finished() }
        if refusal == .full || refusal == .failed {
            standing = .resting
            letStoreRest()
            return finished()
        }
        takeStandstill()
        if refusal == .damaged {
            damage()
        } else {
            refuseAll(.notFound)
            endAll(.deleted, .notFound)
            close(with: .notFound)
        }
        return finished()
    }
}
