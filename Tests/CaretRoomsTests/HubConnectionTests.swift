import CaretCore
import CaretLog
import CaretRooms
import TestSupport
import Testing

@Suite("hub: joining and leaving connections")
struct HubConnectionTests {
    /// Rules H7 and E3.
    @Test("a client's new connection replaces the old one and ends its sessions")
    func replaced() {
        let world = ServerWorld()
        let bob = world.connect("bob")
        let old = world.connect("ann")
        for client in [bob, old] { client.says(#"{"type":"open","doc":"a","create":true}"#) }
        let new = world.connect("ann")
        #expect(old.hears() == ["welcome", "opened", #"{"type":"bye","reason":"replaced"}"#])
        #expect(new.hears() == ["welcome"])
        #expect(world.hub.connectionCount == 2 && world.hub.sessionCount == 1)
        #expect(new.asks(#"{"type":"open","doc":"a"}"#) == ["opened"])
    }

    /// Rule H7.
    @Test("the welcome waits until all rooms have ended the old sessions")
    func welcomeWaits() {
        let world = ServerWorld()
        let old = world.connect("ann")
        old.says(#"{"type":"open","doc":"a","create":true}"#, #"{"type":"open","doc":"b","create":true}"#)
        let new = world.connection()
        new.send([#"{"type":"hello","protocol":1,"client":"client-ann","token":"token-ann"}"#])
        var welcomed = false
        while world.step() {
            let heard = new.hears()
            if heard == ["welcome"] {
                welcomed = true
                #expect(world.rooms.values.allSatisfy { $0.isIdle })
                #expect(world.hub.sessionCount == 0)
            }
        }
        #expect(welcomed)
    }

    /// Rule H7.
    @Test("a replaced connection's pushes are dropped if no room has them yet")
    func dropped() throws {
        let world = ServerWorld()
        world.document("a", "x")
        let old = world.connect("ann")
        world.holds = { _ in true }
        old.says(
            #"{"type":"push","doc":"a","epoch":"1.1","base":1,"seq":1,"text":"one"}"#,
            #"{"type":"push","doc":"a","epoch":"1.1","base":1,"seq":2,"text":"two"}"#)
        let new = world.connect("ann")
        #expect(new.hears() == ["welcome"])
        world.release()
        #expect(try world.store.text(of: DocumentID(1), at: nil).get().text.string == "x")
        #expect(world.hub.requestsUnderWay == 0)
    }

    @Test("a connection that is replaced before its welcome never gets a welcome")
    func chain() {
        let world = ServerWorld()
        let old = world.connect("ann")
        old.says(#"{"type":"open","doc":"a","create":true}"#)
        let others = (0..<3).map { _ in world.connection() }
        for other in others {
            other.send([#"{"type":"hello","protocol":1,"client":"client-ann","token":"token-ann"}"#])
        }
        world.run()
        for other in others.dropLast() { #expect(other.hears() == [#"{"type":"bye","reason":"replaced"}"#]) }
        #expect(others[2].hears() == ["welcome"])
        #expect(world.hub.connectionCount == 1)
    }

    /// Rule H7.
    @Test("connections are distinct if the user or the client id differs")
    func others() {
        let world = ServerWorld()
        let ann = world.connect("ann")
        let second = world.connect("ann", client: "client-two")
        let bob = world.connect("bob", client: "client-ann")
        for client in [ann, second, bob] { #expect(client.hears() == ["welcome"]) }
        #expect(world.hub.connectionCount == 3)
    }

    @Test("a lost connection leaves its rooms")
    func lost() {
        let world = ServerWorld()
        let ann = world.connect("ann")
        ann.says(#"{"type":"open","doc":"a","create":true}"#)
        ann.lose()
        #expect(world.hub.connectionCount == 0 && world.hub.sessionCount == 0 && world.rooms.isEmpty)
    }

    @Test("a connection joins again for another client, in any order of messages", arguments: Seeds.first(50))
    func joinsAgain(seed: UInt64) {
        let world = ServerWorld(seed: seed)
        let opens = [
            #"{"type":"open","doc":"a","create":true}"#, #"{"type":"open","doc":"b","create":true}"#,
        ]
        let ann = world.connect("ann")
        _ = world.connect("bob")
        ann.says(opens[0], opens[1])
        let bob = world.nextClient(on: ann)
        bob.send([#"{"type":"hello","protocol":1,"client":"client-bob","token":"token-bob"}"#])
        bob.says(opens[0], opens[1])
        #expect(bob.hears() == ["welcome", "opened", "opened"])
        // The bob of the other connection was replaced.
        #expect(world.hub.connectionCount == 1 && world.hub.sessionCount == 2)
        let eve = world.nextClient(on: bob)
        eve.lose()
        world.run()
        #expect(world.hub.connectionCount == 0 && world.hub.sessionCount == 0)
    }

    @Test("a client that has left is sent no answer", arguments: ["list", "read", "history", "verify"])
    func answerAfterLeaving(type: String) {
        let world = ServerWorld()
        world.document("a", "x")
        let ann = world.connect("ann")
        world.holds = { if case .find = $0 { false } else { true } }
        world.holdsAdministration = { _ in true }
        let document = ["read", "history"].contains(type) ? #","doc":"a""# : ""
        ann.says(#"{"type":"\#(type)"\#(document)}"#)
        #expect(world.hub.requestsUnderWay == 1)
        ann.lose()
        world.keepsTrace = true
        world.release()
        #expect(world.hub.requestsUnderWay == 0)
        #expect(!world.trace.contains { $0.hasPrefix("hub sendToConnection") })
    }

    /// Rule E5.
    @Test("at a shutdown, pushes are acked and other requests are refused")
    func shutdown() {
        let world = ServerWorld()
        world.document("b", "x")
        let ann = world.connect("ann")
        let bob = world.connect("bob")
        let eve = world.connect("eve")
        ann.says(#"{"type":"open","doc":"a","create":true}"#)
        for client in [ann, bob, eve] { _ = client.heard() }
        world.holds = { _ in true }
        bob.says(#"{"type":"open","id":1,"doc":"b"}"#)
        eve.says(#"{"type":"follow","id":2}"#)
        ann.send([
            #"{"type":"push","doc":"a","epoch":"1.2","base":0,"seq":1,"edits":[{"range":[0,0],"text":"x"}]}"#
        ])
        world.hubEvent(.shutDown(retryAfterMilliseconds: 100))
        world.run()
        let bye = #"{"type":"bye","reason":"shutting_down","retry_after_ms":100}"#
        #expect(ann.hears() == [#"{"type":"ack","doc":"a","seq":1,"rev":1}"#, bye])
        #expect(bob.hears() == ["shutting_down", bye])
        #expect(eve.hears() == ["shutting_down", bye])
        #expect(world.isFinished)
        let late = world.connect("late")
        #expect(late.hears() == ["shutting_down"])
        world.release()
        #expect(world.hub.requestsUnderWay == 0)
    }

    @Test("without connections a shutdown finishes at once, and only once")
    func emptyShutdown() {
        let world = ServerWorld()
        world.hubEvent(.shutDown(retryAfterMilliseconds: nil))
        #expect(world.isFinished)
        #expect(world.hubEvent(.shutDown(retryAfterMilliseconds: nil)).isEmpty)
    }
}
