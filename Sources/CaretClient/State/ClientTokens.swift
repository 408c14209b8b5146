import CaretReplica
import CaretWire

/// How a client gets tokens from its app, and shows them.
extension ClientState {
    /// Connects, once there is a token.
    mutating func connect(at now: Moment) -> [ClientAction] {
        silentSince = now
        guard let tokens, tokens.token == nil else {
            link = .connecting
            return [.connect(to: rotation.current, within: rotation.attemptTimeout)]
        }
        if !tokens.isAsking, tokens.mayAsk(at: now) > now {
            link = .waiting(until: tokens.mayAsk(at: now))
            return []
        }
        link = .fetchingToken
        return fetchToken(at: now)
    }

    private mutating func fetchToken(at now: Moment) -> [ClientAction] {
        guard var tokens, !tokens.isAsking else { return [] }
        tokens.asked(at: now)
        self.tokens = tokens
        return [.fetchToken(question: tokens.question)]
    }

    /// Asks for the next token if it is time, or goes on without an answer.
    mutating func refreshToken(at now: Moment, _ jitter: Jitter) -> [ClientAction] {
        if let question = tokens?.question, let due = tokens?.answerDue, due <= now {
            let seconds = TokenFetching.longestAnswer.value / 1_000
            return fetched(.failure("no answer within \(seconds) s"), to: question, at: now, jitter)
        }
        guard link.isWelcomed, let refreshAt = tokens?.refreshAt, refreshAt <= now else { return [] }
        return fetchToken(at: now)
    }

    /// The app has answered.
    package mutating func fetched(
        _ answer: FetchedToken, to question: Int, at now: Moment, _ jitter: Jitter
    ) -> [ClientAction] {
        if link.hasEnded || question != tokens?.question || tokens?.isAsking != true { return [] }
        switch answer {
        case .token(nil): return end(.signedOut, at: now)
        case .token(let token?):
            tokens?.answered(token)
            if link == .fetchingToken { return connect(at: now) + wake() }
            guard link.isWelcomed else { return [] }
            let id = ids.next()
            tokens?.show(id)
            return [.send(.authenticate(Authenticate(token: token)), id: id)]
        case .failure(let reason):
            tokens?.failed(at: now)
            guard link == .fetchingToken else { return wake() }
            return disconnected(.unreachable("the app gave no token: \(reason)"), at: now, jitter)
        }
    }

    /// The server has accepted the token. Ends the client if it belongs to another user than before.
    mutating func accepted(
        _ user: WireString, for milliseconds: Int?, at now: Moment, _ jitter: Jitter
    ) -> [ClientAction]? {
        if let expected = self.user, expected != user {
            return end(.otherUser(expected: expected.string, found: user.string), at: now)
        }
        if tokens != nil { self.user = user }
        tokens?.accepted(for: milliseconds, at: now, jitter)
        return nil
    }

    /// Handles the answer to `authenticate`. Returns nil for any other message.
    mutating func answerToAuthenticate(
        _ envelope: Envelope<ServerMessage>, at now: Moment, _ jitter: Jitter
    ) -> [ClientAction]? {
        guard let id = envelope.id, id == tokens?.authenticating else { return nil }
        switch envelope.message {
        case .authenticated(let answer):
            if let end = accepted(answer.user, for: answer.expiresInMilliseconds, at: now, jitter) {
                return end
            }
            guard answer.changed, case .welcomed(var welcome) = link else { return [] }
            (welcome.rights, welcome.grants) = (answer.rights, answer.grants)
            link = .welcomed(welcome)
            return sendFollow()
        case .error(let error): return authenticateRefused(error, at: now)
        default: return nil
        }
    }

    private mutating func authenticateRefused(_ error: ErrorReport, at now: Moment) -> [ClientAction] {
        let refusal = ServerRefusal(error)
        switch refusal.code {
        case .forbidden: return end(.otherUser(expected: user?.string ?? "", found: nil), at: now)
        case .unauthorized: return end(.refused(refusal), at: now)
        case .tokenEnded:
            tokens?.ended()
            closeNotice = CloseNotice(error)
        default: tokens?.failed(at: now, retryAfter: error.retryAfterMilliseconds.map { Milliseconds($0) })
        }
        return []
    }

    /// The server has said that the token of the connection has ended. If the app has no function for tokens, the client
    /// ends.
    mutating func tokenEnded(_ fault: ConnectionFault, at now: Moment) -> [ClientAction] {
        // A guest has no token that could end: what guests may read has changed.
        if tokens == nil { return settings.hello.token == nil ? [] : end(fault, at: now) }
        tokens?.ended()
        return []
    }
}
