import CaretLog
import CaretWire

/// How connections join and leave.
extension HubState {
    /// Handles a connection's request to join. An older connection of the same user and client is ended. The
    /// new one is admitted once every room has seen the end of the old one. If the grants of its token have
    /// changed since the token was looked up, the new grants apply.
    mutating func join(_ joining: JoinRequest) {
        if joinedConnections.isLeaving(joining.connection) {
            rejoiningConnections[joining.connection] = joining
            return
        }
        if joinedConnections[joining.connection] != nil { return }
        if isStopping {
            let report = ErrorReport(RequestRefusal.shuttingDown.code, RequestRefusal.shuttingDown.message)
            emit(.sendToConnection(joining.connection, .refused(report)))
            return
        }
        if let end = joining.expires, hasEnded(joining, at: end) {
            if !joining.hasEnded { noteEnd(of: joining.token) }
            emit(.sendToConnection(joining.connection, .refused(ErrorReport(tokenEndedAt: end))))
            return
        }
        guard let grants = changedGrants.grants(of: joining.token, found: joining.grants) else {
            let report = ErrorReport(.unauthorized, "the token was revoked")
            emit(.sendToConnection(joining.connection, .refused(report)))
            return
        }
        tokenUses.note(joining.token, at: now)
        let publicPusher = sharesStore ? publicPusher(joining.pusher) : nil
        for replaced in joinedConnections.join(joining, as: publicPusher, at: now) {
            emit(.sendToConnection(replaced, .ended(.replaced)))
        }
        if let publicPusher { emit(.publish(.joined(publicPusher, at: now))) }
        if grants != joining.grants { change(grants, of: joining.connection) }
        admit(joining.pusher)
    }

    /// A connection has ended. It sends nothing more to the hub or to rooms. Its waiting requests are dropped
    /// later, instead of being run.
    mutating func left(_ connection: ConnectionID) {
        rejoiningConnections[connection] = nil
        guard let token = joinedConnections[connection]?.token,
            let endingSessions = joinedConnections.leave(connection)
        else { return }
        tokenUses.note(token, at: now)
        endFollowing(connection)
        waitingReads[connection] = nil
        for session in endingSessions {
            guard let document = sessions[session] else { continue }
            emit(.sendToRoom(document, .leave(session)))
        }
        forget(connection)
    }

    /// A room has ended a session.
    mutating func ended(_ session: SessionID) {
        end(session)
    }

    /// Records whether a session needs revisions that its room no longer has in memory.
    mutating func fellBehind(_ session: SessionID, _ isBehind: Bool) {
        guard sessions[session] != nil else { return }
        if isBehind { slowSessions.insert(session) } else { slowSessions.remove(session) }
    }

    mutating func end(_ session: SessionID) {
        slowSessions.remove(session)
        guard let document = sessions.removeValue(forKey: session) else { return }
        rooms[document]?.sessions.remove(session)
        dropIfUnneeded(document)
        joinedConnections.ended(session)
        forget(session.connection)
    }

    private mutating func forget(_ connection: ConnectionID) {
        guard let pusher = joinedConnections.forget(connection) else { return }
        admit(pusher)
        if let joining = rejoiningConnections.removeValue(forKey: connection) { join(joining) }
    }

    private mutating func admit(_ pusher: Pusher) {
        guard let connection = joinedConnections.admitted(of: pusher) else { return }
        emit(.sendToConnection(connection, .admitted))
    }

    /// Changes the grants of a token. `grants` is nil if the token was revoked.
    ///
    /// In the protocol, the only way to change grants is to revoke the token. The hub's runner may make other
    /// changes, which clients receive as `rights`. Simulations change grants all the time, so that no code
    /// relies on fixed grants.
    mutating func grantsChanged(_ grants: Grants?, of token: TokenID) {
        changedGrants.note(grants, of: token)
        for connection in joinedConnections.connections(with: token) {
            guard let grants else {
                revoke(connection)
                continue
            }
            change(grants, of: connection)
            for session in joinedConnections[connection]?.sessions ?? [] {
                if let document = sessions[session] { send(grants, to: document, of: session) }
            }
            updatePushWithoutSession(of: connection, grants)
        }
    }

    /// Ends the connections whose tokens have ended, like those of revoked tokens.
    mutating func endExpiredConnections() {
        for connection in joinedConnections.takeExpired(at: tokenTime) {
            if let token = joinedConnections[connection]?.token { noteEnd(of: token) }
            revoke(connection)
        }
    }

    private func hasEnded(_ joining: JoinRequest, at end: Int64) -> Bool {
        joining.hasEnded || end <= tokenTime || endingTokens.contains(joining.token)
    }

    /// Records in the store that a token was found ended, so that it stays ended if the clock is set back.
    private mutating func noteEnd(of token: TokenID) {
        guard endingTokens.insert(token).inserted else { return }
        call(.tokens(.noteEnds([token])), for: .tokenEnd(token))
    }

    /// Ends a connection whose token was revoked or has ended. The connection sends `bye` once its pushes are
    /// answered, and has no rights until then. The connection informs its rooms itself, so that they receive
    /// its earlier pushes first.
    private mutating func revoke(_ connection: ConnectionID) {
        if joinedConnections.isPresent(connection) {
            joinedConnections.change(.none, of: connection)
            emit(.sendToConnection(connection, .ended(.revoked)))
            updatePushWithoutSession(of: connection, .none)
        } else if joinedConnections.dismiss(connection) {
            emit(.sendToConnection(connection, .ended(.revoked)))
        }
    }

    /// Sends new grants to a room. The connection sent its last push there without having opened the
    /// document. That push may still wait in the room.
    private mutating func updatePushWithoutSession(of connection: ConnectionID, _ grants: Grants) {
        guard let document = joinedConnections[connection]?.pushedTo else { return }
        send(grants, to: document, of: .sessionless(connection))
    }

    private mutating func change(_ grants: Grants, of connection: ConnectionID) {
        joinedConnections.change(grants, of: connection)
        emit(.sendToConnection(connection, .grantsChanged(grants)))
    }

    private mutating func send(_ grants: Grants, to document: DocumentID, of session: SessionID) {
        guard let room = rooms[document], let name = room.name else { return }
        switch room.state {
        case .open, .runningOrder:
            emit(.sendToRoom(document, .rightsChanged(session, grants.access(to: name).rights)))
        // The room may be dropped or kept. If it is kept, `kept` sends it the rights.
        case .dropping, .changingInStore: break
        }
    }

    /// A room was about to be dropped, but is kept. Sends it the current rights of connections that pushed
    /// without a session. Their pushes may still wait in the room.
    mutating func updateRightsOfPushesWithoutSession(in document: DocumentID) {
        for connection in joinedConnections.connections {
            guard let joined = joinedConnections[connection], joined.pushedTo == document else { continue }
            send(joined.grants, to: document, of: .sessionless(connection))
        }
    }
}
