import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("hub: following the list of documents")
struct HubFollowTests {
    private func push(_ client: TestClient, _ name: String, _ seq: Int) {
        client.says(
            #"{"type":"push","doc":"\#(name)","epoch":"1.1","base":0,"seq":\#(seq),"text":"\#(seq)","create":true}"#
        )
        _ = client.heard()
    }

    private func summary(_ name: String, _ epoch: Int, _ revision: Int, _ length: Int, _ time: Int) -> String
    {
        #"{"type":"document","doc":"\#(name)","epoch":"1.\#(epoch)","rev":\#(revision),"length":\#(length),"updated":\#(time)}"#
    }

    /// Rule D6.
    @Test("`follow` sends all readable documents, then `done`")
    func now() {
        let world = ServerWorld()
        world.document("a/1", "x")
        world.document("a/2", "xy")
        world.document("b", "x")
        world.document("hidden", "x")
        let ann = world.connect(
            "ann", Grants([Grant(.read, to: .prefix("a/")), Grant(.read, to: .prefix("b"))])!)
        #expect(
            ann.asks(#"{"type":"follow","id":1,"prefix":"a/"}"#) == [
                summary("a/1", 1, 1, 1, 1_000), summary("a/2", 2, 1, 2, 1_000), #"{"type":"done","id":1}"#,
            ])
        #expect(world.watchesCommits)
        #expect(ann.asks(#"{"type":"unfollow","id":2}"#) == [#"{"type":"done","id":2}"#])
        #expect(!world.watchesCommits)
        #expect(ann.asks(#"{"type":"unfollow"}"#) == [#"{"type":"done"}"#])
    }

    /// Rule D6.
    @Test("a follower gets the newest state of a document at most once a second")
    func rate() {
        let world = ServerWorld()
        world.document("a", "x")
        let ann = world.connect("ann")
        let bob = world.connect("bob")
        ann.says(#"{"type":"follow"}"#)
        _ = ann.heard()
        for seq in 1...3 {
            push(bob, "a", seq)
            world.pass(milliseconds: 300)
        }
        // No second report is sent within a second of the first one.
        #expect(ann.hears() == [])
        world.pass(milliseconds: 100)
        #expect(ann.hears().count == 1)
        push(bob, "a", 4)
        world.pass(milliseconds: 99)
        #expect(ann.hears() == [])
        for seq in 5...6 { push(bob, "a", seq) }
        world.pass(milliseconds: 900)
        world.pass(milliseconds: 1)
        let heard = ann.hears()
        #expect(heard.count == 1 && heard[0].contains(#""rev":7"#))
        world.pass(milliseconds: 5_000)
        #expect(ann.hears() == [])
    }

    @Test("a follower is notified of new, renamed and deleted documents")
    func names() {
        let world = ServerWorld()
        let ann = world.connect("ann")
        let bob = world.connect("bob")
        ann.says(#"{"type":"follow"}"#)
        world.pass(milliseconds: 1_000)
        _ = ann.heard()
        bob.says(#"{"type":"open","doc":"a","create":true}"#, #"{"type":"close","doc":"a"}"#)
        #expect(ann.hears() == [summary("a", 1, 0, 0, 11_000)])
        bob.says(#"{"type":"rename","doc":"a","to":"b"}"#)
        #expect(ann.hears() == [gone("a", #""renamed","to":"b""#)])
        world.pass(milliseconds: 1_000)
        #expect(ann.hears() == [summary("b", 1, 0, 0, 11_000)])
        bob.says(#"{"type":"open","doc":"b"}"#, #"{"type":"delete","doc":"b"}"#)
        #expect(ann.hears() == [gone("b", #""deleted""#)])
    }

    /// The line that a follower gets when the first document is renamed or deleted.
    private func gone(_ name: String, _ reason: String) -> String {
        #"{"type":"gone","doc":"\#(name)","epoch":"1.1","reason":\#(reason),"followed":true}"#
    }

    /// Rule D8.
    @Test("a follower that also has the document open gets two `gone` messages")
    func bothEnds() {
        let world = ServerWorld()
        world.document("a", "x")
        let ann = world.connect("ann")
        ann.says(#"{"type":"open","doc":"a"}"#, #"{"type":"follow"}"#)
        world.pass(milliseconds: 1_000)
        _ = ann.heard()
        ann.says(#"{"type":"delete","doc":"a"}"#, #"{"type":"open","doc":"a","create":true}"#)
        world.pass(milliseconds: 1_000)
        let heard = ann.hears()
        let session = #"{"type":"gone","doc":"a","epoch":"1.1","reason":"deleted"}"#
        let follower = gone("a", #""deleted""#)
        #expect(heard.filter { $0.contains("gone") }.sorted() == [follower, session].sorted())
        #expect(heard.contains("opened"))
    }

    @Test("an old summary is not sent after its document was renamed or deleted")
    func seenBefore() {
        for isRenamed in [true, false] {
            let world = ServerWorld()
            world.document("a", "x")
            let (ann, bob) = (world.connect("ann"), world.connect("bob"))
            ann.says(#"{"type":"follow"}"#)
            world.pass(milliseconds: 1_000)
            _ = ann.heard()
            world.holdsAnswer = { if case .entries = $0 { true } else { false } }
            push(bob, "a", 1)
            bob.says(
                isRenamed ? #"{"type":"rename","doc":"a","to":"b"}"# : #"{"type":"delete","doc":"a"}"#)
            let gone = ann.hears()
            #expect(gone.count == 1 && gone.line(0).hasPrefix(#"{"type":"gone","doc":"a""#))
            world.release()
            // The new name is reported at once, because the old name was never reported.
            #expect(ann.hears() == (isRenamed ? [summary("b", 1, 2, 1, 11_000)] : []))
            world.pass(milliseconds: 2_000)
            #expect(ann.hears() == [])
        }
    }

    /// If `isListed` is true, the store reads the list before the document is renamed or deleted, and
    /// otherwise after it.
    @Test(
        "if a document is renamed or deleted while it is listed, `gone` is sent",
        arguments: [true, false], [true, false])
    func endsWhileListed(isListed: Bool, isRenamed: Bool) {
        let world = ServerWorld()
        world.document("a", "x")
        world.document("b", "x")
        let (ann, bob) = (world.connect("ann"), world.connect("bob"))
        if isListed {
            world.holdsAnswer = { if case .list = $0 { true } else { false } }
        } else {
            world.holds = { if case .list = $0 { true } else { false } }
        }
        ann.says(#"{"type":"follow"}"#)
        bob.says(isRenamed ? #"{"type":"rename","doc":"a","to":"c"}"# : #"{"type":"delete","doc":"a"}"#)
        #expect(ann.hears() == ["welcome"])
        world.release()
        world.pass(milliseconds: 1_000)
        let heard = ann.heard()
        let other = summary("b", 2, 1, 1, 1_000)
        let ending = gone("a", isRenamed ? #""renamed","to":"c""# : #""deleted""#)
        // The list may contain the new name. If not, the follower gets the new name afterwards.
        let new = summary("c", 1, 1, 1, 1_000)
        let listed = isListed ? [summary("a", 1, 1, 1, 1_000), other] : isRenamed ? [other, new] : [other]
        #expect(heard == listed + [#"{"type":"done"}"#, ending] + (isRenamed ? [new] : []))
    }

    /// Rule R2.
    @Test("a follower gets only documents and new names that it may read")
    func rights() {
        let world = ServerWorld()
        world.document("a/1", "x")
        world.document("b/1", "x")
        let some = Grants([Grant(.read, to: .prefix("a/"))])!
        let ann = world.connect("ann", some)
        let bob = world.connect("bob")
        ann.says(#"{"type":"follow"}"#)
        world.pass(milliseconds: 1_000)
        _ = ann.heard()
        bob.says(#"{"type":"rename","doc":"b/1","to":"b/2"}"#, #"{"type":"rename","doc":"a/1","to":"b/1"}"#)
        #expect(ann.hears() == [gone("a/1", #""deleted""#)])
        bob.says(#"{"type":"rename","doc":"b/2","to":"a/2"}"#)
        world.pass(milliseconds: 1_000)
        #expect(ann.hears() == [summary("a/2", 2, 1, 1, 1_000)])
        bob.says(#"{"type":"rename","doc":"a/2","to":"a/3"}"#)
        let renamed = #""epoch":"1.2","reason":"renamed","to":"a/3","followed":true}"#
        #expect(ann.hears() == [#"{"type":"gone","doc":"a/2",\#(renamed)"#])
        world.hubEvent(.grantsChanged(Grants([]), 1))
        bob.says(#"{"type":"delete","doc":"a/3"}"#)
        world.pass(milliseconds: 1_000)
        #expect(ann.hears() == [])
    }

    @Test("the hub sets a timer for the next report to a slow follower")
    func wakeForLateFollower() {
        let world = ServerWorld { $0.outputTimeoutSeconds = 1_000 }
        world.document("a", "x")
        world.document("b", "x")
        let ann = world.connect("ann")
        let bob = world.connect("bob")
        ann.says(#"{"type":"follow"}"#)
        _ = ann.heard()
        world.pass(milliseconds: 1_000)
        // Ann has not read the message about b. So the hub sends the message about a half a second later.
        ann.readsAll = false
        push(bob, "b", 1)
        push(bob, "a", 2)
        world.pass(milliseconds: 500)
        #expect(ann.hears().count == 1)
        ann.readAll()
        world.run()
        #expect(ann.hears().count == 1)
        ann.readAll()
        world.run()
        let next = world.now + 1_000
        push(bob, "a", 3)
        world.keepsTrace = true
        world.pass(milliseconds: 500)
        #expect(ann.hears() == [])
        #expect(world.trace.contains("hub wake(at: \(next))"))
        world.pass(milliseconds: 500)
        #expect(ann.hears().count == 1)
    }

    /// Rule D6.
    @Test("after a pause in reading, a follower gets only the newest summaries")
    func slow() {
        let world = ServerWorld {
            $0.outputTimeoutSeconds = 1_000
            $0.announced.documents = 1
        }
        for number in 0..<250 { world.document("a\(number)", "x") }
        let ann = world.connect("ann")
        let bob = world.connect("bob")
        ann.readsAll = false
        ann.says(#"{"type":"follow"}"#)
        #expect(ann.hears().count == 101)
        ann.readAll()
        world.run()
        #expect(ann.hears().count == 100)
        ann.readAll()
        world.run()
        #expect(ann.hears().count == 50)
        ann.readAll()
        world.run()
        #expect(ann.hears() == [#"{"type":"done"}"#])
        world.pass(milliseconds: 1_000)
        for seq in 1...5 {
            push(bob, "a7", seq)
            push(bob, "a8", seq)
            world.pass(milliseconds: 1_000)
        }
        let first = ann.hears()
        #expect(first.count == 1)
        ann.readAll()
        world.run()
        #expect(ann.hears().count == 2)
    }

    @Test("a follower that reads slowly gets at most 100 messages at a time")
    func batches() throws {
        let world = ServerWorld { $0.outputTimeoutSeconds = 1_000 }
        let document = world.document("a0", "x")
        let (ann, eve) = (world.connect("ann"), world.connect("eve"))
        eve.says(#"{"type":"open","doc":"a0"}"#)
        ann.says(#"{"type":"follow"}"#)
        world.pass(milliseconds: 1_000)
        _ = ann.heard()
        ann.readsAll = false
        for number in 1...102 {
            let name = try DocumentName("a\(number % 2)")
            world.hubEvent(.notified(document, .renamed(name, .renamed)))
        }
        world.run()
        // The hub sends the first message at once. It sends the next messages after Ann has read the first
        // one.
        #expect(ann.heard().types == ["gone"])
        for rest in [Array(repeating: "gone", count: 100), ["gone", "document"]] {
            ann.readAll()
            world.run()
            #expect(ann.heard().types == rest)
        }
    }

    @Test("the changed documents that have waited longest are reported first")
    func lookupOrder() {
        let world = ServerWorld()
        let ann = world.connect("ann")
        ann.says(#"{"type":"follow"}"#)
        world.holds = { _ in true }
        for number in (1...151).reversed() {
            world.now += 1
            world.hubEvent(.changed(DocumentID(Int64(number))))
        }
        world.release()
        // The first lookup began at the first change, so it has one document. A lookup has at most 100
        // documents.
        let lookups: [[Int64]] = world.calls.compactMap {
            if case .entries(let documents) = $0 { documents.map(\.value) } else { nil }
        }
        let longestFirst: [[Int64]] = [[151], (51...150).reversed(), (1...50).reversed()]
        #expect(lookups == longestFirst)
    }

    @Test("if the last follower leaves during a lookup, the hub drops all updates")
    func unfollowDuringLookup() {
        let world = ServerWorld()
        let document = world.document("a", "x")
        let ann = world.connect("ann")
        ann.says(#"{"type":"follow"}"#)
        world.holds = { if case .entries = $0 { true } else { false } }
        world.hubEvent(.changed(document))
        _ = ann.asks(#"{"type":"unfollow"}"#)
        world.release()
        #expect(ann.hears() == [])
        #expect(ann.asks(#"{"type":"follow"}"#) == [summary("a", 1, 1, 1, 1_000), #"{"type":"done"}"#])
        world.pass(milliseconds: 2_000)
        #expect(ann.hears() == [])
    }

    /// Rules D7 and E2. Other followers still get every `gone`.
    @Test("a follower with over 10,000 waiting `gone` messages is disconnected")
    func tooFarBehind() throws {
        for excess in [0, 1] {
            let world = ServerWorld { $0.outputTimeoutSeconds = 1_000 }
            let document = world.document("a0", "x")
            let (ann, bob, eve) = (world.connect("ann"), world.connect("bob"), world.connect("eve"))
            eve.says(#"{"type":"open","doc":"a0"}"#)
            ann.readsAll = false
            for client in [ann, bob] { client.says(#"{"type":"follow"}"#) }
            world.pass(milliseconds: 1_000)
            var told = 0
            for number in 1...10_000 + excess {
                let name = try DocumentName("a\(number % 2)")
                world.hubEvent(.notified(document, .renamed(name, .renamed)))
                if number % 100 > 0 { continue }
                world.run()
                told += bob.heard().count { $0.contains("gone") }
            }
            world.run()
            let bye = #"{"type":"bye","reason":"too_slow"}"#
            #expect(ann.heard().contains(bye) == (excess > 0))
            let last = bob.heard()
            #expect(told + last.count { $0.contains("gone") } == 10_000 + excess && !last.contains(bye))
        }
    }

    /// Rule D6.
    @Test("a second `follow` replaces the first one and its prefix")
    func again() {
        let world = ServerWorld()
        world.document("a", "x")
        world.document("b", "x")
        let ann = world.connect("ann")
        #expect(ann.asks(#"{"type":"follow","prefix":"a"}"#).count == 2)
        #expect(ann.asks(#"{"type":"follow","prefix":"b"}"#)[0].contains(#""doc":"b""#))
        world.pass(milliseconds: 1_000)
        push(ann, "a", 1)
        world.pass(milliseconds: 2_000)
        #expect(ann.hears() == [])
    }

    @Test("the hub stops watching commits when its last follower is lost")
    func lost() {
        let world = ServerWorld()
        let ann = world.connect("ann")
        ann.says(#"{"type":"follow"}"#)
        ann.lose()
        #expect(!world.watchesCommits)
        #expect(world.hub.connectionCount == 0)
    }
}
