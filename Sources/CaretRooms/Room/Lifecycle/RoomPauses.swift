import CaretCore
import CaretLog
import CaretWire

/// Renaming, deleting and redacting the document: the room pauses, calls the store, and continues.
extension RoomState {
    mutating func rename(to name: DocumentName, _ order: RoomOrder) {
        pause(for: .rename(to: name, order), order)
    }

    mutating func delete(_ order: RoomOrder) {
        pause(for: .delete(order), order)
    }

    mutating func redact(_ redaction: Redaction, _ order: RoomOrder) {
        pause(for: .redact(redaction, order), order)
    }

    private mutating func pause(for reason: PauseReason, _ order: RoomOrder) {
        if let closedWith { return refuse(order, closedWith) }
        if order.document != log.name, order.document != pause.newName { return refuse(order, .notFound) }
        pause.add(reason)
    }

    mutating func requestReload() { pause.addReload() }

    /// The first reason of the pause, if all current work has ended.
    private var dueReason: PauseReason? {
        let isDue = pause.phase == .waiting && !pushes.isAppending && queries.isEmpty && catchUp.isIdle
        return isDue ? pause.first : nil
    }

    /// Calls the store for the first reason of the pause, once all current work has ended.
    mutating func continuePause() {
        switch dueReason {
        // `takeNewName` needs no call to the store.
        case nil, .renamedElsewhere: break
        // The accepted pushes wait for the answer too. If the order fails, they are validated again. If it succeeds,
        // their name, their document or their base belongs to the past.
        case .rename(let name, _):
            validateAllAgain()
            callInPause(.rename(log.document, to: name))
        case .delete:
            validateAllAgain()
            callInPause(.delete(log.document, at: clock.now))
        case .redact(let redaction, _):
            isHistoryChanging = true
            validateAllAgain()
            callInPause(.redact(log.document, redaction))
        case .reload: callInPause(.load(log.document))
        case .renewal(let known): callInPause(.renewEpochs(known: known, of: log.document))
        }
    }

    private mutating func callInPause(_ storeCall: StoreCall) {
        pause.beginCall()
        call(storeCall)
    }

    /// Runs the queued requests, unless the pause has another reason. A closed room has refused them.
    mutating func resume() {
        if !pause.isOver { return }
        for request in pause.takeQueued() { submit(request) }
        sessions.needDelivery()
    }

    // MARK: The store's answers

    /// Handles the store's answer to a `rename` call.
    mutating func renamed(_ result: RenameResult) {
        guard closedWith == nil, case .rename(let to, let order)? = pause.calling else { return }
        pause.finishFirst()
        switch result {
        case .renamed:
            endAllSessions(.renamed, .notFound, to: to, readers: Set(order.readers))
            reply(Done(), order.id, to: order.requester)
            log.rename(to: to)
            refuseLateOrders()
        case .exists:
            refuse(order, RequestRefusal(.exists, "another document has the new name"))
        case .refused(let refusal): storeRefused(order, refusal)
        }
        resume()
    }

    /// Handles the store's answer to a `delete` call. `refusal` is nil if the document was deleted.
    mutating func deleted(_ refusal: StoreRefusal?) {
        guard closedWith == nil, case .delete(let order)? = pause.calling else { return }
        pause.finishFirst()
        if let refusal {
            storeRefused(order, refusal)
        } else {
            endAllSessions(.deleted, .notFound)
            reply(Done(), order.id, to: order.requester)
            close(with: .notFound)
        }
        resume()
    }

    /// Handles the store's answer to a `redact` call. The room loads the document again, whatever the answer.
    mutating func redacted(_ result: RedactResult) {
        guard closedWith == nil, case .redact(let redaction, let order)? = pause.calling else { return }
        pause.finishFirst()
        switch result {
        case .redacted(let report):
            if report.notes > 0 { notesChanged() }
            reply(
                Redacted(report, of: order.document, isDryRun: redaction.isDryRun), order.id,
                to: order.requester)
        case .tooFrequent: refuse(order, .tooFrequentPassage)
        case .refused(let refusal): storeRefused(order, refusal)
        }
        if closedWith == nil { requestReload() }
        resume()
    }

    private mutating func storeRefused(_ order: RoomOrder, _ refusal: StoreRefusal) {
        if refusal == .damaged { closeAsDamaged() }
        refuse(order, RequestRefusal(refusal))
        if refusal == .gone { requestReload() }
    }

    // MARK: Renames by other servers

    /// Another server has renamed the document. As in a rename by this server, the sessions first get the answers to
    /// their pushes.
    mutating func nowCalled(_ name: DocumentName, readers: Set<SessionID>) {
        if closedWith != nil || log.name == WireString(name.description) && pause.newName == nil { return }
        // The unanswered call may name the document too, and only the store knows which name is newer.
        if pause.phase == .calling { return requestReload() }
        pause.addRename(to: name, readers: readers)
    }

    /// Uses the name that another server has given to the document, once all current work has ended.
    mutating func takeNewName() {
        guard case .renamedElsewhere(let name, _)? = dueReason else { return }
        _ = pushes.takeReady()
        for pusher in pushes.pushers { resolve(pusher, refusing: .notFound) }
        deliverStreams()
        let newer = changeName(to: name)
        for request in newer { submit(request) }
    }

    /// Ends all sessions, because another server has renamed the document. Returns the waiting requests that use the new
    /// name.
    mutating func changeName(to name: DocumentName) -> [RoomRequest] {
        let newer = pause.takeQueued(of: WireString(name.description))
        endAllSessions(.renamed, .notFound, to: name, readers: pause.takeReaders(of: name))
        log.rename(to: name)
        refuseLateOrders()
        return newer
    }

    /// Refuses the orders that use the document's old name.
    private mutating func refuseLateOrders() {
        for order in pause.takeOrders(exceptFor: log.name) { refuse(order, .notFound) }
    }
}
