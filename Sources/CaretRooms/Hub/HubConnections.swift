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
        if isStopping { return refuse(joining, .shuttingDown) }
        let (connection, shown) = (joining.connection, joining.identity)
        if delaysUntilSignOutsAreRead(.join(joining), as: shown, of: connection) { return }
        let identity: Identity
        do throws(RequestRefusal) {
            identity = try checked(joining.identity)
            try checkCount(joining)
        } catch {
            return refuse(joining, error)
        }
        noteUse(of: joining.identity)
        let publicPusher = sharesStore ? publicPusher(joining.pusher) : nil
        for replaced in joinedConnections.join(joining, as: publicPusher, at: now) {
            emit(.sendToConnection(replaced, .ended(.replaced)))
        }
        if let publicPusher { emit(.publish(.joined(publicPusher, at: now))) }
        if identity != joining.identity { change(identity, of: joining.connection) }
        admit(joining.pusher)
    }

    mutating func refuse(_ joining: JoinRequest, _ refusal: RequestRefusal) {
        let report = ErrorReport(
            refusal.code, refusal.message, retryAfterMilliseconds: refusal.retryAfterMilliseconds)
        emit(.sendToConnection(joining.connection, .refused(report)))
    }

    /// A connection has ended. It sends nothing more to the hub or to rooms. Its waiting requests are dropped
    /// later, instead of being run.
    mutating func left(_ connection: ConnectionID) {
        rejoiningConnections[connection] = nil
        waitingSignIns[connection] = nil
        guard let identity = joinedConnections[connection]?.identity,
            let endingSessions = joinedConnections.leave(connection)
        else { return }
        noteUse(of: identity)
        endFollowing(connection)
        waitingReads[connection] = nil
        waitingBlames.removeAll { $0.request.connection == connection }
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
        let identity = joinedConnections[connection]?.identity
        emit(.sendToConnection(connection, .admitted(expiresIn: identity?.timeToEnd(at: wall))))
        // The link may have ended with a rename or a deletion since it was looked up.
        if let identity, UserName.isOfLink(identity.user), let token = identity.credential.stored {
            checkTokens([token])
        }
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
                signOut(connection)
                continue
            }
            guard var identity = joinedConnections[connection]?.identity else { continue }
            identity.grants = grants
            apply(identity, to: connection)
        }
    }

    /// Replaces the token of a connection. The new token was looked up before.
    mutating func authenticate(_ request: HubRequest, as found: Identity) {
        let connection = request.connection
        if delaysUntilSignOutsAreRead(.authenticate(request), as: found, of: connection) { return }
        do throws(RequestRefusal) {
            // The connection is ending, because its token has become invalid.
            if joinedConnections[request.connection]?.isSignedIn != true { throw .tokenEnded }
            let identity = try checked(found)
            let isChanged = identity.grants != joinedConnections[request.connection]?.identity.grants
            noteUse(of: identity)
            apply(identity, to: request.connection)
            answer(
                request,
                .authenticated(
                    Authenticated(
                        user: WireString(identity.user.string), changed: isChanged,
                        rights: identity.grants.announcedMost, grants: identity.grants.announced,
                        expires: identity.expires.map(Int.init),
                        expiresInMilliseconds: identity.timeToEnd(at: wall))))
        } catch {
            refuse(request, error)
        }
    }

    /// A connection's token or grants have changed.
    private mutating func apply(_ identity: Identity, to connection: ConnectionID) {
        change(identity, of: connection)
        for session in joinedConnections[connection]?.sessions ?? [] {
            if let document = sessions[session] { send(identity.grants, to: document, of: session) }
        }
        updatePushWithoutSession(of: connection, identity.grants)
    }

    /// Ends the connections whose tokens have ended, like those of revoked tokens.
    mutating func endExpiredConnections() {
        let (tokens, wall, steady) = (tokenTime, wall, now)
        let expired = joinedConnections.takeExpired { clock in
            switch clock {
            case .tokens: tokens
            case .wall: wall
            case .steady: steady
            }
        }
        for connection in expired {
            if let token = joinedConnections[connection]?.identity.credential.stored { noteEnd(of: token) }
            signOut(connection)
        }
    }

    /// Changes the keys of signed tokens and the rights of guests. Connections that no longer fit end.
    mutating func signInChanged(_ keys: Set<ByteString>, _ guests: Grants) {
        signingKeys = keys
        for connection in joinedConnections.connections {
            guard let identity = joinedConnections[connection]?.identity else { continue }
            switch identity.credential {
            case .unneeded, .stored, .proxied: break
            case .signed(let signed): if !keys.contains(signed.key) { signOut(connection) }
            case .guest: if identity.grants != guests { signOut(connection) }
            }
        }
    }

    /// Ends the connections of tokens that were signed out.
    mutating func endSignedOut() {
        for connection in joinedConnections.connections {
            guard let joined = joinedConnections[connection], joined.isSignedIn,
                case .signed(let signed) = joined.identity.credential,
                signOuts.contain(signed, of: joined.identity.user)
            else { continue }
            signOut(connection)
        }
    }

    /// The identity with its current grants. Refuses a token that is no longer valid.
    private mutating func checked(_ identity: Identity) throws(RequestRefusal) -> Identity {
        var identity = identity
        switch identity.credential {
        // A proxy's sign-in may end before its connection has joined. Then it ends right after.
        case .unneeded, .guest, .proxied: break
        case .stored(let token, let hasEnded):
            if let end = identity.end, hasEnded || end <= tokenTime || endingTokens.contains(token) {
                if !hasEnded { noteEnd(of: token) }
                // Only a client that has shown the token gets this message.
                throw RequestRefusal(.unauthorized, "the token ended at \(UTCTime(milliseconds: end))")
            }
            guard let grants = changedGrants.grants(of: token, found: identity.grants) else {
                throw RequestRefusal(.unauthorized, "the token was revoked")
            }
            identity.grants = grants
        case .signed(let signed):
            if identity.end ?? .max <= wall { throw .tokenEnded }
            if signingKeys?.contains(signed.key) == false {
                throw RequestRefusal(.tokenEnded, "the key that signed the token was removed")
            }
            if signOuts.contain(signed, of: identity.user) { throw .signedOut }
            if !signOuts.areKnown(at: now, sharesStore: sharesStore) { throw .signOutsUnknown }
        }
        return identity
    }

    /// Refuses a connection if its user, or the guest's address, already has the most connections allowed.
    private func checkCount(_ joining: JoinRequest) throws(RequestRefusal) {
        guard let count = joinedConnections.count(besides: joining) else { return }
        let isGuest = if case .guest = joining.identity.credential { true } else { false }
        let most = isGuest ? limits.guestConnections : limits.userConnections
        if count < most { return }
        let holder = isGuest ? "this address has" : "the user has"
        throw RequestRefusal(
            .overloaded,
            "\(holder) \(count) connections\(isGuest ? " without a token" : ""); at most \(most) are allowed")
    }

    private mutating func noteUse(of identity: Identity) {
        if let token = identity.credential.stored { tokenUses.note(token, at: now) }
    }

    /// Records in the store that a token was found ended, so that it stays ended if the clock is set back.
    private mutating func noteEnd(of token: TokenID) {
        guard endingTokens.insert(token).inserted else { return }
        call(.tokens(.noteEnds([token])), for: .tokenEnd(token))
    }

    /// Ends a connection, because its token is no longer valid. The connection sends `bye` once its pushes are
    /// answered, and has no rights until then. The connection informs its rooms itself, so that they receive
    /// its earlier pushes first.
    private mutating func signOut(_ connection: ConnectionID) {
        guard let reason = joinedConnections[connection]?.identity.credential.byeReason else { return }
        if joinedConnections.isPresent(connection) {
            joinedConnections.signOut(connection)
            emit(.sendToConnection(connection, .ended(reason)))
            updatePushWithoutSession(of: connection, .none)
        } else if joinedConnections.dismiss(connection) {
            emit(.sendToConnection(connection, .ended(reason)))
        }
    }

    /// Sends new grants to a room. The connection sent its last push there without having opened the
    /// document. That push may still wait in the room.
    private mutating func updatePushWithoutSession(of connection: ConnectionID, _ grants: Grants) {
        guard let document = joinedConnections[connection]?.pushedTo else { return }
        send(grants, to: document, of: .sessionless(connection))
    }

    private mutating func change(_ identity: Identity, of connection: ConnectionID) {
        joinedConnections.change(identity, of: connection)
        emit(.sendToConnection(connection, .identityChanged(identity)))
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
            send(joined.identity.grants, to: document, of: .sessionless(connection))
        }
    }
}

extension Identity {
    /// The milliseconds until the token ends, by the wall clock; nil if it has no end.
    fileprivate func timeToEnd(at wall: Int64) -> Int? { expires.map { Int(max(0, $0 - wall)) } }
}

extension RequestRefusal {
    fileprivate static let tokenEnded = RequestRefusal(.tokenEnded, "the token has ended")
}
