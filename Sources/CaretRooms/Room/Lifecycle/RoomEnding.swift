import CaretCore
import CaretLog
import CaretWire

/// Ends all sessions of a room, or closes the room.
extension RoomState {
    /// Ends every session: sends the acks that are due, then `gone`. Refuses the queued requests. Only
    /// `readers` learn the new name.
    mutating func endAllSessions(
        _ reason: GoneReason, _ refusal: RequestRefusal, to name: DocumentName? = nil,
        readers: Set<SessionID> = []
    ) {
        for request in pause.takeQueued() { refuseQueued(request, refusal) }
        refuseWaitingOpenings(refusal)
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
        for session in ended { publishDeparture(of: session) }
        // No session remains, so departures need not be announced here.
        sessions.removeAll()
        (presence, remoteSessions) = (PresenceBoard(), RemoteSessions())
        for session in ended {
            pushers.release(session.pusher)
            effects.add(.ended(session.id))
        }
    }

    private mutating func refuseQueued(_ request: RoomRequest, _ refusal: RequestRefusal) {
        // A client does not wait for an answer to a selection, so it gets none.
        if case .select = request { return }
        refuse(request, refusal)
    }

    /// Sends a session the ack that is due, even beyond its credit. The revisions before the ack are sent
    /// first if the window has them.
    private mutating func sendAllDue(to index: Int) {
        guard let due = sessions[index].stream.pendingAck else { return }
        if !sessions[index].stream.isBarred {
            while sessions[index].stream.position < due.revision,
                log.window.contains(sessions[index].stream.position.next)
            {
                sendNext(to: index)
            }
        }
        sendPendingAck(to: index)
    }

    /// Closes the room because the document is damaged or has another history. Clients get no more of the
    /// document's text.
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

    /// Closes the room. From now on it refuses every request with this error.
    mutating func close(with refusal: RequestRefusal) {
        refuseAll(refusal)
        closedWith = refusal
        pushers = KnownPushers()
        pushes.close()
        catchUp.close()
    }

    /// Refuses all waiting requests and orders, in a deterministic order.
    private mutating func refuseAll(_ refusal: RequestRefusal) {
        _ = pushes.takeReady()
        for pusher in pushes.pushers { resolve(pusher, refusing: refusal) }
        for pusher in pushers.beingLookedUp {
            for request in pushers.lookupFailed(pusher) { refuse(request, refusal) }
        }
        for due in repeats.takeAll() { refuse(due.push, refusal) }
        refuseWaitingOpenings(refusal)
        for reason in pause.takeAll() {
            if let order = reason.order { refuse(order, refusal) }
        }
    }

    // MARK: Another history

    /// Handles the store's answer to a `load` call.
    mutating func loaded(_ result: Result<LoadedDocument, StoreRefusal>) {
        switch result {
        case .success(let document): reloaded(document.entry, document.head)
        case .failure(let refusal): reloadFailed(refusal)
        }
    }

    private mutating func reloaded(_ entry: DocumentEntry, _ snapshot: Snapshot) {
        guard closedWith == nil, pause.calling == .reload else { return }
        pause.finishFirst()
        isHistoryChanging = false
        let isSameHistory = entry.epoch == log.epoch
        // A head below the known one means that the data is damaged, or that the history has forked.
        if isSameHistory, snapshot.revision < head { return reportDamage() }
        let isRenamed = log.name != WireString(entry.name.description) || pause.newName != nil
        let newer = isRenamed ? changeName(to: entry.name) : []
        log.update(from: entry)
        if !isSameHistory || snapshot.revision > head {
            restart(at: snapshot, in: entry.epoch, isSameHistory ? .trimmed : .epoch)
        }
        validateAllAgain()
        resume()
        for request in newer { submit(request) }
        lookUpWaiting()
        headMoved()
    }

    /// Restarts the log with this snapshot. The sessions stay open, and get the whole text.
    private mutating func restart(at snapshot: Snapshot, in epoch: Epoch, _ reason: ResyncReason) {
        catchUp.forgetHeads()
        log.restart(at: snapshot, in: epoch)
        checks.restart(at: clock.now)
        pushers.forgetAll()
        for index in sessions.indices {
            sessions.needText(index, reason)
            // Selections of the old text mean nothing in the new one.
            if sessions[index].presence.known != nil { setSelections([], of: index) }
        }
        for index in remoteSessions.indices { select([], ofRemote: index) }
    }

    mutating func validateAllAgain() {
        let due = repeats.takeAll()
        _ = pushes.takeReady()
        for pusher in pushes.pushers { validateAgain(pusher) }
        for repeated in due { submit(.push(repeated.push, wasAccepted: true)) }
    }

    /// Handles a failed reload of the document.
    private mutating func reloadFailed(_ refusal: StoreRefusal) {
        guard closedWith == nil, pause.calling == .reload else { return }
        switch refusal {
        case .full, .failed, .away:
            pause.backOff()
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
