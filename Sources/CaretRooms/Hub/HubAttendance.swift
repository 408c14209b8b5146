import CaretLog
import CaretWire

/// Connections come and go.
extension HubState {
    /// A connection wants in. An older one of the same user and client gives way: the newer one is let in as soon as every
    /// room has taken the older one's end. What its token is good for may have changed since that was looked up.
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

    /// A connection is gone; it asks nothing and tells rooms nothing any more. What it asked is dropped when its turn
    /// comes.
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

    /// A session is further behind than its room has at hand, or is no longer.
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

    /// A token is good for something else from now on, or, where there are no grants, for nothing.
    ///
    /// No message changes a token's grants but to nothing. Others are for whoever runs the hub, and come to what the
    /// protocol's `rights` says: simulations change them all the time, so that nothing relies on grants that stay.
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

    /// A connection's token is good for nothing any more: it says goodbye once what it pushed is answered, and may do
    /// nothing until then. It tells the rooms of its sessions itself, behind all that it told them before.
    private mutating func revoke(_ connection: ConnectionID) {
        if attendance.isPresent(connection) {
            attendance.change(.none, of: connection)
            order(.tell(connection, .ended(.revoked)))
            tellGuest(of: connection, .none)
        } else if attendance.dismiss(connection) {
            order(.tell(connection, .ended(.revoked)))
        }
    }

    /// A push of the guest may wait in the room that it was sent to last.
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
        // One that is kept after all is told then.
        case .dropping, .loading, .changing: break
        }
    }

    /// Tells a room that was not to be told anything what guests may do now whose pushes may wait there.
    mutating func tellRightsOfGuests(in document: DocumentID) {
        for connection in attendance.connections {
            guard let attendant = attendance[connection], attendant.pushedTo == document else { continue }
            tell(attendant.grants, to: document, of: .guest(of: connection))
        }
    }
}
