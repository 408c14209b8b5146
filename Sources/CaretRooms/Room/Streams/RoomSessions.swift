import CaretCore
import CaretLog
import CaretWire

/// How sessions enter and leave a room.
extension RoomState {
    /// Opens the document for a participant whose newest push the room knows.
    mutating func admit(_ opening: RoomOpening) {
        if opening.rights == .none { return refuse(opening, .notFound) }
        if sessions.index(of: opening.session) != nil {
            let report = ErrorReport(
                .alreadyOpen, "this session already has the document open", document: opening.document)
            return reply(report, opening.id, to: opening.session)
        }
        if let known = renewalRevision(for: opening) { return queueForRenewal(opening, known) }
        let start: OpeningStart
        if let resumed = resumption(of: opening) {
            start = .resumed(resumed)
        } else if let text = wholeText(for: opening.participant.pusher) {
            start = .text(text)
        } else {
            return waitForText(opening)
        }
        welcome(opening.participant)
        admit(opening, at: start)
    }

    /// Where the stream of a new session begins.
    private enum OpeningStart {
        case resumed(Revision)
        case text(WholeText)
    }

    private mutating func admit(_ opening: RoomOpening, at start: OpeningStart) {
        let (revision, isResumed): (Revision, Bool) =
            switch start {
            case .resumed(let revision): (revision, true)
            case .text(.short): (head, false)
            case .text(.long(_, let revision)): (revision, false)
            }
        var opened = self.opened(opening, at: revision, start)
        // The peers are introduced one by one when the session has reached the head, if their selections count in
        // another text than the session gets now, or if they do not fit on the line.
        if !isResumed, revision < head { opened.peers = [] }
        var line = openedLine(opened, opening, start)
        let listsPeers = line.count <= limits.announced.serverLine && (isResumed || revision == head)
        if line.count > limits.announced.serverLine {
            opened.peers = []
            line = openedLine(opened, opening, start)
        }
        let session = RoomSession(
            opening, SessionStream(at: revision, head: head, isResumed: isResumed),
            SessionPresence(
                sentUntil: !isResumed && listsPeers ? presence.now : 0,
                introduced: listsPeers ? presence.now : 0))
        pushers.retain(session.pusher)
        // If a push of this pusher is pending, the newest session gets its ack.
        pushes.moveAnswer(of: session.pusher, to: session.id)
        sessions.add(session)
        guard let index = sessions.index(of: session.id) else { return }
        switch line {
        case .short(let line): deliver(line, to: index)
        case .long(let line): deliver(line, to: index)
        }
        effects.notes.opened.append(session.id)
        if isResumed || !listsPeers { advance(index) }
    }

    private enum OpenedLine {
        case short([UInt8])
        case long(TextLine)

        var count: Int {
            switch self {
            case .short(let line): line.count
            case .long(let line): line.count
            }
        }
    }

    private mutating func openedLine(
        _ opened: Opened, _ opening: RoomOpening, _ start: OpeningStart
    ) -> OpenedLine {
        if case .text(.long(let text, _)) = start {
            return .long(TextLine(.opened(opened), text, id: opening.id))
        }
        return .short(effects.line(opened, opening.id))
    }

    private mutating func opened(
        _ opening: RoomOpening, at revision: Revision, _ start: OpeningStart
    ) -> Opened {
        let content: Opened.Content
        switch start {
        case .resumed: content = .resumed
        case .text(let text):
            let inLine: WireString = if case .short(let text) = text { text } else { "" }
            content = opening.resume == nil ? .text(inLine) : .textAfterAll(inLine)
        }
        // A client may know another document by this name, and its pushes to that document have the same numbers.
        let isKnown = opening.resume.map { log.isEpoch($0.epoch) } ?? true
        return Opened(
            document: log.name, epoch: log.epochName, revision: revision, content: content,
            rights: opening.rights, newline: log.lineBreak == .crlf ? .crlf : .lf,
            peers: peers(in: opening.participant.unit, resumed: content == .resumed),
            own: isKnown ? own(of: opening.participant.pusher) : nil)
    }

    /// The revision from which a session can resume; nil if it needs the whole text.
    private func resumption(of opening: RoomOpening) -> Revision? {
        guard let resume = opening.resume, resume.epoch == log.epochName, resume.revision <= head,
            resume.revision >= log.start, !isTooFarBehind(resume.revision)
        else { return nil }
        return resume.revision
    }

    // MARK: Closing

    /// Closes a session once the acks that are due were sent.
    mutating func close(_ id: SessionID, _ request: RequestID?) {
        guard let index = sessions.index(of: id), !sessions[index].isEnding else {
            return refuse(.close(id, request), .notOpen)
        }
        sessions[index].stream.close(request)
        endClosed()
    }

    /// Removes the ending sessions to which all due acks were sent.
    mutating func endClosed() {
        var index = 0
        while index < sessions.indices.count {
            if sessions[index].stream.isBarred { sendPendingAck(to: index) }
            if !sessions[index].isEnding || awaitsAnswer(index) {
                index += 1
                continue
            }
            sendEnding(to: index)
            end(sessions[index].id)
        }
    }

    /// Sends the last lines to a session that is ending.
    mutating func sendEnding(to index: Int) {
        if sessions[index].stream.isBarred {
            deliver(effects.line(RightsChange(document: log.name, rights: .none)), to: index, as: .rights)
        }
        if let request = sessions[index].stream.closeRequest {
            deliver(effects.line(Closed(document: log.name), request.id), to: index, as: .closed)
        }
    }

    /// Whether a session must still be sent the answer to a push.
    private func awaitsAnswer(_ index: Int) -> Bool {
        let id = sessions[index].id
        return sessions[index].stream.pendingAck != nil
            || pushes.owesAnswer(to: id, of: sessions[index].pusher) || repeats.owesAnswer(to: id)
            || pause.owesAnswer(to: id)
    }

    /// Ends a session whose connection has ended. Its pushes are still handled. The room answers with
    /// `ended`, even if it does not know the session.
    mutating func leave(_ session: SessionID) {
        func stays(_ request: RoomRequest) -> RoomRequest? {
            if case .push = request { return request }
            return request.session == session ? nil : request
        }
        pushers.changeWaiting(stays)
        pause.changeQueued(stays)
        dropWaitingOpening(of: session)
        if sessions.index(of: session) != nil { end(session) } else { effects.add(.ended(session)) }
    }

    /// Ends a session that reports that its text does not match a `check`. Its client may open the document
    /// again.
    mutating func diverged(_ session: SessionID, _ revision: Revision) {
        if sessions.index(of: session) != nil {
            effects.add(.diverged(session, revision))
            end(session)
        }
    }

    mutating func end(_ id: SessionID) {
        guard let index = sessions.index(of: id) else { return }
        let session = sessions.remove(at: index)
        pushers.release(session.pusher)
        forgetPresence(of: session)
        if sessions.isEmpty { forgetRemoteSessions() }
        effects.add(.ended(id))
    }

    /// The session's connection has delivered this many bytes. The connection may collect delivered bytes
    /// before it reports them, but only up to a part of the credit. If the client reads nothing at all, the
    /// connection must notice that, because the room does not.
    mutating func written(_ session: SessionID, bytes: Int) {
        guard let index = sessions.index(of: session) else { return }
        sessions[index].stream.delivered(bytes)
        advance(index)
    }

    // MARK: Rights

    /// The rights of a session have changed. For a connection that pushed without a session, `session` is its
    /// `sessionless` id.
    mutating func rightsChanged(_ session: SessionID, _ rights: Rights) {
        pushers.changeWaiting { $0.with(rights, of: session) }
        pause.changeQueued { $0.with(rights, of: session) }
        longTexts.setRights(rights, of: session)
        // If there is no session, the pushers are found by their pending pushes.
        let pusher = sessions.index(of: session).map { sessions[$0].pusher }
        for pusher in pusher.map({ [$0] }) ?? pushes.pushers(answeredTo: session) {
            pushes.setRights(rights, of: pusher, in: session)
        }
        guard closedWith == nil, let index = sessions.index(of: session), !sessions[index].stream.isBarred
        else { return }
        // The right to write notes may have changed, which is not one of `rights`.
        sessions[index].notesChanged()
        sessions.needDelivery()
        if sessions[index].rights == rights { return }
        sessions[index].rights = rights
        if rights == .none {
            sessions[index].stream.bar()
            endClosed()
        } else {
            deliver(effects.line(RightsChange(document: log.name, rights: rights)), to: index, as: .rights)
        }
    }

    /// Sends the due ack, even if revisions before it were not sent yet. The ack answers the push, but does
    /// not move the session's position.
    mutating func sendPendingAck(to index: Int) {
        guard let due = sessions[index].stream.takePendingAck() else { return }
        deliver(ackLine(due, in: sessions[index].unit), to: index)
    }
}
