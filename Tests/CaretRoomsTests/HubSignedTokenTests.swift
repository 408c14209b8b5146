import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("hub: signed tokens, and other tokens on an open connection")
struct HubSignedTokenTests {
    private let world = ServerWorld { $0.pingSeconds = 1_000_000 }
    private static let end: Int64 = 100_000
    private static let leeway: Int64 = 60_000
    private static let bye = #"{"type":"bye","reason":"token_ended"}"#
    private static let notes = Grants([Grant(.write, to: .prefix("notes/"))])!
    private static let reader = Grants([Grant(.read, to: .prefix(""))])!

    init() {
        world.document("notes/a", "x")
        sign("ann", as: "token-ann", .all)
    }

    /// Makes a signed token that clients can show.
    private func sign(
        _ user: ByteString, as token: String, _ grants: Grants, until end: Int64 = HubSignedTokenTests.end,
        key: ByteString = "key-1"
    ) {
        world.tokens[token] = Identity(
            user: user,
            .signed(SignedCredential(key: key, issued: 0, end: end + HubSignedTokenTests.leeway)),
            grants: grants, expires: end)
    }

    private func connect(_ token: String = "token-ann", client: String = "ann-client") -> TestClient {
        let result = world.connection()
        result.says(#"{"type":"hello","protocol":1,"client":"\#(client)","token":"\#(token)"}"#)
        return result
    }

    private func pass(to time: Int64) {
        world.pass(milliseconds: time - world.now)
        world.run()
    }

    private func authenticate(_ token: String) -> String { #"{"type":"authenticate","token":"\#(token)"}"# }

    // MARK: The end

    /// Rules H10 and A21.
    @Test("welcome says when the token ends, and in how many milliseconds by the wall clock")
    func announced() {
        world.wall = 40_000
        let ann = connect()
        #expect(ann.heard().line(0).hasSuffix(#","expires":100000,"expires_in_ms":60000}"#))
    }

    /// Rule A21.
    @Test("a signed token is valid until one millisecond before a minute after its end")
    func limit() {
        let ann = connect()
        pass(to: HubSignedTokenTests.end + HubSignedTokenTests.leeway - 1)
        #expect(ann.hears() == ["welcome"])
        #expect(connect(client: "other-client").hears() == ["welcome"])
        pass(to: HubSignedTokenTests.end + HubSignedTokenTests.leeway)
        #expect(ann.hears() == [HubSignedTokenTests.bye])
        let late = connect()
        #expect(
            late.heard() == [#"{"type":"error","code":"token_ended","message":"the token has ended"}"#])
        #expect(late.isEnded && world.calls.allSatisfy { $0 != .tokens(.noteEnds([.unneeded])) })
    }

    /// Rule A21.
    @Test("the wall clock alone decides: set forward it ends signed tokens, set back it revives them")
    func clockSet() {
        let ann = connect()
        world.wall = HubSignedTokenTests.end + HubSignedTokenTests.leeway
        world.pass(milliseconds: 60_000)
        #expect(ann.hears() == ["welcome", HubSignedTokenTests.bye])
        world.wall = 10_000
        #expect(connect().hears() == ["welcome"])
        world.pass(milliseconds: 3_600_000)
        #expect(world.hub.connectionCount == 1)
    }

    @Test("pushes in flight are acked before the bye of a token that has ended")
    func pushInFlight() {
        let ann = connect()
        ann.says(#"{"type":"open","doc":"notes/a"}"#)
        ann.send([
            #"{"type":"push","doc":"notes/a","epoch":"1.1","base":1,"seq":1,"edits":[{"range":[0,0],"text":"y"}]}"#
        ])
        world.now = HubSignedTokenTests.end + HubSignedTokenTests.leeway
        world.hubEvent(.timePassed)
        world.run()
        #expect(ann.heard().suffix(2).map { $0.prefix(13) } == [#"{"type":"ack""#, #"{"type":"bye""#])
    }

    // MARK: Keys

    /// Rule A21.
    @Test("connections end when the key of their token is removed, and no others")
    func keys() {
        sign("bob", as: "token-bob", .all, key: "key-2")
        let (ann, bob, root) = (connect(), connect("token-bob"), world.connect("root"))
        world.hubEvent(.signInChanged(keys: ["key-2", "key-3"], guests: .none))
        world.run()
        #expect(ann.hears() == ["welcome", HubSignedTokenTests.bye])
        for client in [bob, root] { #expect(client.hears() == ["welcome"]) }
        #expect(connect().heard().line(0).contains(#""token_ended","message":"the key that signed"#))
        sign("ann", as: "token-ann", .all, key: "key-3")
        #expect(connect().hears() == ["welcome"])
    }

    /// Rule H12.
    @Test("guests end if they may read something else from now on, and their clients connect again")
    func guests() {
        world.anonymous = Identity(user: "anonymous", .guest(nil), grants: HubSignedTokenTests.reader)
        let guest = world.connection()
        guest.says(#"{"type":"hello","protocol":1,"client":"guest-client"}"#)
        world.hubEvent(.signInChanged(keys: [], guests: HubSignedTokenTests.reader))
        world.run()
        #expect(guest.hears() == ["welcome"])
        world.hubEvent(.signInChanged(keys: [], guests: HubSignedTokenTests.notes))
        world.run()
        #expect(guest.hears() == [HubSignedTokenTests.bye])
    }

    /// Rule A24.
    @Test("a signed token or a proxy's header may not list, add or revoke stored tokens, whatever it grants")
    func storedTokens() {
        proxy("ann", as: "proxied", until: nil)
        for token in ["token-ann", "proxied"] {
            let ann = connect(token, client: "client-of-\(token)")
            for request in [
                #"{"type":"list_tokens"}"#, #"{"type":"revoke_token","number":1}"#,
                #"{"type":"add_token","user":"eve","grants":[]}"#,
            ] {
                #expect(ann.asks(request) == ["welcome", "forbidden"].suffix(1), "\(token)")
            }
            #expect(ann.asks(#"{"type":"list_nodes"}"#).count == 1)
        }
    }

    // MARK: A proxy's header

    /// Lets a client sign in as if a proxy had named its user.
    private func proxy(_ user: ByteString, as token: String, until end: Int64?) {
        world.tokens[token] = Identity(user: user, .proxied(until: end), grants: .all)
    }

    /// Rules A28 and E6.
    @Test("a connection that a proxy has signed in ends with token_ended, exactly when its life is over")
    func proxiedEnd() {
        proxy("ann", as: "proxied", until: HubSignedTokenTests.end)
        proxy("bob", as: "each-request", until: nil)
        let (ann, bob) = (connect("proxied"), connect("each-request", client: "bob-client"))
        pass(to: HubSignedTokenTests.end - 1)
        // `welcome` has no `expires`, because the client has no token that it could refresh.
        #expect(ann.heard().map { $0.contains("expires") } == [false] && bob.hears() == ["welcome"])
        pass(to: HubSignedTokenTests.end)
        #expect(ann.hears() == [HubSignedTokenTests.bye] && ann.isEnded)
        #expect(bob.hears() == [] && !bob.isEnded)
    }

    /// Rule A28.
    @Test("the life of a proxy's sign-in does not depend on the wall clock", arguments: [0, 1_000_000])
    func proxiedClock(wall: Int64) {
        proxy("ann", as: "proxied", until: HubSignedTokenTests.end)
        world.wall = wall
        let ann = connect("proxied")
        pass(to: HubSignedTokenTests.end - 1)
        #expect(ann.hears() == ["welcome"])
        pass(to: HubSignedTokenTests.end)
        #expect(ann.hears() == [HubSignedTokenTests.bye])
    }

    @Test("reloaded keys and guests end no connection that a proxy has signed in")
    func proxiedReload() {
        proxy("ann", as: "proxied", until: HubSignedTokenTests.end)
        let ann = connect("proxied")
        world.hubEvent(.signInChanged(keys: [], guests: HubSignedTokenTests.notes))
        world.run()
        #expect(ann.hears() == ["welcome"] && !ann.isEnded)
    }

    // MARK: Another token on an open connection

    /// Rule A22.
    @Test("another token of the user is valid from its answer on, and open documents get their new rights")
    func authenticated() {
        let ann = connect()
        ann.says(#"{"type":"open","doc":"notes/a"}"#)
        #expect(ann.hears() == ["welcome", "opened"])
        sign("ann", as: "narrow", HubSignedTokenTests.reader, until: 200_000)
        ann.says(authenticate("narrow"))
        #expect(
            Set(ann.heard()) == [
                #"{"type":"authenticated","user":"ann","changed":true,"rights":"read","expires":200000,"expires_in_ms":\#(200_000 - world.now)}"#,
                #"{"type":"rights","doc":"notes/a","rights":"read"}"#,
            ])
        #expect(ann.asks(#"{"type":"delete","doc":"notes/a"}"#) == ["forbidden"])
        sign("ann", as: "wide", HubSignedTokenTests.notes, until: 300_000)
        ann.says(authenticate("wide"))
        #expect(
            Set(ann.heard()) == [
                #"{"type":"authenticated","user":"ann","changed":true,"grants":[{"rights":"write","prefix":"notes/"}],"expires":300000,"expires_in_ms":\#(300_000 - world.now)}"#,
                #"{"type":"rights","doc":"notes/a","rights":"write"}"#,
            ])
        pass(to: 200_000 + HubSignedTokenTests.leeway)
        #expect(ann.hears() == [] && !ann.isEnded)
        pass(to: 300_000 + HubSignedTokenTests.leeway)
        #expect(ann.hears() == [HubSignedTokenTests.bye])
    }

    @Test("the same token again is no error and changes nothing")
    func same() {
        let ann = connect()
        #expect(ann.hears() == ["welcome"])
        ann.says(authenticate("token-ann"))
        #expect(ann.heard().line(0).hasPrefix(#"{"type":"authenticated","user":"ann","expires":100000,"#))
    }

    /// Rule A23.
    @Test("a token of another user is refused, and the connection keeps its own")
    func otherUser() {
        sign("bob", as: "token-bob", .all)
        let ann = connect()
        #expect(ann.hears() == ["welcome"])
        #expect(ann.asks(authenticate("token-bob")) == ["forbidden"])
        #expect(ann.asks(#"{"type":"ping"}"#) == [#"{"type":"pong"}"#])
    }

    /// Rule A23.
    @Test("a token that is not accepted ends the connection")
    func refused() {
        for (token, code) in [("unknown", "unauthorized"), ("old", "token_ended")] {
            sign("ann", as: "old", .all, until: world.now - HubSignedTokenTests.leeway)
            let ann = connect()
            #expect(ann.hears() == ["welcome"])
            #expect(ann.asks(authenticate(token)) == [code])
            #expect(ann.isEnded)
        }
    }

    @Test("a token that comes after the former one has ended does not keep the connection open")
    func tooLate() {
        let ann = connect()
        #expect(ann.hears() == ["welcome"])
        sign("ann", as: "new", .all, until: 1_000_000)
        ann.send([authenticate("new")])
        world.now = HubSignedTokenTests.end + HubSignedTokenTests.leeway
        world.hubEvent(.timePassed)
        world.run()
        #expect(ann.hears().last == HubSignedTokenTests.bye)
        #expect(ann.isEnded && world.hub.connectionCount == 0)
    }

    /// Rule A22.
    @Test("a stored token can be replaced too, and revoking it then ends no connection")
    func stored() throws {
        let former = try world.store.addToken(of: UserName("ann"), .all, at: 5).get()
        let ann = connect(former.bytes.description)
        ann.says(authenticate("token-ann"))
        #expect(ann.hears().count == 2)
        world.hubEvent(.grantsChanged(nil, former.token))
        world.run()
        #expect(ann.asks(#"{"type":"ping"}"#) == [#"{"type":"pong"}"#])
    }
}
