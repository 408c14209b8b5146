import CaretLog
import CaretWire

/// How connections join and leave.
extension HubState {
    /// A connection wants to join. An older one of the same user and client is ended. The new one is admitted
    /// once every room has seen the end of the old one. The grants of its token may have changed since the
    /// lookup.
    mutating func join(_ joining: Joining) {
        if attendance[joining.connection] != nil { return }
        if isStopping {
            let report = ErrorReport(RequestRefusal.shuttingDown.code, RequestRefusal.shuttingDown.message)
            order(.tell(joining.connection, .refused(report)))
            return
        }
        guard let grants = grantsBook.grants(of: joining.token, found: joining.grants) else {
            let report = ErrorReport(.unauthorized, "the token is good for nothing any more")
            order(.tell(joining.connection, .refused(report)))
            return
        }
        for replaced in attendance.join(joining, at: now) { order(.tell(replaced, .ended(.replaced))) }
        if grants != joining.grants { change(grants, of: joining.connection) }
        admit(joining.pusher)
    }

    /// A connection has ended. It sends nothing more to the hub or to rooms. Its requests are dropped when
    /// their turn comes.
    mutating func left(_ connection: ConnectionID) {
        guard let ending = attendance.leave(connection) else { return }
        endFollowing(connection)
        readings[connection] = nil
        for session in ending {
            guard let document = sessions[session] else { continue }
            order(.tellRoom(document, .leave(session)))
        }
        forget(connection)
    }

    /// A room has ended a session.
    mutating func ended(_ session: SessionID) {
        end(session)
    }

    /// A session is further behind than its room keeps in memory, or is no longer.
    mutating func fellBehind(_ session: SessionID, _ isBehind: Bool) {
        guard sessions[session] != nil else { return }
        if isBehind { slowSessions.insert(session) } else { slowSessions.remove(session) }
    }

    mutating func end(_ session: SessionID) {
        slowSessions.remove(session)
        guard let document = sessions.removeValue(forKey: session) else { return }
        rooms[document]?.sessions.remove(session)
        dropIfUnneeded(document)
        attendance.ended(session)
        forget(session.connection)
    }

    private mutating func forget(_ connection: ConnectionID) {
        guard let pusher = attendance.forget(connection) else { return }
        admit(pusher)
    }

    private mutating func admit(_ pusher: Pusher) {
        guard let connection = attendance.admitted(of: pusher) else { return }
        order(.tell(connection, .admitted))
    }

    /// A token has other grants from now on; none if it was revoked.
    ///
    /// No message changes grants except by revoking the token. Other changes are possible for the hub's
    /// runner, and lead to the protocol's `rights`. Simulations change grants all the time, so that nothing
    /// relies on fixed grants.
    mutating func grantsChanged(_ grants: Grants?, of token: TokenID) {
        grantsBook.note(grants, of: token)
        for connection in attendance.connections(with: token) {
            guard let grants else {
                revoke(connection)
                continue
            }
            change(grants, of: connection)
            for session in attendance[connection]?.sessions ?? [] {
                if let document = sessions[session] { tell(grants, to: document, of: session) }
            }
            tellGuest(of: connection, grants)
        }
    }

    /// A connection's token was revoked. It sends `bye` once its pushes are answered, and may do nothing
    /// until then. It informs the rooms of its sessions itself, after everything that it sent to them before.
    private mutating func revoke(_ connection: ConnectionID) {
        if attendance.isPresent(connection) {
            attendance.change(.none, of: connection)
            order(.tell(connection, .ended(.revoked)))
            tellGuest(of: connection, .none)
        } else if attendance.dismiss(connection) {
            order(.tell(connection, .ended(.revoked)))
        }
    }

    /// A push of the guest may wait in the room that received the last one.
    private mutating func tellGuest(of connection: ConnectionID, _ grants: Grants) {
        guard let document = attendance[connection]?.pushedTo else { return }
        tell(grants, to: document, of: .guest(of: connection))
    }

    private mutating func change(_ grants: Grants, of connection: ConnectionID) {
        attendance.change(grants, of: connection)
        order(.tell(connection, .grantsChanged(grants)))
    }

    private mutating func tell(_ grants: Grants, to document: DocumentID, of session: SessionID) {
        guard let room = rooms[document], let name = room.name else { return }
        switch room.state {
        case .open, .ending:
            order(.tellRoom(document, .rightsChanged(session, grants.access(to: name).rights)))
        // If the room is kept after all, it is informed then.
        case .dropping, .loading, .changing: break
        }
    }

    /// Informs a room that was about to go of the current rights of guests whose pushes may wait there.
    mutating func tellRightsOfGuests(in document: DocumentID) {
        for connection in attendance.connections {
            guard let attendant = attendance[connection], attendant.pushedTo == document else { continue }
            tell(attendant.grants, to: document, of: .guest(of: connection))
        }
    }
}
