import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("hub: how many connections a user, and an address of guests, may have")
struct HubConnectionLimitTests {
    private let world = ServerWorld {
        $0.userConnections = 3
        $0.guestConnections = 2
    }

    /// Rule H11.
    @Test("a user has as many connections as allowed, and the next one is refused with both numbers")
    func user() {
        let clients = (1...3).map { world.connect("ann", client: "ann-client-\($0)") }
        #expect(clients.allSatisfy { $0.hears() == ["welcome"] })
        let next = world.connect("ann", client: "ann-client-4")
        #expect(
            next.heard() == [
                #"{"type":"error","code":"overloaded","message":"the user has 3 connections; at most 3 are allowed"}"#
            ])
        #expect(next.isEnded && world.connect("bob").hears() == ["welcome"])
        world.event(clients[0].id) { $0.connectionLost() }
        world.run()
        #expect(world.connect("ann", client: "ann-client-4").hears() == ["welcome"])
    }

    @Test("a client that connects again replaces its own connection, also at the limit")
    func replaced() {
        let clients = (1...3).map { world.connect("ann", client: "ann-client-\($0)") }
        let again = world.connect("ann", client: "ann-client-1")
        #expect(again.hears() == ["welcome"] && clients[0].isEnded)
        #expect(world.connect("ann", client: "ann-client-4").hears() == ["overloaded"])
    }

    @Test("another token of the user does not change the number of connections")
    func otherToken() {
        world.tokens["signed"] = Identity(
            user: "ann", .signed(SignedCredential(key: "key", issued: 0, end: 1_000_000)), grants: .all,
            expires: 900_000)
        let clients = (1...3).map { world.connect("ann", client: "ann-client-\($0)") }
        for client in clients { client.says(#"{"type":"authenticate","token":"signed"}"#) }
        for client in clients { world.event(client.id) { $0.connectionLost() } }
        world.run()
        #expect(
            (1...3).allSatisfy { world.connect("ann", client: "ann-client-\($0)").hears() == ["welcome"] })
        #expect(world.connect("ann", client: "ann-client-4").hears() == ["overloaded"])
    }

    /// Rule H12.
    @Test("guests are counted for each address, and not on addresses of this machine")
    func guests() {
        func connect(from address: String?, _ number: Int) -> [String] {
            let guests = Credential.guest(address.map { ByteString($0) })
            world.anonymous = Identity(user: "anonymous", guests, grants: .all)
            let client = world.connection()
            client.says(#"{"type":"hello","protocol":1,"client":"guest-client-\#(number)"}"#)
            return client.hears()
        }
        #expect((1...3).map { connect(from: "a", $0) } == [["welcome"], ["welcome"], ["overloaded"]])
        #expect(connect(from: "b", 4) == ["welcome"])
        #expect((5...9).allSatisfy { connect(from: nil, $0) == ["welcome"] })
    }
}
