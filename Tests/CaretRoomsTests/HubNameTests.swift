import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("hub: renames and deletions")
struct HubNameTests {
    /// Rule D11.
    @Test("a document that no client has open can be renamed and deleted")
    func closed() {
        let world = ServerWorld()
        world.document("a", "x")
        world.document("b", "y")
        let ann = world.connect("ann")
        #expect(ann.asks(#"{"type":"rename","id":1,"doc":"a","to":"b"}"#) == ["exists"])
        #expect(ann.asks(#"{"type":"rename","id":2,"doc":"a","to":"a"}"#) == ["exists"])
        #expect(ann.asks(#"{"type":"rename","id":3,"doc":"a","to":"c"}"#) == [#"{"type":"done","id":3}"#])
        #expect(ann.asks(#"{"type":"open","doc":"a"}"#) == ["not_found"])
        #expect(ann.asks(#"{"type":"delete","id":4,"doc":"c"}"#) == [#"{"type":"done","id":4}"#])
        #expect(ann.asks(#"{"type":"delete","id":5,"doc":"c"}"#) == ["not_found"])
        #expect(world.hub.roomCount == 0)
    }

    /// Rule T8.
    @Test("no new document and no rename gets a name with an invisible character; existing ones stay usable")
    func invisible() {
        let world = ServerWorld()
        let old = "old\u{200B}"
        world.document(old, "x")
        let ann = world.connect("ann")
        for fields in [
            #""type":"open","doc":"new\u200b","create":true"#,
            #""type":"push","doc":"new\u200b","base":0,"seq":1,"text":"x","create":true"#,
            #""type":"rename","doc":"old\u200b","to":"new\u200b""#,
        ] {
            #expect(ann.asks("{\(fields)}") == ["bad_name"])
        }
        #expect(ann.asks(#"{"type":"open","doc":"new\u200b"}"#) == ["not_found"])
        #expect(ann.asks(#"{"type":"open","doc":"old\u200b","create":true}"#) == ["opened"])
        #expect(
            ann.asks(#"{"type":"push","doc":"old\u200b","epoch":"1.1","base":1,"seq":1,"text":"xy"}"#).types
                == [
                    "ack"
                ])
        #expect(
            ann.asks(#"{"type":"rename","id":3,"doc":"old\u200b","to":"c"}"#).last
                == #"{"type":"done","id":3}"#)
    }

    /// Rules R4 and T8.
    @Test("a user who may not write learns nothing about the name")
    func invisibleForReader() {
        let world = ServerWorld()
        let eve = world.connect("eve", Grants([Grant(.read, to: .prefix("a"))])!)
        #expect(eve.asks(#"{"type":"open","doc":"a\u200b","create":true}"#) == ["forbidden"])
        #expect(eve.asks(#"{"type":"open","doc":"b\u200b","create":true}"#) == ["not_found"])
    }

    /// The store runs the lookup before the rename or deletion, but the answer to the lookup arrives last.
    @Test("a lookup is repeated if a rename or deletion has outdated it")
    func lateFinding() throws {
        let (old, new) = (try DocumentName("a"), try DocumentName("b"))
        for isRenamed in [true, false] {
            var (world, hub) = (ServerWorld(), HubState(limits: Limits(), at: 0) { .sample($0) })
            let document = world.document("a", "x")
            let entry = try world.store.find(old).get()
            for number in [1, 2] as [Int64] {
                let pusher = Pusher(user: "ann", client: ByteString("client-\(number)"))
                let id = ConnectionID(number)
                let joining = JoinRequest(
                    connection: id, pusher: pusher, token: 1, grants: .all, unit: .utf16)
                _ = hub.handle(.join(joining), at: 1)
            }
            let read = HubRequest.Question.read(old, Read(document: "a"))
            let change: HubRequest.Question =
                isRenamed
                ? .rename(old, to: new, Rename(document: "a", to: "b"))
                : .delete(old, Delete(document: "a"))
            _ = hub.handle(.ask(HubRequest(connection: 1, id: nil, question: read)), at: 1)
            _ = hub.handle(.ask(HubRequest(connection: 2, id: nil, question: change)), at: 1)
            _ = hub.handle(.answered(CallID(2), .found(.success(entry))), at: 1)
            _ = hub.handle(.answered(CallID(3), isRenamed ? .renamed(.renamed) : .deleted(nil)), at: 1)
            let late = hub.handle(.answered(CallID(1), .found(.success(entry))), at: 1)
            #expect(late == [.call(CallID(4), .find(old))])
            #expect(hub.roomCount == 0, "document \(document.value) has no room")
        }
    }

    @Test("the notices of two renames that reuse a name may arrive in any order", arguments: [false, true])
    func nextOwnerFirst(isRenamed: Bool) throws {
        let (a, b, c) = (try DocumentName("a"), try DocumentName("b"), try DocumentName("c"))
        let world = ServerWorld()
        let (first, second) = (world.document("a", "x"), world.document("b", "y"))
        for name in ["a", "b"] { world.connect(name).says(#"{"type":"open","doc":"\#(name)"}"#) }
        let others = ["ann", "bob", "cid", "dan"].map { world.connect($0).id }
        var hub = world.hub
        let asks = { (hub: inout HubState, other: Int, question: HubRequest.Question) in
            hub.handle(
                .ask(HubRequest(connection: others[other], id: nil, question: question)), at: world.now)
        }
        _ = asks(
            &hub, 0,
            isRenamed ? .rename(a, to: c, Rename(document: "a", to: "c")) : .delete(a, Delete(document: "a")))
        _ = asks(&hub, 1, .rename(b, to: a, Rename(document: "b", to: "a")))
        #expect(asks(&hub, 2, .delete(a, Delete(document: "a"))) == [])

        // The first room gave up the name `a` before the second room got it. But the hub gets the notice of
        // the second room first.
        _ = hub.handle(.notified(second, .renamed(a, .renamed)), at: world.now)
        try hub.checkInvariants()
        let reading = asks(&hub, 3, .read(a, Read(document: "a")))
        #expect(reading.map(\.room) == [second])

        let notice: RoomNotice = isRenamed ? .renamed(c, .renamed) : .deleted(nil)
        let served = hub.handle(.notified(first, notice), at: world.now)
        try hub.checkInvariants()
        #expect(served.map(\.room) == [second])
    }

    /// Rule P16.
    @Test("after a rename, a repeated push by the old name creates a new document")
    func repeatBehindRename() {
        let world = ServerWorld()
        world.makesRoom = { WholeRoom($0, $1.settings, at: $1.now) }
        let ann = world.connect("ann")
        let push = #"{"type":"push","doc":"a","base":0,"seq":1,"text":"x","create":true}"#
        func ack(_ epoch: String, _ end: String = "}") -> [String] {
            [
                #"{"type":"ack","doc":"a","seq":1,"epoch":"\#(epoch)","rev":1,"edits":[{"range":[0,0],"text":"x"}]"#
                    + end
            ]
        }
        #expect(ann.asks(push) == ack("1.1"))
        #expect(ann.asks(push) == ack("1.1", #","duplicate":true}"#))
        #expect(ann.asks(#"{"type":"rename","doc":"a","to":"b"}"#) == [#"{"type":"done"}"#])
        #expect(ann.asks(push) == ack("1.2"))
        #expect(ann.asks(#"{"type":"list"}"#).line(0).components(#""rev":1"#) == 2)
    }

    /// Rules D9 and D10. `gone` comes before the answer to the request.
    @Test("all sessions learn of a rename, but its new name goes only to readers")
    func open() {
        let world = ServerWorld()
        world.document("a/1", "x")
        let ann = world.connect("ann")
        let bob = world.connect("bob", Grants([Grant(.write, to: .prefix("a/"))])!)
        let eve = world.connect("eve", Grants([Grant(.read, to: .prefix(""))])!)
        for client in [ann, bob, eve] {
            client.says(#"{"type":"open","doc":"a/1"}"#)
            _ = client.heard()
        }
        ann.says(#"{"type":"rename","id":1,"doc":"a/1","to":"b/1"}"#)
        #expect(
            ann.hears() == [
                #"{"type":"gone","doc":"a/1","epoch":"1.1","reason":"renamed","to":"b/1"}"#,
                #"{"type":"done","id":1}"#,
            ])
        #expect(bob.hears() == [#"{"type":"gone","doc":"a/1","epoch":"1.1","reason":"deleted"}"#])
        #expect(
            eve.hears() == [#"{"type":"gone","doc":"a/1","epoch":"1.1","reason":"renamed","to":"b/1"}"#])
        #expect(bob.asks(#"{"type":"close","doc":"a/1"}"#) == ["not_open"])
        #expect(ann.asks(#"{"type":"open","doc":"b/1"}"#) == ["opened"])
        #expect(
            ann.asks(#"{"type":"delete","id":2,"doc":"b/1"}"#) == [
                #"{"type":"gone","doc":"b/1","epoch":"1.1","reason":"deleted"}"#, #"{"type":"done","id":2}"#,
            ])
        #expect(ann.asks(#"{"type":"open","doc":"b/1"}"#) == ["not_found"])
        #expect(ann.asks(#"{"type":"open","doc":"b/1","create":true}"#) == ["opened"])
    }

    @Test("a rename that fails leaves the document open under its name")
    func failedRename() {
        let world = ServerWorld()
        world.document("a", "x")
        world.document("b", "x")
        let ann = world.connect("ann")
        ann.says(#"{"type":"open","doc":"a"}"#)
        _ = ann.heard()
        #expect(ann.asks(#"{"type":"rename","doc":"a","to":"b"}"#) == ["exists"])
        #expect(ann.asks(#"{"type":"close","doc":"a"}"#) == [#"{"type":"closed","doc":"a"}"#])
        world.store.trouble = .failed
        ann.says(#"{"type":"open","doc":"a"}"#)
        _ = ann.heard()
        #expect(ann.asks(#"{"type":"delete","doc":"a"}"#) == ["storage_failed"])
        #expect(ann.asks(#"{"type":"close","doc":"a"}"#) == [#"{"type":"closed","doc":"a"}"#])
    }

    /// Rule D12.
    @Test(
        "requests during a rename wait, and then run with the new names",
        arguments: [false, true])
    func crossing(isOpen: Bool) {
        let world = ServerWorld()
        world.document("a", "x")
        let ann = world.connect("ann")
        let bob = world.connect("bob")
        let eve = world.connect("eve")
        if isOpen { ann.says(#"{"type":"open","doc":"a"}"#) }
        world.holds = { if case .rename = $0 { true } else { false } }
        ann.says(#"{"type":"rename","doc":"a","to":"b"}"#)
        bob.says(#"{"type":"open","doc":"a"}"#)
        eve.says(#"{"type":"push","doc":"a","epoch":"1.1","base":1,"seq":1,"text":"y"}"#)
        #expect(bob.hears() == ["welcome"])
        world.release()
        #expect(ann.hears().last == #"{"type":"done"}"#)
        #expect(bob.hears() == ["not_found"])
        #expect(eve.hears() == ["welcome", "not_found"])
        #expect(bob.asks(#"{"type":"open","doc":"b"}"#) == ["opened"])
    }

    @Test("an open by the new name during a rename gets the room of the old name")
    func newNameMeanwhile() {
        let world = ServerWorld()
        world.document("a", "x")
        let ann = world.connect("ann")
        let bob = world.connect("bob")
        ann.says(#"{"type":"open","doc":"a"}"#)
        #expect(ann.hears() == ["welcome", "opened"])
        // The store has renamed the document, but its answer has not reached the room yet.
        world.holdsAnswer = { if case .rename = $0 { true } else { false } }
        ann.says(#"{"type":"rename","doc":"a","to":"b"}"#)
        bob.says(#"{"type":"open","doc":"b","create":true}"#)
        #expect(bob.hears() == ["welcome"])
        world.release()
        #expect(world.rooms.count == 1)
        #expect(bob.hears() == ["opened"])
        #expect(
            ann.hears() == [
                #"{"type":"gone","doc":"a","epoch":"1.1","reason":"renamed","to":"b"}"#, #"{"type":"done"}"#,
            ])
    }

    @Test(
        "during a rename, requests to rename or delete by the new name wait",
        arguments: [#"{"type":"rename","doc":"b","to":"c"}"#, #"{"type":"delete","doc":"b"}"#])
    func changeByNewName(request: String) {
        let world = ServerWorld()
        world.document("a", "x")
        let (ann, bob) = (world.connect("ann"), world.connect("bob"))
        ann.says(#"{"type":"open","doc":"a"}"#)
        world.holdsAnswer = { if case .rename = $0 { true } else { false } }
        ann.says(#"{"type":"rename","doc":"a","to":"b"}"#)
        #expect(bob.asks(request) == [])
        world.release()
        #expect(ann.hears().last == #"{"type":"done"}"# && bob.hears() == [#"{"type":"done"}"#])
        #expect(world.hub.sessionCount == 0)
    }

    @Test("only one of two renames to a name succeeds; swapping two names fails")
    func twoRenames() {
        let world = ServerWorld()
        world.document("a", "x")
        world.document("b", "y")
        let ann = world.connect("ann")
        let bob = world.connect("bob")
        world.holds = { _ in true }
        ann.says(#"{"type":"rename","doc":"a","to":"c"}"#)
        bob.says(#"{"type":"rename","doc":"b","to":"c"}"#)
        world.release()
        #expect(Set(ann.hears() + bob.hears()) == ["welcome", #"{"type":"done"}"#, "exists"])
        #expect(ann.asks(#"{"type":"rename","doc":"c","to":"a"}"#) == [#"{"type":"done"}"#])
        world.holds = { _ in true }
        ann.says(#"{"type":"rename","doc":"a","to":"b"}"#)
        bob.says(#"{"type":"rename","doc":"b","to":"a"}"#)
        world.release()
        #expect(ann.hears() == ["exists"])
        #expect(bob.hears() == ["exists"])
    }

    /// Rules T4 and D12.
    @Test("an open with `create` that waits for a deletion makes a new document")
    func madeAgain() {
        let world = ServerWorld()
        world.document("a", "old")
        let ann = world.connect("ann")
        let bob = world.connect("bob")
        ann.says(#"{"type":"open","doc":"a"}"#)
        world.holds = { if case .delete = $0 { true } else { false } }
        ann.says(#"{"type":"delete","doc":"a"}"#)
        bob.says(#"{"type":"open","doc":"a","create":true}"#)
        _ = bob.heard()
        world.release()
        let opened = bob.heard()
        #expect(opened.count == 1 && opened[0].contains(#""epoch":"1.2","rev":0,"text":"""#))
    }

    /// The room offered to unload before it received the deletion. Other requests wait for the deletion.
    @Test("a room that offered to unload is kept if it then receives a deletion")
    func crossedOffer() {
        let world = ServerWorld()
        world.document("a", "x")
        let ann = world.connect("ann")
        world.dropsIdleRooms = false
        ann.says(#"{"type":"push","doc":"a","epoch":"1.1","base":1,"seq":1,"text":"y"}"#)
        world.holds = { if case .delete = $0 { true } else { false } }
        ann.says(#"{"type":"delete","doc":"a"}"#)
        world.hubEvent(.notified(DocumentID(1), .unloadOffered))
        world.run()
        let bob = world.connect("bob")
        bob.says(#"{"type":"open","doc":"a"}"#)
        #expect(bob.hears() == ["welcome"])
        world.release()
        #expect(bob.hears() == ["not_found"])
    }

    /// Rule D12.
    @Test("requests wait for a rename for 30 s, then they are sent to the room")
    func longRename() {
        // A session that opened during the rename is told that the document is deleted.
        let gone = #"{"type":"gone","doc":"a","epoch":"1.1","reason":"deleted"}"#
        for (wait, meanwhile, finally) in [(29_999, [], ["not_found"]), (30_000, ["opened"], [gone])] {
            let world = ServerWorld { $0.pingSeconds = 1_000 }
            world.document("a", "x")
            let ann = world.connect("ann")
            let bob = world.connect("bob")
            ann.says(#"{"type":"open","doc":"a"}"#)
            world.holds = { if case .rename = $0 { true } else { false } }
            ann.says(#"{"type":"rename","doc":"a","to":"b"}"#)
            bob.says(#"{"type":"open","doc":"a"}"#)
            _ = bob.heard()
            world.pass(milliseconds: Int64(wait))
            #expect(bob.hears() == meanwhile)
            world.release()
            #expect(bob.hears() == finally)
        }
    }

    @Test("a room that offered to unload is dropped once its last session closes")
    func lateOffer() {
        let world = ServerWorld()
        world.document("a", "x")
        world.dropsIdleRooms = false
        let ann = world.connect("ann")
        ann.says(#"{"type":"open","doc":"a"}"#)
        world.hubEvent(.notified(DocumentID(1), .unloadOffered))
        #expect(world.hub.roomCount == 1)
        ann.says(#"{"type":"close","doc":"a"}"#)
        #expect(world.hub.roomCount == 0 && world.rooms.isEmpty)
    }
}

extension HubAction {
    /// The room that receives this event.
    fileprivate var room: DocumentID? {
        if case .sendToRoom(let document, _) = self { document } else { nil }
    }
}
