import CaretCore
import CaretLog
import CaretWire

/// Ending all sessions of a room, and the room.
extension RoomState {
    /// Tells everybody that the document is gone, after all replies that are due.
    mutating func endAllSessions(
        _ reason: GoneReason, _ refusal: RequestRefusal, to name: DocumentName? = nil,
        readers: Set<SessionID> = []
    ) {
        for request in pause.takeQueued() { refuseQueued(request, refusal) }
        let plain = effects.line(
            Gone(
                document: log.name, epoch: log.epochName, reason: reason == .renamed ? .deleted : reason))
        let withName = name.map {
            effects.line(
                Gone(
                    document: log.name, epoch: log.epochName, reason: .renamed,
                    to: WireString($0.description)))
        }
        for index in sessions.indices { sendAllDue(to: index) }
        for index in sessions.indices {
            if sessions[index].isEnding {
                sendEnding(to: index)
            } else {
                let mayKnow = readers.contains(sessions[index].id)
                deliver(mayKnow ? withName ?? plain : plain, to: index)
            }
        }
        let ended = sessions.all
        // Nobody is left to be informed of departures.
        sessions.removeAll()
        presence = PresenceBoard()
        for session in ended {
            pushers.release(session.pusher)
            effects.add(.ended(session.id))
        }
    }

    private mutating func refuseQueued(_ request: RoomRequest, _ refusal: RequestRefusal) {
        // Selections may be lost on the way.
        if case .select = request { return }
        refuse(request, refusal)
    }

    /// Sends a session the ack that is due, whatever its credit. The revisions before it are sent first if
    /// the window has them.
    private mutating func sendAllDue(to index: Int) {
        guard let due = sessions[index].stream.due else { return }
        if !sessions[index].stream.isBarred {
            while sessions[index].stream.position < due.revision,
                log.window.contains(sessions[index].stream.position.next)
            {
                sendNext(to: index)
            }
        }
        sendDueAck(to: index)
    }

    /// The document is damaged or has another history, so nobody is served any more of it.
    mutating func closeAsDamaged() {
        refuseAll(RequestRefusal(.damaged))
        endAllSessions(.damaged, RequestRefusal(.damaged))
        close(with: RequestRefusal(.damaged))
    }

    /// The room has found damage that the store did not notice.
    mutating func reportDamage() {
        effects.notes.foundDamage = true
        closeAsDamaged()
    }

    /// From now on the room refuses everything.
    mutating func close(with refusal: RequestRefusal) {
        refuseAll(refusal)
        closedWith = refusal
        pushers = KnownPushers()
        pushes.close()
        catchUp.close()
    }

    /// Refuses everything that waits, in a deterministic order.
    private mutating func refuseAll(_ refusal: RequestRefusal) {
        _ = pushes.takeReady()
        for pusher in pushes.pushers { resolve(pusher, refusing: refusal) }
        for pusher in pushers.beingLookedUp {
            for request in pushers.lookupFailed(pusher) { refuse(request, refusal) }
        }
        for due in repeats.takeAll() { refuse(due.push, refusal) }
        for reason in pause.takeAll() {
            if let order = reason.order { refuse(order, refusal) }
        }
    }

    // MARK: Another history

    /// The store's answer to a `load`.
    mutating func loaded(_ result: Result<LoadedDocument, StoreRefusal>) {
        switch result {
        case .success(let document): reloaded(document.entry, document.head)
        case .failure(let refusal): reloadFailed(refusal)
        }
    }

    private mutating func reloaded(_ entry: DocumentEntry, _ snapshot: Snapshot) {
        guard closedWith == nil, pause.asked == .reload else { return }
        pause.finishFirst()
        let isSameHistory = entry.epoch == log.epoch
        // A head lower than the known one means damage, or a fork.
        if isSameHistory, snapshot.revision < head {
            reportDamage()
            return
        }
        if log.name != WireString(entry.name.description) {
            endAllSessions(.deleted, .notFound)
            log.rename(to: entry.name)
        }
        log.update(from: entry)
        if !isSameHistory || snapshot.revision > head {
            restart(at: snapshot, in: entry.epoch, isSameHistory ? .trimmed : .epoch)
        }
        validateAllAgain()
        resume()
        headMoved()
    }

    /// The log begins again. The sessions stay.
    private mutating func restart(at snapshot: Snapshot, in epoch: Epoch, _ reason: ResyncReason) {
        catchUp.forgetHeads()
        log.restart(at: snapshot, in: epoch)
        checks.restart(at: clock.now)
        pushers.forgetAll()
        for index in sessions.indices {
            sessions.needText(index, reason)
            // Selections in the old text have no place in the new one.
            if sessions[index].presence.known != nil { setSelections([], of: index) }
        }
    }

    private mutating func validateAllAgain() {
        let due = repeats.takeAll()
        _ = pushes.takeReady()
        for pusher in pushes.pushers { validateAgain(pusher) }
        for repeated in due { submit(.push(repeated.push, wasAccepted: true)) }
    }

    /// The store could not report the document's current state.
    private mutating func reloadFailed(_ refusal: StoreRefusal) {
        guard closedWith == nil, pause.asked == .reload else { return }
        switch refusal {
        case .full, .failed:
            pause.rest()
            backOff()
        case .damaged:
            pause.finishFirst()
            closeAsDamaged()
        case .gone:
            pause.finishFirst()
            refuseAll(.notFound)
            endAllSessions(.deleted, .notFound)
            close(with: .notFound)
        }
    }
}
