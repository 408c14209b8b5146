import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import Testing

@Suite("hub: reading one's own pushes")
struct HubOwnPushTests {
    private static let push =
        #"{"type":"push","doc":"a","epoch":"1.1","base":1,"seq":1,"edits":[{"range":[0,0],"text":"new "}]}"#
    private static let readings = [
        (#"{"type":"read","doc":"a"}"#, #""rev":2,"text":"new one""#),
        (#"{"type":"history","doc":"a"}"#, #"{"rev":2,"#),
    ]

    /// A server on which Ann has a document open.
    private func server(seed: UInt64? = nil) -> (ServerWorld, TestClient) {
        let world = ServerWorld(seed: seed)
        world.document("a", "one")
        let ann = world.connect("ann")
        ann.says(#"{"type":"open","doc":"a"}"#)
        _ = ann.heard()
        return (world, ann)
    }

    /// Rule O6.
    @Test("a read sent right after a push always returns the pushed text", arguments: readings)
    func behindPush(reading: String, shown: String) {
        for seed in 0..<UInt64(50) {
            let (world, ann) = server(seed: seed)
            ann.send([HubOwnPushTests.push, reading])
            world.run()
            let answer = ann.heard().first { !$0.contains(#""type":"ack""#) }
            #expect(answer?.contains(shown) == true, "seed \(seed)")
        }
    }

    /// Rule O6.
    @Test("for a read, the hub first waits for the room, then calls the store")
    func order() throws {
        let (world, ann) = server()
        let calls = world.calls.count
        let question = HubRequest.Question.read(try DocumentName("a"), Read(document: "a"))
        let asked = world.hubEvent(.ask(HubRequest(connection: ann.id, id: nil, question: question)))
        let pusher = Pusher(user: "ann", client: "client-ann")
        #expect(asked == [.sendToRoom(DocumentID(1), .awaitPushes(of: pusher, for: ann.id))])
        #expect(world.calls.count == calls)
        world.hubEvent(.notified(DocumentID(1), .pushesResolved(ann.id)))
        #expect(try world.calls.last == .find(DocumentName("a")))
        #expect(world.hubEvent(.notified(DocumentID(1), .pushesResolved(ann.id))) == [])
    }

    @Test("a read does not wait for pushes if the document has no room", arguments: readings.map(\.0))
    func noRoom(reading: String) {
        let world = ServerWorld()
        world.keepsTrace = true
        world.document("a", "one")
        let ann = world.connect("ann")
        _ = ann.asks(reading)
        #expect(!world.trace.contains { $0.contains("awaitPushes") })
    }

    @Test("a read that waits for pushes fails if the right is lost meanwhile")
    func rightsGone() {
        let (world, ann) = server()
        ann.send([#"{"type":"read","doc":"a"}"#])
        // The hub has sent the request to the room.
        world.step()
        world.hubEvent(.grantsChanged(Grants([]), 1))
        world.run()
        #expect(
            Set(ann.hears()) == [#"{"type":"rights","doc":"a","rights":"none"}"#, "not_found"])
        #expect(world.hub.requestsUnderWay == 0)
    }

    /// If the connection of a waiting read is lost, the read is dropped.
    @Test("a read that waits for pushes is refused at a shutdown")
    func endings() {
        for leaves in [true, false] {
            let (world, ann) = server()
            ann.send([#"{"type":"read","doc":"a"}"#])
            world.step()
            #expect(world.hub.requestsUnderWay == 1)
            if leaves {
                ann.lose()
            } else {
                world.hubEvent(.shutDown(retryAfterMilliseconds: nil))
                world.run()
                #expect(ann.hears().first == "shutting_down")
            }
            #expect(world.hub.requestsUnderWay == 0)
        }
    }
}
