import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("hub: sign-outs") struct HubSignOutTests {
    private static let bye = #"{"type":"bye","reason":"token_ended"}"#
    private static let done = #"{"type":"done"}"#
    private let there = NodeID(node: 2, run: 1)

    private func server(sharesStore: Bool = false) -> ServerWorld {
        ServerWorld(sharesStore: sharesStore) { $0.pingSeconds = 1_000_000 }
    }

    /// A client with a signed token. Times are in seconds.
    private func connect(
        _ user: ByteString, issued: Int64, until end: Int64 = 9_000, id: ByteString? = nil,
        _ client: String? = nil, to world: ServerWorld
    ) -> TestClient {
        let token = "\(user)-\(issued)"
        let credential = SignedCredential(key: "key", issued: issued * 1_000, end: end * 1_000, id: id)
        world.tokens[token] = Identity(user: user, .signed(credential), grants: .all, expires: end * 1_000)
        let result = world.connection()
        let name = client ?? "\(user)-client-\(issued)"
        result.says(#"{"type":"hello","protocol":1,"client":"\#(name)","token":"\#(token)"}"#)
        return result
    }

    private func signOut(_ fields: String) -> String { #"{"type":"sign_out",\#(fields)}"# }

    /// Rule A25.
    @Test("the connections of a user's earlier tokens end, and these tokens are refused from then on")
    func user() {
        let world = server()
        world.wall = 20_500
        let (old, new) = (connect("ann", issued: 5, to: world), connect("ann", issued: 8, to: world))
        let (bob, stored) = (connect("bob", issued: 5, to: world), world.connect("ann"))
        for client in [old, new, bob, stored] { #expect(client.hears() == ["welcome"]) }
        let root = world.connect("root")
        #expect(root.asks(signOut(#""user":"ann","before":8000"#)) == [HubSignOutTests.done])
        #expect(old.hears() == [HubSignOutTests.bye] && old.isEnded)
        for client in [new, bob, stored] { #expect(client.hears() == [] && !client.isEnded) }
        let late = connect("ann", issued: 7, to: world)
        #expect(
            late.heard() == [
                #"{"type":"error","code":"token_ended","message":"the token was signed out"}"#
            ])
        #expect(connect("ann", issued: 8, "other-client", to: world).hears() == ["welcome"])
    }

    /// Rule A25. `iat` has whole seconds.
    @Test("without a time, every token is refused that was issued until the end of this second")
    func now() {
        let world = server()
        world.wall = 20_000
        let ann = connect("ann", issued: 20, to: world)
        #expect(ann.hears() == ["welcome"])
        #expect(world.connect("root").asks(signOut(#""user":"ann""#)) == [HubSignOutTests.done])
        #expect(ann.hears() == [HubSignOutTests.bye])
        #expect(connect("ann", issued: 21, to: world).hears() == ["welcome"])
        #expect(
            world.calls.contains {
                if case .tokens(.signOut(let one, _)) = $0 { one.before == 21_000 } else { false }
            })
    }

    @Test("a token is signed out by its id, and other tokens of the user stay valid")
    func token() {
        let world = server()
        let phone = connect("ann", issued: 5, id: "phone", to: world)
        let laptop = connect("ann", issued: 6, id: "laptop", to: world)
        let plain = connect("ann", issued: 7, to: world)
        #expect(world.connect("root").asks(signOut(#""jti":"phone""#)) == [HubSignOutTests.done])
        #expect(phone.hears() == ["welcome", HubSignOutTests.bye])
        for client in [laptop, plain] { #expect(client.hears() == ["welcome"]) }
        // The name of a user is not the id of a token.
        #expect(world.connect("root").asks(signOut(#""user":"laptop""#)) == [HubSignOutTests.done])
        #expect(laptop.hears() == [] && !laptop.isEnded)
    }

    @Test(
        "a request without exactly one subject, or with a time too far ahead, is refused",
        arguments: [
            (#""before":1"#, "bad_message"), (#""user":"ann","jti":"a""#, "bad_message"),
            (#""user":"ann","before":80001"#, "bad_message"), (#""user":"ann","before":80000"#, done),
            (#""jti":"a","before":0"#, done),
        ])
    func requests(fields: String, answer: String) {
        let world = server()
        world.wall = 20_000
        #expect(world.connect("root").asks(signOut(fields)) == [answer])
    }

    @Test("only an administrator may sign a user out, and a signed token with that right may")
    func rights() {
        let world = server()
        let reader = world.connect("ann", Grants([Grant(.admin, to: .prefix("a"))])!)
        #expect(reader.asks(signOut(#""user":"bob""#)) == ["forbidden"])
        world.wall = 20_000
        let root = connect("root", issued: 5, to: world)
        // The answer comes before the end of the own connection.
        #expect(root.hears() == ["welcome"])
        root.says(signOut(#""user":"root""#))
        #expect(root.heard() == [HubSignOutTests.done, HubSignOutTests.bye])
    }

    @Test("another token of a signed-out user does not get in on an open connection, if it is too old")
    func authenticated() {
        let world = server()
        world.wall = 20_000
        let ann = connect("ann", issued: 15, to: world)
        #expect(ann.hears() == ["welcome"])
        #expect(
            world.connect("root").asks(signOut(#""user":"ann","before":10000"#)) == [HubSignOutTests.done])
        _ = connect("ann", issued: 9, to: world)
        #expect(ann.asks(#"{"type":"authenticate","token":"ann-9"}"#) == ["token_ended"])
    }

    @Test("a server reads earlier sign-outs before it accepts the first signed token, over several pages")
    func read() {
        let world = server()
        for number in 0..<2_500 {
            #expect(
                world.store.add(
                    SignOut(.user(ByteString("u\(number)")), before: 9_000), forgettingBefore: 0) == nil)
        }
        world.holdsAnswer = { if case .tokens(.signOuts) = $0 { true } else { false } }
        let clients = (["u0", "u2499", "ann"] as [ByteString]).map { connect($0, issued: 5, to: world) }
        for client in clients { #expect(client.hears() == []) }
        world.holdsAnswer = { _ in false }
        world.release()
        world.run()
        #expect(clients.map { $0.hears() } == [["token_ended"], ["token_ended"], ["welcome"]])
        let reads = world.calls.count { if case .tokens(.signOuts) = $0 { true } else { false } }
        #expect(reads == 3)
        // Nobody else uses the store, so this server knows everything.
        world.pass(milliseconds: 100_000)
        #expect(connect("bob", issued: 5, to: world).hears() == ["welcome"])
        #expect(world.calls.count { if case .tokens(.signOuts) = $0 { true } else { false } } == reads)
    }

    @Test("a client that leaves while its sign-in waits does not join later")
    func left() {
        let world = server()
        world.holdsAnswer = { if case .tokens(.signOuts) = $0 { true } else { false } }
        let ann = connect("ann", issued: 5, to: world)
        world.event(ann.id) { $0.inputEnded() }
        world.holdsAnswer = { _ in false }
        world.release()
        world.run()
        #expect(world.hub.connectionCount == 0)
    }

    @Test("if the sign-outs cannot be read, signed tokens are refused, and stored ones are not")
    func unread() {
        let world = server()
        world.refuses = { if case .tokens(.signOuts) = $0 { true } else { false } }
        #expect(connect("ann", issued: 5, to: world).hears() == ["storage_failed"])
        #expect(world.connect("bob").hears() == ["welcome"])
        world.refuses = { _ in false }
        #expect(connect("ann", issued: 5, to: world).hears() == ["welcome"])
    }

    // MARK: Several servers

    enum Way: CaseIterable {
        case notification, sweep, missed
    }

    /// Rule A26.
    @Test("a user whom another server signs out is signed out here", arguments: Way.allCases)
    func elsewhere(way: Way) {
        let world = server(sharesStore: true)
        let ann = connect("ann", issued: 5, to: world)
        #expect(ann.hears() == ["welcome"])
        // A wrong notification does nothing.
        world.hubEvent(.bus(.received(there, [.signedOut])))
        world.run()
        #expect(ann.hears() == [] && !ann.isEnded)
        #expect(world.store.add(SignOut(.user("ann"), before: 6_000), forgettingBefore: 0) == nil)
        switch way {
        case .notification: world.hubEvent(.bus(.received(there, [.signedOut])))
        case .sweep: world.pass(milliseconds: 2_000)
        case .missed: world.hubEvent(.bus(.missed))
        }
        world.run()
        #expect(ann.hears() == [HubSignOutTests.bye] && ann.isEnded)
    }

    /// Rule A26.
    @Test("a server that has not reached the store for five seconds refuses signed tokens until it does")
    func cutOff() {
        let world = server(sharesStore: true)
        let ann = connect("ann", issued: 5, to: world)
        #expect(ann.hears() == ["welcome"])
        world.refuses = { if case .tokens = $0 { true } else { false } }
        world.pass(milliseconds: 5_000)
        #expect(connect("bob", issued: 5, to: world).hears() == ["welcome"])
        world.pass(milliseconds: 1)
        let late = connect("carol", issued: 5, to: world)
        #expect(late.heard().line(0).contains(#""code":"storage_failed""#))
        #expect(ann.hears() == [] && !ann.isEnded)
        #expect(world.store.add(SignOut(.user("ann"), before: 6_000), forgettingBefore: 0) == nil)
        world.refuses = { _ in false }
        world.hubEvent(.bus(.missed))
        world.pass(milliseconds: 500)
        #expect(ann.hears() == [HubSignOutTests.bye])
        #expect(connect("carol", issued: 5, to: world).hears() == ["welcome"])
    }

    @Test("a wall clock that was set back does not make the server believe that it has not reached the store")
    func clockSetBack() {
        let world = server(sharesStore: true)
        world.now = 100_000_000
        world.wall = 50_000_000
        for number in 0..<1_500 {
            let signOut = SignOut(.user(ByteString("u\(number)")), before: 9_000)
            #expect(world.store.add(signOut, forgettingBefore: 0) == nil)
        }
        #expect(connect("ann", issued: 50_000, until: 90_000, to: world).hears() == ["welcome"])
    }

    @Test("after a failover that has lost the last sign-outs, their numbers may be used again")
    func reusedNumbers() {
        let world = server(sharesStore: true)
        let before = world.store
        #expect(world.store.add(SignOut(.user("eve"), before: 6_000), forgettingBefore: 0) == nil)
        let ann = connect("ann", issued: 5, to: world)
        #expect(ann.hears() == ["welcome"])
        world.store = before
        #expect(world.store.add(SignOut(.user("ann"), before: 6_000), forgettingBefore: 0) == nil)
        world.hubEvent(.bus(.missed))
        world.run()
        #expect(ann.hears() == [HubSignOutTests.bye])
        #expect(connect("eve", issued: 5, to: world).hears() == ["token_ended"])
    }

    @Test("a notification during the first read is not forgotten")
    func duringFirst() {
        let world = server(sharesStore: true)
        world.holdsAnswer = { if case .tokens(.signOuts) = $0 { true } else { false } }
        let ann = connect("ann", issued: 5, to: world)
        #expect(world.store.add(SignOut(.user("ann"), before: 6_000), forgettingBefore: 0) == nil)
        world.hubEvent(.bus(.received(there, [.signedOut])))
        world.holdsAnswer = { _ in false }
        world.release()
        world.run()
        #expect(ann.hears().last == HubSignOutTests.bye)
    }

    @Test("an uncertain sign-out makes the next sign-in read again, if the store could not be read")
    func uncertainAndUnread() {
        let world = server()
        #expect(connect("bob", issued: 5, to: world).hears() == ["welcome"])
        world.refuses = { if case .tokens = $0 { true } else { false } }
        #expect(world.store.add(SignOut(.user("ann"), before: 6_000), forgettingBefore: 0) == nil)
        #expect(world.connect("root").asks(signOut(#""user":"ann""#)) == ["storage_failed"])
        world.refuses = { _ in false }
        #expect(connect("ann", issued: 5, to: world).hears() == ["token_ended"])
    }

    @Test("a time in seconds instead of milliseconds is refused")
    func seconds() {
        let world = server()
        world.wall = 1_790_000_000_000
        let month = Int64(Limits.longestTokenLifeSeconds) * 1_000 + 60_000
        let root = world.connect("root")
        for (before, answer) in [
            (1_790_000_000, "bad_message"), (world.wall! - month - 1, "bad_message"),
            (world.wall! - month, HubSignOutTests.done),
        ] {
            #expect(root.asks(signOut(#""user":"ann","before":\#(before)"#)) == [answer])
        }
        #expect(
            world.calls.contains {
                if case .tokens(.signOut(_, let oldest)) = $0 { oldest == world.now - month } else { false }
            })
    }

    @Test("a notification during a read causes another read, because the first may not see the sign-out")
    func during() {
        let world = server(sharesStore: true)
        let ann = connect("ann", issued: 5, to: world)
        world.holdsAnswer = { if case .tokens(.signOuts) = $0 { true } else { false } }
        world.hubEvent(.bus(.received(there, [.signedOut])))
        world.run()
        #expect(world.store.add(SignOut(.user("ann"), before: 6_000), forgettingBefore: 0) == nil)
        world.hubEvent(.bus(.received(there, [.signedOut])))
        world.holdsAnswer = { _ in false }
        world.release()
        world.run()
        #expect(ann.hears() == ["welcome", HubSignOutTests.bye])
    }

    @Test("a sign-out that the store refused, and recorded all the same, ends the connections")
    func uncertain() {
        let world = server()
        let ann = connect("ann", issued: 5, to: world)
        let root = world.connect("root")
        #expect(ann.hears() == ["welcome"])
        world.refuses = { if case .tokens(.signOut) = $0 { true } else { false } }
        #expect(world.store.add(SignOut(.user("ann"), before: 6_000), forgettingBefore: 0) == nil)
        #expect(root.asks(signOut(#""user":"ann""#)) == ["storage_failed"])
        #expect(ann.hears() == [HubSignOutTests.bye])
    }
}
