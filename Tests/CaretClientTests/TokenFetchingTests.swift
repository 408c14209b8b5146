import CaretClient
import CaretReplica
import CaretWire
import Testing

@Suite("A client that gets its tokens from a function of the app") struct TokenFetchingTests {
    private static let address = ClientConversation.address
    private static let connecting = ClientAction.connect(to: address, within: 10_000)

    private static func welcome(
        _ user: WireString = "ann", for milliseconds: Int? = 100_000
    ) -> ServerMessage {
        .welcome(
            Welcome(
                unit: .utf16, server: "caret/test", user: user, client: "p-1", ping: 1_000,
                expiresInMilliseconds: milliseconds))
    }

    private static func authenticated(
        _ user: WireString = "ann", changed: Bool = false, rights: Rights? = nil
    ) -> ServerMessage {
        .authenticated(
            Authenticated(user: user, changed: changed, rights: rights, expiresInMilliseconds: 100_000))
    }

    private static func error(_ code: ErrorCode) -> ServerMessage { .error(ErrorReport(code, "no")) }

    /// A client that was welcomed with the token `first`, which ends in 100 s.
    private static func online(user: WireString? = nil) -> ClientConversation {
        var talk = ClientConversation(fetchesTokens: true, user: user)
        _ = talk.start()
        _ = talk.fetched(.token("first"))
        _ = talk.connected()
        _ = talk.receive(welcome())
        return talk
    }

    /// The token that a client shows, in `hello` or `authenticate`.
    private static func shown(in actions: [ClientAction]) -> WireString? {
        for case .send(let message, _) in actions {
            switch message {
            case .hello(let hello): return hello.token
            case .authenticate(let authenticate): return authenticate.token
            default: break
            }
        }
        return nil
    }

    private static func id(of actions: [ClientAction]) -> RequestID? {
        for case .send(.authenticate, let id) in actions { return id }
        return nil
    }

    @Test("the client connects only once it has a token, and shows it")
    func first() {
        var talk = ClientConversation(fetchesTokens: true)
        #expect(talk.start().asks)
        #expect(talk.state.link == .fetchingToken)
        #expect(talk.fetched(.token("first")).contains(Self.connecting))
        #expect(Self.shown(in: talk.connected()) == "first")
    }

    @Test("it asks again at 70 to 85 % of the time, and shows the new token on the open connection")
    func refresh() {
        var talk = Self.online()
        #expect(!talk.wait(69_999).asks)
        #expect(talk.wait(1).asks)
        let actions = talk.fetched(.token("second"))
        #expect(Self.shown(in: actions) == "second" && talk.state.link.isWelcomedForTests)
        let answered = talk.receive(Self.authenticated(), Self.id(of: actions))
        #expect(!answered.contains(.disconnect) && !answered.asks)
        #expect(talk.wait(70_000).asks)
    }

    @Test("the same token again is no error")
    func same() {
        var talk = Self.online()
        _ = talk.wait(70_000)
        #expect(Self.shown(in: talk.fetched(.token("first"))) == "first")
    }

    @Test("changed rights: the client follows again, and knows what it may do now")
    func changed() {
        var talk = Self.online()
        _ = talk.follow()
        _ = talk.wait(70_000)
        let actions = talk.fetched(.token("second"))
        let answered = talk.receive(Self.authenticated(changed: true, rights: .read), Self.id(of: actions))
        #expect(answered.contains(.deliver(.restarted)))
        guard case .welcomed(let welcome) = talk.state.link else { return #expect(Bool(false)) }
        #expect(welcome.rights == .read)
    }

    @Test("nil means signed out, whenever it comes", arguments: [false, true])
    func signedOut(isOnline: Bool) {
        var talk = isOnline ? Self.online() : ClientConversation(fetchesTokens: true)
        _ = isOnline ? talk.wait(70_000) : talk.start()
        #expect(talk.fetched(.token(nil)).contains(.end(.signedOut)))
        #expect(talk.fetched(.token("late")) == [])
        #expect(talk.state.link == .ended(.signedOut))
    }

    @Test("a failure means offline: the client says why, and asks again after its usual delays and a pause")
    func failure() {
        var talk = ClientConversation(fetchesTokens: true)
        _ = talk.start()
        _ = talk.fetched(.failure("no network"))
        guard case .waiting = talk.state.link else { return #expect(Bool(false)) }
        #expect(!talk.wait(9_999).asks)
        #expect(talk.wait(1).asks)
    }

    @Test("a function that never answers counts as a failure after 30 s")
    func silence() {
        var talk = ClientConversation(fetchesTokens: true)
        _ = talk.start()
        _ = talk.wait(29_999)
        #expect(talk.state.link == .fetchingToken)
        _ = talk.wait(1)
        guard case .waiting = talk.state.link else { return #expect(Bool(false)) }
    }

    @Test("if a refresh fails, the connection goes on, and the client asks again after 10 s")
    func failedRefresh() {
        var talk = Self.online()
        _ = talk.wait(70_000)
        #expect(!talk.fetched(.failure("no network")).contains(.disconnect))
        #expect(!talk.wait(9_999).asks)
        #expect(talk.wait(1).asks)
    }

    @Test("a token that has ended is replaced once, and then at most every 10 s")
    func ended() {
        var talk = ClientConversation(fetchesTokens: true)
        _ = talk.start()
        _ = talk.wait(6_000)
        _ = talk.fetched(.token("old"))
        _ = talk.connected()
        _ = talk.wait(4_000)
        #expect(talk.receive(Self.error(.tokenEnded)).asks)
        #expect(talk.fetched(.token("older")).contains(Self.connecting))
        #expect(Self.shown(in: talk.connected()) == "older")
        #expect(!talk.receive(Self.error(.tokenEnded)).asks)
        #expect(talk.wait(10_000).asks)
    }

    @Test("a bye because of the token fetches another one before the next hello")
    func bye() {
        var talk = Self.online()
        _ = talk.wait(20_000)
        #expect(talk.receive(.bye(Bye(reason: .tokenEnded))) == [])
        _ = talk.disconnect()
        #expect(talk.wait(5_000).asks)
        _ = talk.fetched(.token("second"))
        #expect(Self.shown(in: talk.connected()) == "second")
    }

    @Test("a token that comes after the connection was lost is shown on the next one")
    func late() {
        var talk = Self.online()
        _ = talk.wait(70_000)
        _ = talk.disconnect()
        #expect(Self.shown(in: talk.fetched(.token("second"))) == nil)
        _ = talk.wait(60_000)
        #expect(Self.shown(in: talk.connected()) == "second")
    }

    @Test("a token that is refused for good ends the client")
    func unauthorized() {
        for code in [ErrorCode.unauthorized, .forbidden] {
            var talk = Self.online()
            _ = talk.wait(70_000)
            let id = Self.id(of: talk.fetched(.token("second")))
            _ = talk.receive(Self.error(code), id)
            guard case .ended(let fault) = talk.state.link else { return #expect(Bool(false)) }
            #expect((fault == .otherUser(expected: "ann", found: nil)) == (code == .forbidden))
        }
    }

    @Test("if the server cannot check a token now, the client shows it again later")
    func later() {
        var talk = Self.online()
        _ = talk.wait(70_000)
        let id = Self.id(of: talk.fetched(.token("second")))
        let refused = talk.receive(
            .error(ErrorReport(.rateLimited, "no", retryAfterMilliseconds: 12_000)), id)
        #expect(!refused.contains(.disconnect))
        #expect(!talk.wait(11_999).asks)
        #expect(talk.wait(1).asks)
    }

    @Test("a client never goes on as another user", arguments: [false, true])
    func otherUser(isNamed: Bool) {
        var talk = isNamed ? ClientConversation(fetchesTokens: true, user: "ann") : Self.online()
        if isNamed {
            _ = talk.start()
        } else {
            _ = talk.disconnect()
            _ = talk.wait(60_000)
        }
        _ = talk.fetched(.token("of bob"))
        _ = talk.connected()
        let ending = talk.receive(Self.welcome("bob"))
        #expect(ending.contains(.end(.otherUser(expected: "ann", found: "bob"))))
    }

    @Test("a token that the app caches until its end is shown at most every 10 s")
    func cached() {
        var talk = Self.online()
        _ = talk.wait(70_000)
        let id = Self.id(of: talk.fetched(.token("first")))
        _ = talk.receive(
            .authenticated(Authenticated(user: "ann", expiresInMilliseconds: 0)), id)
        #expect(!talk.wait(9_999).asks)
        #expect(talk.wait(1).asks)
    }

    @Test("a function that hangs while the client is online is called again, and its late answer is ignored")
    func hanging() {
        var talk = Self.online()
        #expect(talk.wait(70_000).asks)
        let late = talk.newestQuestion
        _ = talk.wait(30_000)
        #expect(talk.wait(10_000).asks)
        #expect(talk.fetched(.token(nil), to: late) == [])
        #expect(Self.shown(in: talk.fetched(.token("second"))) == "second")
    }

    @Test("a newer token is not dropped because the former one has ended")
    func newer() {
        var talk = Self.online()
        _ = talk.wait(70_000)
        _ = talk.disconnect()
        _ = talk.wait(5_000)
        _ = talk.connected()
        _ = talk.fetched(.token("second"))
        #expect(talk.receive(Self.error(.tokenEnded)).contains(Self.connecting))
        #expect(Self.shown(in: talk.connected()) == "second")
    }

    @Test("a token that was accepted before and is refused now is replaced once, because its key may be gone")
    func removedKey() {
        var talk = Self.online()
        _ = talk.wait(20_000)
        _ = talk.disconnect()
        _ = talk.wait(5_000)
        #expect(Self.shown(in: talk.connected()) == "first")
        #expect(talk.receive(Self.error(.unauthorized)).asks)
        _ = talk.fetched(.token("second"))
        _ = talk.connected()
        _ = talk.receive(Self.error(.unauthorized))
        guard case .ended(.refused) = talk.state.link else { return #expect(Bool(false)) }
    }

    @Test("a client that does not reconnect ends if its token has ended")
    func oneShot() {
        var talk = ClientConversation(reconnects: false, fetchesTokens: true)
        _ = talk.start()
        _ = talk.fetched(.token("old"))
        _ = talk.connected()
        _ = talk.receive(Self.error(.tokenEnded))
        guard case .ended(.refused) = talk.state.link else { return #expect(Bool(false)) }
    }

    @Test("a client with a folder writes the name of its user there")
    func folder() {
        var talk = ClientConversation(fetchesTokens: true, unsaved: [])
        _ = talk.start()
        _ = talk.fetched(.token("first"))
        _ = talk.connected()
        #expect(talk.receive(Self.welcome()).first == .keepUser("ann"))
    }

    @Test("a fixed token that has ended ends the client, because it has no other one")
    func fixedToken() {
        for isWelcomed in [false, true] {
            var talk = ClientConversation(token: "fixed")
            _ = talk.start()
            _ = talk.connected()
            if isWelcomed {
                _ = talk.receive(Self.welcome())
                #expect(talk.receive(.bye(Bye(reason: .tokenEnded))).contains(.end(.revoked)))
            } else {
                _ = talk.receive(Self.error(.tokenEnded))
                guard case .ended(.refused) = talk.state.link else { return #expect(Bool(false)) }
            }
        }
    }

    @Test("a guest, who has no token, connects again")
    func guest() {
        var talk = ClientConversation.welcomed()
        #expect(talk.receive(.bye(Bye(reason: .tokenEnded))) == [])
        _ = talk.disconnect()
        guard case .waiting = talk.state.link else { return #expect(Bool(false)) }
    }
}

extension [ClientAction] {
    /// Whether the app is asked for a token.
    fileprivate var asks: Bool { contains { if case .fetchToken = $0 { true } else { false } } }
}

extension ClientState.Link {
    fileprivate var isWelcomedForTests: Bool { if case .welcomed = self { true } else { false } }
}
