import CaretCore
import CaretLog
import CaretWire

/// From the first line to the welcome.
extension ConnectionState {
    /// Handles the first message.
    mutating func greet(_ envelope: Envelope<ClientMessage>) {
        guard case .hello(let hello) = envelope.message else {
            return fail(.helloRequired, "hello is the first message of a connection", envelope.id)
        }
        phase = .authenticating(hello, envelope.id)
        order(.authenticate(token: hello.token))
    }

    /// The token was looked up.
    package mutating func authenticated(_ result: Authentication) -> [ConnectionAction] {
        guard case .authenticating(let hello, let id) = phase else { return [] }
        switch result {
        case .unknown: fail(.unauthorized, "the token is not known, or good for nothing any more", id)
        case .tooOften(let retry):
            fail(
                .rateLimited, "too many unknown tokens came from this address", id,
                retryAfterMilliseconds: retry)
        case .failed: fail(.storageFailed, "the token could not be looked up", id)
        case .known(let identity): join(hello, id, as: identity)
        }
        return settled()
    }

    private mutating func join(_ hello: Hello, _ id: RequestID?, as identity: Identity) {
        let client = ByteString(utf8: Array(hello.client.utf8))
        let pusher = Pusher(user: identity.user, client: client)
        let unit = hello.units.first ?? .utf16
        let introduction = Introduction(
            user: WireString(identity.user.string), client: settings.publicClient(pusher), info: hello.info)
        let member = Member(
            pusher: pusher, token: identity.token, grants: identity.grants, unit: unit,
            introduction: introduction)
        phase = .joining(member, id)
        order(
            .join(
                Joining(
                    connection: self.id, pusher: pusher, token: identity.token, grants: identity.grants,
                    unit: unit, peer: peer)))
    }

    /// The hub has sent something.
    package mutating func told(_ news: ConnectionNews) -> [ConnectionAction] {
        if case .closing = phase { return [] }
        if isClosed { return [] }
        switch news {
        case .admitted: welcome()
        case .refused(let report): refused(report)
        case .answered(let envelope): answered(envelope)
        case .begun: beganLong()
        case .reported(let envelope): reported(envelope)
        case .placed(let session, let document): documents.change(session) { $0.document = document }
        case .documents(let messages): tell(messages)
        case .grantsChanged(let grants): change(grants)
        case .ended(.revoked): revoked()
        case .ended(let reason): say(goodbye: reason)
        case .shuttingDown(let retry): shutDown(retry)
        }
        return settled()
    }

    private mutating func welcome() {
        guard case .joining(let member, let id) = phase else { return }
        phase = .welcomed(member)
        input.allowLines(of: limits.announced.line)
        let welcome = Welcome(
            unit: member.unit, server: settings.server, user: member.introduction.user,
            client: member.introduction.client, features: settings.features, limits: limits.announced,
            ping: limits.pingSeconds, store: settings.store())
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
        case .finishing(var member, let farewell):
            member.grants = grants
            phase = .finishing(member, farewell)
        case .expectingHello, .authenticating, .closing, .closed: return
        }
        for session in documents.sessions {
            documents.change(session) { $0.rights = grants.access(to: $0.name).rights }
        }
    }

    private mutating func tell(_ messages: [ServerMessage]) {
        guard isTalking else { return }
        // There is nothing to deliver, so it counts as delivered.
        if messages.isEmpty { return order(.tookDocuments) }
        for (index, message) in messages.enumerated() {
            send(message, of: index == messages.count - 1 ? .follow : .connection)
        }
    }
}
