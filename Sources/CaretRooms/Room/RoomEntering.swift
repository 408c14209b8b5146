package import CaretCore
import CaretLog
package import CaretWire

/// How sessions come into a room and leave it.
extension RoomState {
    /// Opens the document for somebody of whom it is known what he has pushed.
    mutating func admit(_ opening: RoomOpening) {
        if opening.rights == .none { return refuse(opening, .notFound) }
        if sessions.place(of: opening.session) != nil {
            let report = ErrorReport(.alreadyOpen, "the document is open here", document: opening.document)
            return send(report, opening.id, to: opening.session)
        }
        if let known = revisionBeyondHead(of: opening) { return holdForRenewal(opening, known) }
        let resumed = resumption(of: opening)
        var session = RoomSession(opening, at: resumed ?? head, head: head)
        session.introduced = presence.now
        var opened = self.opened(opening, at: resumed)
        var line = self.line(opened, opening.id)
        let listsPeers = line.count <= limits.announced.serverLine
        if !listsPeers {
            // They are told one by one, once the session has been brought to the head.
            opened.peers = []
            line = self.line(opened, opening.id)
            session.introduced = 0
        }
        if resumed == nil, !listsPeers {
            session.checked = head
        } else if resumed == nil {
            (session.told, session.checked) = (presence.now, head)
        } else {
            session.wantsCheck = true
        }
        pushers.retain(session.pusher)
        moveAnswer(to: session)
        sessions.add(session)
        if let place = sessions.place(of: session.id) {
            hand(line, at: place)
            if let read = opening.readAt { notes.opened.append(read) }
            if resumed != nil || !listsPeers { advance(place) }
        }
    }

    private mutating func opened(_ opening: RoomOpening, at resumed: Revision?) -> Opened {
        let content: Opened.Content =
            if resumed != nil {
                .resumed
            } else if opening.resume != nil {
                .textAfterAll(wireText)
            } else {
                .text(wireText)
            }
        return Opened(
            document: name, epoch: epochName, revision: resumed ?? head, content: content,
            rights: opening.rights, newline: lineBreak == .crlf ? .crlf : .lf,
            peers: peers(in: opening.participant.unit, resumed: resumed != nil),
            own: own(of: opening.participant.pusher))
    }

    /// Where a session can go on; nil where it needs the whole text.
    private func resumption(of opening: RoomOpening) -> Revision? {
        guard let resume = opening.resume, resume.epoch == epochName, resume.revision <= head,
            resume.revision >= start
        else { return nil }
        return resume.revision
    }

    /// The ack of a push that is on its way comes in the stream of its pusher's newest session, which did not ask.
    private mutating func moveAnswer(to session: RoomSession) {
        guard let known = pending[session.pusher], known.push.session != session.id else { return }
        pending[session.pusher]?.push.session = session.id
        pending[session.pusher]?.push.id = nil
        pending[session.pusher]?.hasMoved = true
    }

    // MARK: Closing

    /// Closes a session behind the acks that are due.
    mutating func closed(_ id: SessionID, _ request: RequestID?) {
        guard let place = sessions.place(of: id), !sessions[place].isEnding else {
            return refuse(.close(id, request), .notOpen)
        }
        sessions[place].closing = Closing(id: request)
        endClosed()
    }

    /// Ends the sessions that asked for it, or may not read any more, and have been sent what was due.
    mutating func endClosed() {
        var place = 0
        while place < sessions.count {
            if sessions[place].isBarred { handDueAck(place) }
            if !sessions[place].isEnding || isOwed(place) {
                place += 1
                continue
            }
            if sessions[place].isBarred {
                hand(line(RightsChange(document: name, rights: .none)), at: place)
            }
            if let closing = sessions[place].closing {
                hand(line(Closed(document: name), closing.id), at: place)
            }
            end(sessions[place].id)
        }
    }

    /// Whether an ack is due to a session.
    private func isOwed(_ place: Int) -> Bool {
        if sessions[place].due != nil { return true }
        let id = sessions[place].id
        return pending[sessions[place].pusher]?.push.session == id
            || repeats.contains { $0.push.session == id }
    }

    /// The session's connection is gone, and it with it. Pushes that were taken go on. Answered by `ended`, whether
    /// the room knew the session or not.
    package mutating func leave(_ session: SessionID) -> [RoomAction] {
        func stays(_ request: RoomRequest) -> RoomRequest? {
            if case .push = request { return request }
            return request.session == session ? nil : request
        }
        pushers.changeWaiting(stays)
        held = held.compactMap(stays)
        if sessions.place(of: session) != nil { end(session) } else { actions.append(.ended(session)) }
        return finished()
    }

    /// A session says that its text at a revision is not what it must be: it is ended, and may open anew.
    package mutating func diverged(_ session: SessionID, _ revision: Revision) -> [RoomAction] {
        if sessions.place(of: session) != nil {
            actions.append(.diverged(session, revision))
            end(session)
        }
        return finished()
    }

    mutating func end(_ id: SessionID) {
        guard let place = sessions.place(of: id) else { return }
        let session = sessions.remove(at: place)
        pushers.release(session.pusher)
        forgetPresence(of: session)
        actions.append(.ended(id))
    }

    /// So many bytes that a session was handed have been taken by its connection. It may keep a part to itself that is
    /// less than the credit; that it takes something at all is for it to see to.
    package mutating func written(_ session: SessionID, bytes: Int) -> [RoomAction] {
        guard let place = sessions.place(of: session) else { return finished() }
        sessions[place].outstanding = max(0, sessions[place].outstanding - bytes)
        advance(place)
        return finished()
    }

    // MARK: Rights

    /// What a session may do has changed; or whoever pushed as it, without having the document open.
    package mutating func rightsChanged(_ session: SessionID, _ rights: Rights) -> [RoomAction] {
        pushers.changeWaiting { $0.with(rights, of: session) }
        held = held.map { $0.with(rights, of: session) }
        let pusher = sessions.place(of: session).map { sessions[$0].pusher }
        for known in pusher.map({ [$0] }) ?? pending.keys.sorted()
        where pending[known]?.push.session == session {
            pending[known]?.push.rights = rights
        }
        guard over == nil, let place = sessions.place(of: session), !sessions[place].isBarred,
            sessions[place].rights != rights
        else { return finished() }
        sessions[place].rights = rights
        if rights == .none {
            sessions[place].isBarred = true
            endClosed()
        } else {
            hand(line(RightsChange(document: name, rights: rights)), at: place)
        }
        return finished()
    }

    /// The ack of an own push, out of its place in the stream: a reply, which advances nothing.
    mutating func handDueAck(_ place: Int) {
        guard let due = sessions[place].due else { return }
        sessions[place].due = nil
        hand(ackLine(due, in: sessions[place].unit), at: place)
    }
}
