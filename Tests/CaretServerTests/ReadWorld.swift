import CaretConfig
import CaretLog
import CaretRooms
import CaretServer
import CaretWire
import TestSupport
import Testing

/// A server with the document `a`, whose revision 1 is `one`. The token of all its users is valid for a minute.
struct ReadWorld {
    let server: HandServer
    let writer: HandPort

    init() throws {
        let identity = Identity(
            user: "ann", token: TokenID(1), grants: .all, expires: 1_790_000_000_000 + 60_000)
        server = try HandServer(loops: 2, identity: identity)
        writer = server.greeted("ann-client")
        writer.open()
        server.run()
        writer.push(1, "one")
        server.run()
    }

    func count(_ counter: Counter) -> UInt64 { server.board.counts[counter] }

    /// Sends something over a port. If its loop does not answer itself, lets the whole server run. Returns the answer.
    func answer(over port: HandPort, _ send: () -> Void) -> String {
        let before = port.output.utf8.count
        send()
        if port.output.utf8.count == before { server.run() }
        return String(port.output.utf8.dropFirst(before)) ?? ""
    }

    /// Commits revision 2, which is `twoone`. Calls `read` while the store has not written it.
    func commitSecond(_ read: () -> Void) {
        server.store.isHeld.change { $0 = true }
        writer.push(2, "two")
        server.run()
        #expect(server.store.waitingCalls == 1)
        read()
        #expect(count(.readsFromMemory) == 0)
        server.store.isHeld.change { $0 = false }
        server.store.turn()
        // The room has not learned of its commit yet, so nobody has an ack.
        #expect(!writer.output.contains(#""seq":2"#))
        server.run()
        #expect(writer.output.contains(#"{"type":"ack","doc":"a","seq":2,"rev":2"#))
    }

    /// Revokes the token. The connections do not know it yet.
    func revoke() {
        setGrants(nil)
        while server.hub.hasWork { server.hub.turn() }
    }

    func setGrants(_ grants: Grants?) {
        server.switchboard.hub.enqueue(.event(.grantsChanged(grants, TokenID(1))))
    }
}
