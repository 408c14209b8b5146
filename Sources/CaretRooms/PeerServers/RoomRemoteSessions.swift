import CaretCore
import CaretLog
import CaretWire

/// The sessions at other servers, and what this room publishes about its own.
extension RoomState {
    mutating func received(_ event: BusEvent) {
        // A room without sessions shows nobody anything. It asks when its first session opens.
        if closedWith != nil || sessions.isEmpty { return }
        switch event {
        case .received(let node, let notifications):
            for notification in notifications { received(notification, from: node) }
        case .found: publishAllSelections()
        case .missed:
            notesChanged()
            remoteSessions.beginConfirmation(at: clock.now)
            askForRemoteSessions()
            // The others may have asked in a message that was lost.
            publishAllSelections()
            scheduleRemoteWork()
        case .gone(let node):
            remoteSessions.forgetEarly(of: node)
            removeRemoteSessions { $0.node == node }
        }
    }

    private mutating func received(_ notification: PeerNotification, from node: NodeID) {
        switch notification {
        case .selected(let session): received(session, from: node)
        case .left(_, let session):
            remoteSessions.forgetEarly(session)
            if let index = remoteSessions.index(of: WireString(session.string)) {
                removeRemoteSession(at: index)
            }
        case .roster: publishAllSelections()
        // The hub handles these.
        case .head, .changed, .revoked, .signedOut, .joined: break
        }
    }

    private mutating func received(_ session: PublishedSession, from node: NodeID) {
        guard session.epoch == log.epoch.document, !isHere(session) else { return }
        if session.revision > head {
            remoteSessions.keepEarly(session, from: node)
            catchUp.noteHint(session.revision)
            return followHint()
        }
        show(session, from: node)
    }

    /// Whether the client has moved to this server.
    private func isHere(_ published: PublishedSession) -> Bool {
        sessions.all.contains {
            $0.participant.introduction.client.string == published.client.string
                && $0.participant.introduction.user.string == published.user.string
        }
    }

    /// Shows the selections that came before their revision.
    mutating func showEarlySelections() {
        for (node, session) in remoteSessions.takeEarly(upTo: head)
        where session.epoch == log.epoch.document {
            show(session, from: node)
        }
    }

    private mutating func show(_ session: PublishedSession, from node: NodeID) {
        remoteSessions.forgetEarly(session.session)
        let known = remoteSessions.index(of: WireString(session.session.string))
        if known == nil, remoteSessions.count >= limits.roomSelections { return }
        let index = known ?? remoteSessions.add(session, from: node)
        remoteSessions[index].unconfirmedSince = nil
        if session.moment <= remoteSessions[index].moment { return }
        guard let selections = selections(of: session) else {
            // Its server is behind this room, so the room asks for the selections again.
            if known == nil { select([], ofRemote: index) }
            remoteSessions.askAgain(at: clock.now + RemoteSessions.askAgainTime)
            return scheduleRemoteWork()
        }
        remoteSessions[index].moment = session.moment
        let others = presence.selectionCount - remoteSessions[index].presence.selections.count
        let isAllowed = others + selections.count <= limits.roomSelections
        select(isAllowed ? selections : [], ofRemote: index)
    }

    /// The selections in the text at the head; nil if the text that they count in is no longer available.
    private func selections(of session: PublishedSession) -> [Selection]? {
        if session.selections.isEmpty { return [] }
        guard let text = log.window.text(at: session.revision),
            let missed = log.window.changes(after: session.revision)
        else { return nil }
        let sent = session.selections.map { WireSelection($0.anchor.value, $0.head.value) }
        return text.selections(sent, in: .utf16).map { moved($0, over: missed) } ?? []
    }

    mutating func select(_ selections: [Selection], ofRemote index: Int) {
        presence.select(selections, by: &remoteSessions[index])
        sweepPresenceIfNeeded()
    }

    private mutating func removeRemoteSession(at index: Int) {
        let session = remoteSessions.remove(at: index)
        presence.left(session.name, session.presence)
        sweepPresenceIfNeeded()
    }

    private mutating func removeRemoteSessions(_ isGone: (RemoteSession) -> Bool) {
        for index in remoteSessions.indices.reversed() where isGone(remoteSessions[index]) {
            removeRemoteSession(at: index)
        }
    }

    /// Removes the remote sessions that their servers have not confirmed in time, and asks again for selections that could
    /// not be shown.
    mutating func doRemoteWork() {
        let last = clock.now - RemoteSessions.confirmationTime
        removeRemoteSessions { $0.unconfirmedSince ?? .max <= last }
        if remoteSessions.takeAsking(at: clock.now) { askForRemoteSessions() }
        scheduleRemoteWork()
    }

    private mutating func scheduleRemoteWork() {
        if let time = remoteSessions.workTime { clock.schedule(at: time) }
    }

    /// The last session has left, so nobody sees the remote sessions.
    mutating func forgetRemoteSessions() {
        presence.forget(remoteSessions)
        remoteSessions = RemoteSessions()
    }

    /// The client of a session that opens the document may have been at another server before.
    mutating func welcome(_ participant: Participant) {
        if !sharesStore { return }
        if sessions.isEmpty { return askForRemoteSessions() }
        removeRemoteSessions {
            $0.introduction.client == participant.introduction.client
                && $0.introduction.user == participant.introduction.user
        }
    }

    private mutating func askForRemoteSessions() { effects.add(.publish(.roster(log.document))) }

    // MARK: What this room publishes

    private mutating func publishAllSelections() {
        for index in sessions.indices where sessions[index].presence.known != nil { publish(index) }
    }

    /// Publishes the selections that have changed since the last call. Returns whether there were any.
    mutating func publishSelections() -> Bool {
        if !sharesStore { return false }
        let published = presence.publishedUntil
        let changed = sessions.indices.filter { sessions[$0].presence.selected > published }
        for index in changed { publish(index) }
        presence.markPublished()
        return !changed.isEmpty
    }

    private mutating func publish(_ index: Int) {
        let (session, introduction) = (sessions[index], sessions[index].participant.introduction)
        effects.add(
            .publish(
                .selected(
                    PublishedSession(
                        document: log.document, epoch: log.epoch.document, revision: head,
                        session: ByteString(session.participant.name.string),
                        user: ByteString(introduction.user.string),
                        client: ByteString(introduction.client.string),
                        info: introduction.info.map { ByteString(utf8: $0.json) },
                        moment: session.presence.selected,
                        selections: Array(
                            session.presence.selections.prefix(PublishedSession.mostSelections))))))
    }

    mutating func publishDeparture(of session: RoomSession) {
        if !sharesStore || session.presence.known == nil { return }
        effects.add(.publish(.left(log.document, ByteString(session.participant.name.string))))
    }
}
