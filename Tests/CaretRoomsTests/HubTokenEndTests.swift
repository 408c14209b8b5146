import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("hub: the ends of tokens")
struct HubTokenEndTests {
    private let world = ServerWorld { $0.pingSeconds = 1_000_000 }
    private let admin: TestClient
    /// Ann's token, which ends 5 seconds after the world begins.
    private let ann: TokenText
    private static let end: Int64 = 15_000
    private static let ended = "the token ended at 1970-01-01 00:00:15 UTC"
    private static let bye = #"{"type":"bye","reason":"revoked"}"#

    init() throws {
        world.document("a", "x")
        admin = world.connect("admin")
        ann = try world.store.addToken(of: UserName("ann"), .all, expires: HubTokenEndTests.end, at: 5).get()
    }

    private func connect(_ token: ByteString, client: String = "ann-client") -> TestClient {
        let client = hello(token, client)
        world.run()
        return client
    }

    /// Sends a hello, but delivers no messages between queues.
    private func hello(_ token: ByteString, _ name: String = "ann-client") -> TestClient {
        let client = world.connection()
        client.send([#"{"type":"hello","protocol":1,"client":"\#(name)","token":"\#(token)"}"#])
        return client
    }

    /// Rules H5 and A16.
    @Test("a token is valid until one millisecond before its end")
    func limit() {
        world.pass(milliseconds: HubTokenEndTests.end - 1 - world.now)
        #expect(connect(ann.bytes).hears() == ["welcome"])
        world.pass(milliseconds: 1)
        let late = connect(ann.bytes)
        #expect(
            late.heard() == [
                #"{"type":"error","code":"unauthorized","message":"\#(HubTokenEndTests.ended)"}"#
            ])
        #expect(late.isEnded)
    }

    /// Rule A16.
    @Test(
        "a token that was found ended stays ended after a start with an earlier clock",
        arguments: [false, true])
    func clockSetBack(isConnected: Bool) throws {
        let client = isConnected ? connect(ann.bytes) : nil
        world.pass(milliseconds: HubTokenEndTests.end - world.now)
        if !isConnected { _ = connect(ann.bytes) }
        if let client { #expect(client.hears() == ["welcome", HubTokenEndTests.bye]) }
        #expect(try world.store.token(shown: ann.bytes).get().hasEnded)
        let again = ServerWorld()
        again.store = world.store
        let late = again.connection()
        late.says(#"{"type":"hello","protocol":1,"client":"ann-client","token":"\#(ann.bytes)"}"#)
        #expect(late.heard().line(0).contains(HubTokenEndTests.ended))
        #expect(again.now < HubTokenEndTests.end)
    }

    @Test("if the end cannot be stored, it is stored when the token is found ended again")
    func notStored() throws {
        world.pass(milliseconds: HubTokenEndTests.end - world.now)
        world.store.trouble = .full
        #expect(connect(ann.bytes).heard().line(0).contains(HubTokenEndTests.ended))
        #expect(try !world.store.token(shown: ann.bytes).get().hasEnded)
        world.store.trouble = nil
        _ = connect(ann.bytes)
        #expect(try world.store.token(shown: ann.bytes).get().hasEnded)
    }

    /// Rule A16.
    @Test(
        "a wall clock that is set forward ends tokens within a minute; set back, it revives none that was found"
    )
    func clockSet() throws {
        let far = try world.store.addToken(of: UserName("ann"), .all, expires: 10_000_000, at: 5).get()
        let unused = try world.store.addToken(of: UserName("bob"), .all, expires: 10_000_000, at: 5).get()
        let client = connect(far.bytes)
        #expect(client.hears() == ["welcome"])
        world.wall = 9_999_999
        world.pass(milliseconds: 60_000)
        #expect(client.hears() == [])
        world.wall = 10_000_000
        world.pass(milliseconds: 60_000)
        #expect(client.hears() == [HubTokenEndTests.bye])
        world.wall = nil
        #expect(connect(far.bytes, client: "other-client").heard().line(0).contains("the token ended at "))
        #expect(connect(unused.bytes, client: "bob-client").hears() == ["welcome"])
    }

    @Test("while the store records that a token has ended, the token is refused")
    func beingStored() throws {
        world.wall = HubTokenEndTests.end
        world.holds = { if case .tokens(.noteEnds) = $0 { true } else { false } }
        #expect(connect(ann.bytes).heard().line(0).contains(HubTokenEndTests.ended))
        world.wall = nil
        #expect(connect(ann.bytes).heard().line(0).contains(HubTokenEndTests.ended))
        world.release()
        #expect(try world.store.token(shown: ann.bytes).get().hasEnded)
        #expect(connect(ann.bytes).heard().line(0).contains(HubTokenEndTests.ended))
    }

    /// Rule A2.
    @Test("only a client that shows the right token learns that it has ended")
    func secrecy() {
        world.pass(milliseconds: 60_000)
        let guesses = [
            connect(ByteString(ann.bytes.string.dropLast() + "~")), connect("caret_99_0"),
        ].map { $0.heard() }
        #expect(guesses[0] == guesses[1] && guesses[0].count == 1)
        #expect(!guesses[0][0].contains("ended"))
    }

    /// Rules A16 and E4.
    @Test("a connection gets bye when its token ends, and others stay")
    func open() throws {
        let clients = [connect(ann.bytes), connect(ann.bytes, client: "other-client")]
        #expect(clients[0].asks(#"{"type":"open","doc":"a"}"#) == ["opened"])
        #expect(clients[1].hears() == ["welcome"])
        world.pass(milliseconds: HubTokenEndTests.end - 1 - world.now)
        #expect(clients.map { $0.hears() } == [[], []])
        world.pass(milliseconds: 1)
        #expect(clients.map { $0.hears() } == [[HubTokenEndTests.bye], [HubTokenEndTests.bye]])
        #expect(admin.asks(#"{"type":"ping"}"#) == [#"{"type":"pong"}"#])
        world.pass(milliseconds: 1)
        #expect(clients.map { $0.hears() } == [[], []])
    }

    /// Rule A6.
    @Test("a push that reached its room before its token ended gets ack, then bye")
    func inFlight() {
        let client = connect(ann.bytes)
        _ = client.asks(#"{"type":"open","doc":"a"}"#)
        _ = client.hears()
        client.send([#"{"type":"push","doc":"a","epoch":"1.1","base":1,"seq":1,"text":"xy"}"#])
        world.pass(milliseconds: HubTokenEndTests.end - world.now)
        let heard = client.hears()
        #expect(heard.count == 2 && heard[0].contains(#""type":"ack""#) && heard[1] == HubTokenEndTests.bye)
    }

    @Test("a token that ends between its lookup and the join is refused")
    func whileJoining() {
        let client = hello(ann.bytes)
        // The lookup is answered in time.
        world.step()
        world.now = HubTokenEndTests.end
        world.run()
        let heard = client.heard()
        #expect(heard.count == 1 && heard[0].contains(HubTokenEndTests.ended) && client.isEnded)
        #expect(world.hub.connectionCount == 1)
    }

    @Test("each connection ends on time if tokens end one after the other")
    func several() {
        let ends: [Int64] = [30_000, 20_000, 40_000]
        let clients = ends.enumerated().map { number, end in
            world.tokens["t\(number)"] = Identity(
                user: "ann", token: TokenID(Int64(20 + number)), grants: .all, expires: end)
            return connect(ByteString("t\(number)"), client: "client-\(number)")
        }
        var ended: [[Bool]] = []
        for time in [20_000, 30_000, 39_999, 40_000] as [Int64] {
            world.pass(milliseconds: time - world.now)
            ended.append(clients.map(\.isEnded))
        }
        #expect(
            ended == [[false, true, false], [true, true, false], [true, true, false], [true, true, true]])
    }

    // MARK: Events of the hub

    private func joining(_ id: ConnectionID, client: ByteString? = nil, _ expires: Int64?) -> HubEvent {
        let pusher = Pusher(user: "ann", client: client ?? ByteString("client-\(id.value)"))
        return .join(
            JoinRequest(
                connection: id, pusher: pusher, token: TokenID(id.value), grants: .all, expires: expires,
                unit: .utf16))
    }

    @Test("the hub sets its timer for the next end of a token")
    func timer() {
        var hub = HubState(limits: Limits(), at: 0) { .sample($0) }
        #expect(hub.handle(joining(1, 50_000), at: 1).contains(.wake(at: 50_000)))
        #expect(hub.handle(joining(2, 70_000), at: 1) == [.sendToConnection(2, .admitted(expiresIn: 69_999))])
        #expect(hub.handle(joining(3, 20_000), at: 1).contains(.wake(at: 20_000)))
        #expect(hub.handle(joining(4, nil), at: 1) == [.sendToConnection(4, .admitted(expiresIn: nil))])
        #expect(
            hub.handle(.timePassed, at: 20_000) == [
                .call(CallID(1), .tokens(.noteEnds([TokenID(3)]))), .sendToConnection(3, .ended(.revoked)),
                .wake(at: 50_000),
            ])
        // A connection that has left causes at most one unnecessary wake.
        #expect(hub.handle(.left(1), at: 20_001) == [])
        #expect(hub.handle(.timePassed, at: 50_000).last == .wake(at: 70_000))
    }

    @Test("a connection whose token ends while it waits is never admitted")
    func whileWaiting() {
        var hub = HubState(limits: Limits(), at: 0) { .sample($0) }
        _ = hub.handle(joining(1, client: "client", nil), at: 1)
        #expect(
            hub.handle(joining(2, client: "client", 20_000), at: 1) == [
                .sendToConnection(1, .ended(.replaced)), .wake(at: 20_000),
            ])
        let ended = hub.handle(.timePassed, at: 20_000)
        #expect(ended.contains(.sendToConnection(2, .ended(.revoked))))
        #expect(hub.handle(.left(1), at: 20_000) == [])
    }

    // MARK: Requests

    @Test("a token with an end is added, listed, and revoked after its end")
    func conversation() throws {
        let added = admin.askedInFull(
            #"{"type":"add_token","user":"bob","grants":[{"rights":"read","prefix":""}],"expires":12000}"#)
        #expect(added.count == 1 && added[0].contains(#""number":2"#))
        let item =
            #"{"number":2,"user":"bob","created":10000,"expires":12000,"grants":[{"rights":"read","prefix":""}]}"#
        let list = #"{"type":"list_tokens","after":1}"#
        for _ in 0..<2 {
            #expect(admin.askedInFull(list) == [#"{"type":"tokens","tokens":[\#(item)]}"#])
            world.pass(milliseconds: 5_000)
        }
        #expect(admin.asks(#"{"type":"revoke_token","number":2}"#) == [#"{"type":"done"}"#])
        #expect(admin.askedInFull(list) == [#"{"type":"tokens","tokens":[]}"#])
    }

    @Test("a token must end in the future")
    func past() {
        func add(_ end: Int64) -> [String] {
            admin.askedInFull(
                #"{"type":"add_token","user":"bob","grants":[],"expires":\#(end)}"#)
        }
        for end in [0, 9_000, 10_000] as [Int64] {
            #expect(
                add(end) == [
                    #"{"type":"error","code":"bad_message","message":"expires: \#(UTCTime(milliseconds: end)) has passed; "#
                        + #"the server's time is 1970-01-01 00:00:10 UTC"}"#
                ])
        }
        #expect(world.calls.isEmpty)
        #expect(add(10_001)[0].contains("token_added"))
    }
}
