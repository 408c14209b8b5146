import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("hub: updates kept for followers")
struct HubFeedTests {
    /// A server with these documents, and a follower who has received all of them.
    private func server(_ names: [String]) -> (ServerWorld, TestClient) {
        let world = ServerWorld { $0.outputTimeoutSeconds = 1_000 }
        for name in names { world.document(name, "x") }
        let ann = world.connect("ann")
        ann.says(#"{"type":"follow"}"#)
        world.pass(milliseconds: 1_000)
        _ = ann.heard()
        return (world, ann)
    }

    private func changed(_ number: Int64, in world: ServerWorld) {
        world.hubEvent(.changed(DocumentID(number)))
        world.run()
    }

    /// Rule D6.
    @Test("a document that changes all the time is looked up once a second")
    func lookUps() {
        let (world, _) = server(["a", "b"])
        for tenth in 0..<20 {
            changed(1, in: world)
            if tenth == 5 { changed(2, in: world) }
            world.pass(milliseconds: 100)
        }
        #expect(lookedUp(in: world) == [[1], [2], [1], [1]])
    }

    /// Rule D6.
    @Test("a slow follower gets each document once, however often it changed")
    func newestOnly() {
        // Outdated updates are removed now and then, for example during the second round.
        for rounds in 2...4 {
            let (world, ann) = server((1...40).map { "a\($0)" })
            ann.readsAll = false
            for _ in 0..<rounds {
                for number in 1...40 { changed(Int64(number), in: world) }
                world.pass(milliseconds: 1_000)
            }
            #expect(ann.heard().count == 1)
            ann.readAll()
            world.run()
            let heard = ann.heard()
            #expect(heard.count == 40 && Set(heard).count == 40)
        }
    }

    /// Rule D6.
    @Test("the interval of a document does not depend on lookups of others")
    func ownInterval() {
        let (world, _) = server(["a", "b"])
        changed(1, in: world)
        world.pass(milliseconds: 500)
        changed(2, in: world)
        world.pass(milliseconds: 100)
        changed(1, in: world)
        for (pause, documents) in [(399, [1, 2]), (1, [1, 2, 1])] as [(Int64, [Int64])] {
            world.pass(milliseconds: pause)
            #expect(lookedUp(in: world).flatMap { $0 } == documents)
        }
    }

    /// The documents of each lookup.
    private func lookedUp(in world: ServerWorld) -> [[Int64]] {
        world.calls.compactMap {
            if case .entries(let documents) = $0 { documents.map(\.value) } else { nil }
        }
    }

    /// The hub counts the updates that it keeps for a follower. `ServerWorld` checks this count after each
    /// event.
    @Test("a follower that reads in parts gets all kinds of updates in order")
    func parts() {
        let (world, ann) = server(["a", "b"])
        let bob = world.connect("bob")
        ann.readsAll = false
        func read() -> [String] {
            ann.readAll()
            world.run()
            return ann.heard().types
        }
        changed(2, in: world)
        changed(1, in: world)
        #expect(ann.heard().types == ["document"])
        world.pass(milliseconds: 500)
        #expect(read() == ["document"])
        world.pass(milliseconds: 500)
        bob.says(#"{"type":"rename","doc":"b","to":"c"}"#)
        changed(1, in: world)
        // Document a was sent half a second ago, so its next update must wait for another half second.
        #expect(read() == ["gone", "document"])
        #expect(read() == [])
        world.pass(milliseconds: 500)
        #expect(ann.heard().types == ["document"])
        #expect(read() == [])
    }

    @Test("two clients that begin to follow at once get each document once")
    func followTogether() {
        let world = ServerWorld()
        for name in ["a", "b"] { world.document(name, "x") }
        let clients = ["ann", "bob"].map { world.connect($0) }
        for client in clients { _ = client.heard() }
        world.holds = { if case .list = $0 { true } else { false } }
        for client in clients { client.says(#"{"type":"follow"}"#) }
        world.release()
        for client in clients { #expect(client.heard().types == ["document", "document", "done"]) }
    }

    /// The epoch may change while the document has a room.
    @Test("`gone` has the epoch that the follower was sent last", arguments: [true, false])
    func epoch(isListed: Bool) {
        let world = ServerWorld()
        let document = world.document("a", "x")
        let (ann, bob) = (world.connect("ann"), world.connect("bob"))
        ann.says(#"{"type":"open","doc":"a"}"#)
        if isListed { _ = world.store.renewEpochs() }
        bob.says(#"{"type":"follow"}"#)
        world.pass(milliseconds: 1_000)
        if !isListed {
            _ = world.store.renewEpochs()
            changed(document.value, in: world)
        }
        let shown = bob.heard().filter { $0.contains(#""type":"document""#) }
        #expect(shown.last?.contains(#""epoch":"2.1""#) == true)
        world.hubEvent(.notified(document, .deleted(nil)))
        world.run()
        let gone = #"{"type":"gone","doc":"a","epoch":"2.1","reason":"deleted","followed":true}"#
        #expect(bob.heard() == [gone])
    }

    @Test("the hub starts watching commits only once, at its first follower")
    func watchOnce() {
        let world = ServerWorld()
        world.keepsTrace = true
        for name in ["ann", "bob", "ann"] { world.connect(name).says(#"{"type":"follow"}"#) }
        #expect(world.trace.filter { $0.hasPrefix("hub watchCommits") } == ["hub watchCommits(true)"])
    }
}
