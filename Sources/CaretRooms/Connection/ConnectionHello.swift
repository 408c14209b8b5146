import CaretCore
import CaretLog
import CaretWire

/// The handshake, from the first line to `welcome`.
extension ConnectionState {
    /// Handles the first message.
    mutating func greet(_ envelope: Envelope<ClientMessage>) {
        guard case .hello(let hello) = envelope.message else {
            return failWithoutHello(envelope.id)
        }
        phase = .authenticating(hello, envelope.id)
        emit(.authenticate(token: hello.token))
    }

    /// Refuses a first message that is not `hello`, whatever its fields contain.
    mutating func failWithoutHello(_ id: RequestID?) {
        fail(.helloRequired, "the first message of a connection must be hello", id)
    }

    /// Handles the result of the token lookup.
    package mutating func authenticated(_ result: Authentication) -> [ConnectionAction] {
        switch (phase, underway) {
        case (.authenticating(let hello, let id), _): authenticated(result, hello, id)
        case (_, .authenticating(let authenticate, let id)): authenticated(result, authenticate, id)
        default: return []
        }
        return finishEvent()
    }

    private mutating func authenticated(_ result: Authentication, _ hello: Hello, _ id: RequestID?) {
        if let report = ErrorReport(result) { return fail(report, id) }
        // The hub decides whether the token has ended.
        if case .known(let identity) = result { join(hello, id, as: identity) }
    }

    /// Handles the lookup of another token. The earlier one stays valid until the hub has accepted the new one.
    private mutating func authenticated(
        _ result: Authentication, _ authenticate: Authenticate, _ id: RequestID?
    ) {
        underway = nil
        if let report = ErrorReport(result) { return tokenRefused(report, id) }
        guard case .known(let identity) = result, let member else { return }
        if identity.user != member.identity.user {
            return fail(.forbidden, "the token belongs to another user than the connection", id)
        }
        ask(.authenticate(identity), .authenticate(authenticate), id)
    }

    /// Refuses another token, and ends the connection unless it is ending already.
    mutating func tokenRefused(_ report: ErrorReport, _ id: RequestID?) {
        if case .welcomed = phase { return fail(report, id) }
        note(report)
        send(.error(report), id)
    }

    private mutating func join(_ hello: Hello, _ id: RequestID?, as identity: Identity) {
        let client = ByteString(utf8: Array(hello.client.utf8))
        let pusher = Pusher(user: identity.user, client: client)
        let unit = hello.units.first ?? .utf16
        let introduction = Introduction(
            user: WireString(identity.user.string), client: settings.publicClient(pusher),
            info: WireInfo.shown(hello.info, identity.look))
        let member = Member(pusher: pusher, identity: identity, unit: unit, introduction: introduction)
        phase = .joining(member, id)
        emit(
            .join(
                JoinRequest(
                    connection: self.id, pusher: pusher, identity: identity, unit: unit, peer: peer)))
    }

    /// Handles a message from the hub.
    package mutating func hubSent(_ message: HubMessage) -> [ConnectionAction] {
        switch message {
        case .admitted(let expiresIn): welcome(expiresIn)
        case .refused(let report): refused(report)
        case .answered(let envelope): answered(envelope)
        case .answeredWithText(let line): answered(line)
        case .startedLongRequest: startedLongRequest()
        case .reported(let envelope): reported(envelope)
        case .assignedRoom(let session, let document): documents.change(session) { $0.document = document }
        case .documents(let messages): send(messages)
        case .identityChanged(let identity): change(identity)
        case .ended(.revoked): tokenEnded(.revoked)
        case .ended(.tokenEnded): tokenEnded(.tokenEnded)
        case .ended(let reason): say(goodbye: reason)
        case .shuttingDown(let retry): shutDown(retry)
        }
        return finishEvent()
    }

    /// `expiresIn` is the time until the token ends, in milliseconds.
    private mutating func welcome(_ expiresIn: Int?) {
        guard case .joining(let member, let id) = phase else { return }
        phase = .welcomed(member)
        input.allowLines(of: limits.announced.line)
        let welcome = Welcome(
            unit: member.unit, server: settings.server, user: member.introduction.user,
            client: member.introduction.client, features: settings.features, limits: limits.announced,
            ping: limits.pingSeconds, page: settings.page(), store: settings.store(), node: settings.node,
            rights: member.identity.grants.announcedMost, grants: member.identity.grants.announced,
            expires: member.identity.expires.map(Int.init), expiresInMilliseconds: expiresIn,
            info: WireInfo.shown(nil, member.identity.look))
        send(.welcome(welcome), id)
    }

    private mutating func refused(_ report: ErrorReport) {
        guard case .joining(_, let id) = phase else { return }
        fail(report, id)
    }

    private mutating func change(_ identity: Identity) {
        switch phase {
        case .joining(var member, let id):
            member.identity = identity
            phase = .joining(member, id)
        case .welcomed(var member):
            member.identity = identity
            phase = .welcomed(member)
        // A connection that is finishing sends no more pushes to rooms, so it does not need new grants.
        case .expectingHello, .authenticating, .finishing, .closing, .closed: return
        }
        for session in documents.sessions {
            documents.change(session) { $0.rights = identity.grants.access(to: $0.name).rights }
        }
    }

    private mutating func send(_ messages: [ServerMessage]) {
        guard isWelcomed else { return }
        // For an empty batch nothing is sent, so it counts as delivered at once.
        if messages.isEmpty { return emit(.deliveredDocuments) }
        for (index, message) in messages.enumerated() {
            send(message, of: index == messages.count - 1 ? .follow : .connection)
        }
    }
}

extension Grants {
    /// The most that the user may do with any document, as `welcome` says it.
    var announcedMost: Rights? { most < .write ? most.rights : nil }

    /// What the user may write, as `welcome` says it.
    var announced: [WireGrant] {
        let scopes = writable
        if scopes == [.prefix("")] || scopes.count > Welcome.mostGrants { return [] }
        return scopes.map { WireGrant(.write, to: WireGrant.Scope($0)) }
    }
}
