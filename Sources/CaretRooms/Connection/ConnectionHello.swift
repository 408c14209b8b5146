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
        guard case .authenticating(let hello, let id) = phase else { return [] }
        switch result {
        case .unknown: fail(.unauthorized, "the token is unknown or was revoked", id)
        case .tooOften(let retry):
            fail(
                .rateLimited, "too many unknown tokens came from this address", id,
                retryAfterMilliseconds: retry)
        case .failed: fail(.storageFailed, "the token could not be looked up", id)
        // The hub decides whether the token has ended.
        case .known(let identity): join(hello, id, as: identity)
        }
        return finishEvent()
    }

    private mutating func join(_ hello: Hello, _ id: RequestID?, as identity: Identity) {
        let client = ByteString(utf8: Array(hello.client.utf8))
        let pusher = Pusher(user: identity.user, client: client)
        let unit = hello.units.first ?? .utf16
        let introduction = Introduction(
            user: WireString(identity.user.string), client: settings.publicClient(pusher), info: hello.info)
        let member = Member(
            pusher: pusher, token: identity.token, grants: identity.grants, expires: identity.expires,
            unit: unit,
            introduction: introduction)
        phase = .joining(member, id)
        emit(
            .join(
                JoinRequest(
                    connection: self.id, pusher: pusher, token: identity.token, grants: identity.grants,
                    expires: identity.expires, hasEnded: identity.hasEnded, unit: unit, peer: peer)))
    }

    /// Handles a message from the hub.
    package mutating func hubSent(_ message: HubMessage) -> [ConnectionAction] {
        switch message {
        case .admitted: welcome()
        case .refused(let report): refused(report)
        case .answered(let envelope): answered(envelope)
        case .answeredWithText(let line): answered(line)
        case .startedLongRequest: startedLongRequest()
        case .reported(let envelope): reported(envelope)
        case .assignedRoom(let session, let document): documents.change(session) { $0.document = document }
        case .documents(let messages): send(messages)
        case .grantsChanged(let grants): change(grants)
        case .ended(.revoked): revoked()
        case .ended(let reason): say(goodbye: reason)
        case .shuttingDown(let retry): shutDown(retry)
        }
        return finishEvent()
    }

    private mutating func welcome() {
        guard case .joining(let member, let id) = phase else { return }
        phase = .welcomed(member)
        input.allowLines(of: limits.announced.line)
        let welcome = Welcome(
            unit: member.unit, server: settings.server, user: member.introduction.user,
            client: member.introduction.client, features: settings.features, limits: limits.announced,
            ping: limits.pingSeconds, page: settings.page(), store: settings.store(), node: settings.node,
            rights: member.grants.most < .write ? member.grants.most.rights : nil,
            grants: member.grants.announced)
        send(.welcome(welcome), id)
    }

    private mutating func refused(_ report: ErrorReport) {
        guard case .joining(_, let id) = phase else { return }
        fail(report, id)
    }

    private mutating func change(_ grants: Grants) {
        switch phase {
        case .joining(var member, let id):
            member.grants = grants
            phase = .joining(member, id)
        case .welcomed(var member):
            member.grants = grants
            phase = .welcomed(member)
        // A connection that is finishing sends no more pushes to rooms, so it does not need new grants.
        case .expectingHello, .authenticating, .finishing, .closing, .closed: return
        }
        for session in documents.sessions {
            documents.change(session) { $0.rights = grants.access(to: $0.name).rights }
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
    /// What the user may write, as `welcome` says it.
    fileprivate var announced: [WireGrant] {
        let scopes = writable
        if scopes == [.prefix("")] || scopes.count > Welcome.mostGrants { return [] }
        return scopes.map { WireGrant(.write, to: WireGrant.Scope($0)) }
    }
}
