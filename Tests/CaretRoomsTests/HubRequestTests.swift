import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("hub: opening, creating and unloading documents")
struct HubRequestTests {
    @Test("a room exists from the first open to the last close")
    func session() {
        let world = ServerWorld()
        let ann = world.connect("ann")
        let bob = world.connect("bob")
        #expect(ann.hears() == ["welcome"])
        #expect(
            ann.askedInFull(#"{"type":"open","id":1,"doc":"agenda","create":true}"#) == [
                #"{"type":"opened","id":1,"doc":"agenda","epoch":"1.1","rev":0,"text":"","rights":"write","newline":"lf","peers":[]}"#
            ])
        bob.says(#"{"type":"open","doc":"agenda"}"#)
        #expect(bob.hears() == ["welcome", "opened"])
        #expect(
            ann.asks(
                #"{"type":"push","doc":"agenda","epoch":"1.1","base":0,"seq":1,"edits":[{"range":[0,0],"text":"x"}]}"#
            ) == [#"{"type":"ack","doc":"agenda","seq":1,"rev":1}"#])
        #expect(bob.hears().count == 1)
        #expect(
            ann.asks(#"{"type":"close","id":2,"doc":"agenda"}"#) == [
                #"{"type":"closed","id":2,"doc":"agenda"}"#
            ])
        #expect(world.hub.roomCount == 1)
        bob.says(#"{"type":"close","doc":"agenda"}"#)
        #expect(world.hub.roomCount == 0)
        #expect(world.rooms.isEmpty)
    }

    @Test("requests for a missing document fail, unless they have `create`")
    func missing() {
        let world = ServerWorld()
        let ann = world.connect("ann")
        for line in [
            #"{"type":"open","doc":"a"}"#, #"{"type":"read","doc":"a"}"#, #"{"type":"history","doc":"a"}"#,
            #"{"type":"push","doc":"a","base":0,"seq":1,"text":"x"}"#,
            #"{"type":"restore","doc":"a","epoch":"e","rev":0,"seq":1}"#,
            #"{"type":"rename","doc":"a","to":"b"}"#, #"{"type":"delete","doc":"a"}"#,
        ] {
            #expect(ann.asks(line) == ["not_found"])
        }
        #expect(ann.asks(#"{"type":"open","doc":"a","create":true}"#) == ["opened"])
    }

    @Test("a push of a whole text works on a closed document, and can create one")
    func guestPush() throws {
        let world = ServerWorld()
        let ann = world.connect("ann")
        #expect(
            ann.asks(#"{"type":"push","id":1,"doc":"a","base":0,"seq":1,"text":"one","create":true}"#)
                == [
                    #"{"type":"ack","id":1,"doc":"a","seq":1,"epoch":"1.1","rev":1,"edits":[{"range":[0,0],"text":"one"}]}"#
                ])
        #expect(world.hub.roomCount == 0)
        #expect(
            ann.asks(#"{"type":"push","doc":"a","epoch":"1.1","base":1,"seq":2,"text":"two"}"#)
                == [#"{"type":"ack","doc":"a","seq":2,"rev":2}"#])
        #expect(
            ann.asks(#"{"type":"push","doc":"a","base":2,"seq":3,"text":"three","create":true}"#)
                == ["epoch_changed"])
        #expect(
            ann.asks(#"{"type":"restore","doc":"a","epoch":"1.1","rev":0,"seq":4}"#)
                == [#"{"type":"ack","doc":"a","seq":4,"rev":3}"#])
        #expect(try world.store.text(of: DocumentID(1), at: nil).get().text.string == "")
    }

    @Test("a document is loaded once, however many connections open it meanwhile")
    func duplicates() {
        let world = ServerWorld()
        world.document("a", "x")
        world.holds = { _ in true }
        let clients = ["ann", "bob", "eve"].map { world.connect($0) }
        for client in clients { client.says(#"{"type":"open","doc":"a","create":true}"#) }
        world.release()
        for client in clients { #expect(client.hears() == ["welcome", "opened"]) }
        #expect(world.calls.filter { if case .open = $0 { true } else { false } }.count == 1)
        #expect(world.hub.roomCount == 1)
    }

    @Test("a text that cannot be read gives an error, never an empty text", arguments: [false, true])
    func failedLoad(isDamaged: Bool) {
        let world = ServerWorld()
        let document = world.document("a", "x")
        world.holds = { if case .open = $0 { true } else { false } }
        let ann = world.connect("ann")
        let bob = world.connect("bob")
        ann.says(#"{"type":"open","doc":"a"}"#)
        bob.says(#"{"type":"push","doc":"a","epoch":"1.1","base":1,"seq":1,"text":"y"}"#)
        if isDamaged { world.store.damage(document) } else { _ = world.store.delete(document, at: 7) }
        world.release()
        #expect(ann.hears() == ["welcome", isDamaged ? "damaged" : "not_found"])
        #expect(bob.hears() == ["welcome", isDamaged ? "damaged" : "not_found"])
        #expect(world.hub.roomCount == 0)
    }

    /// Rule D13.
    @Test("a damaged document refuses all requests, even those with `create`")
    func damaged() {
        let world = ServerWorld()
        world.store.damage(world.document("a", "x"))
        let ann = world.connect("ann")
        for line in [
            #"{"type":"open","doc":"a"}"#, #"{"type":"open","doc":"a","create":true}"#,
            #"{"type":"push","doc":"a","base":0,"seq":1,"text":"x","create":true}"#,
            #"{"type":"read","doc":"a"}"#, #"{"type":"history","doc":"a"}"#,
            #"{"type":"rename","doc":"a","to":"b"}"#, #"{"type":"delete","doc":"a"}"#,
        ] {
            #expect(ann.asks(line) == ["damaged"])
        }
        #expect(world.hub.roomCount == 0)
    }

    @Test("requests that must save data get an error if the disk is full or fails")
    func storageTrouble() {
        for (trouble, code) in [(StoreModel.Trouble.full, "storage_full"), (.failed, "storage_failed")] {
            let world = ServerWorld()
            world.document("a", "x")
            world.store.trouble = trouble
            let ann = world.connect("ann")
            #expect(ann.asks(#"{"type":"open","doc":"b","create":true}"#) == [code])
            #expect(ann.asks(#"{"type":"rename","doc":"a","to":"b"}"#) == [code])
            #expect(ann.asks(#"{"type":"delete","doc":"a"}"#) == [code])
            #expect(ann.asks(#"{"type":"open","doc":"a"}"#) == ["opened"])
        }
    }

    @Test("an open that arrives while a room is dropped gets a new room")
    func openWhileDropping() {
        let world = ServerWorld()
        world.document("a", "x")
        let ann = world.connect("ann")
        world.dropsIdleRooms = false
        ann.says(#"{"type":"open","doc":"a"}"#, #"{"type":"close","doc":"a"}"#)
        _ = ann.heard()
        world.hubEvent(.notified(DocumentID(1), .unloadOffered))
        ann.says(#"{"type":"open","doc":"a"}"#)
        #expect(ann.hears() == ["opened"])
        #expect(world.calls.filter { if case .open = $0 { true } else { false } }.count == 2)
    }

    @Test("a room that offers to unload is kept while a session is open")
    func kept() {
        let world = ServerWorld()
        world.document("a", "x")
        let ann = world.connect("ann")
        ann.says(#"{"type":"open","doc":"a"}"#)
        let bob = world.connect("bob")
        world.hubEvent(.notified(DocumentID(1), .unloadOffered))
        #expect(world.hub.roomCount == 1)
        bob.says(#"{"type":"open","doc":"a"}"#)
        #expect(bob.hears() == ["welcome", "opened"])
    }

    @Test("a room too busy to be dropped gets each missed event once")
    func missedNews() throws {
        let world = ServerWorld()
        let document = world.document("a", "one", "two")
        world.dropsIdleRooms = false
        let ann = world.connect("ann")
        ann.says(#"{"type":"open","doc":"a"}"#, #"{"type":"close","doc":"a"}"#)
        world.holds = { if case .trim = $0 { true } else { false } }
        ann.says(#"{"type":"trim","doc":"a","rev":2}"#)
        var hub = world.hub
        let trim = try #require(hub.calls.keys.first)
        #expect(hub.handle(.notified(document, .unloadOffered), at: 0) == [.dropRoom(document)])
        _ = hub.handle(.notified(document, .epochsRenewed), at: 0)
        _ = hub.handle(.answered(trim, .trimmed(.trimmed(start: 2))), at: 0)
        let news = [RoomEvent.renewed, .trimmed(start: 2)].map { HubAction.sendToRoom(document, $0) }
        for missed in [news, []] {
            #expect(hub.handle(.kept(document), at: 0) == missed)
            #expect(hub.handle(.notified(document, .unloadOffered), at: 0) == [.dropRoom(document)])
        }
    }

    @Test("a room too busy to be dropped gets waiting requests and new rights")
    func waitedForKept() throws {
        let world = ServerWorld()
        let document = world.document("a", "x")
        world.dropsIdleRooms = false
        let (ann, bob) = (world.connect("ann"), world.connect("bob"))
        ann.says(#"{"type":"push","doc":"a","epoch":"1.1","base":1,"seq":1,"text":"y"}"#)
        var hub = world.hub
        let none = try #require(Grants([]))
        let session = SessionID(bob.id, number: 1)
        var opening = RoomOpening(
            session: session, id: nil, document: "a", participant: Person.bob.participant, rights: .none)
        let open = HubRequest.Question.open(try DocumentName("a"), opening, creates: false)
        #expect(hub.handle(.notified(document, .unloadOffered), at: 0) == [.dropRoom(document)])
        let changed = hub.handle(.grantsChanged(none, 1), at: 0)
        #expect(changed == [.sendToConnection(ann.id, .grants(none))])
        let asked = HubEvent.ask(HubRequest(connection: bob.id, id: nil, question: open))
        #expect(hub.handle(asked, at: 0) == [])
        opening.rights = .write
        #expect(
            hub.handle(.kept(document), at: 0) == [
                .sendToRoom(document, .rightsChanged(.sessionless(ann.id), .none)),
                .sendToConnection(bob.id, .assignedRoom(session, document)),
                .sendToRoom(document, .open(opening)),
            ])
        // The hub does not drop the room, because the room has not offered again to unload.
        #expect(hub.handle(.ended(session), at: 0) == [])
    }

    @Test("if a client leaves while its document loads, the room is dropped")
    func leftWhileLoading() {
        let world = ServerWorld()
        world.document("a", "x")
        world.holds = { _ in true }
        let ann = world.connect("ann")
        ann.says(#"{"type":"open","doc":"a"}"#)
        ann.lose()
        world.release()
        #expect(world.hub.roomCount == 0 && world.hub.connectionCount == 0 && world.rooms.isEmpty)
        #expect(world.hub.requestsUnderWay == 0)
    }

    @Test("events about unknown ids are ignored")
    func strangers() throws {
        let world = ServerWorld()
        world.hubEvent(.left(99))
        world.hubEvent(.ended(SessionID(5)))
        world.hubEvent(.dropped(DocumentID(3)))
        world.hubEvent(.kept(DocumentID(3)))
        world.hubEvent(.notified(DocumentID(3), .unloadOffered))
        world.hubEvent(.notified(DocumentID(3), .renamed(try DocumentName("x"), .renamed)))
        world.hubEvent(.notified(DocumentID(3), .deleted(nil)))
        world.hubEvent(.changed(DocumentID(3)))
        world.hubEvent(.deliveredDocuments(99))
        world.hubEvent(.answered(CallID(77), .renamed(.exists)))
        world.hubEvent(.grantsChanged(nil, 4))
        world.hubEvent(.ask(HubRequest(connection: 99, id: nil, question: .unfollow)))
        #expect(world.isQuiet)
        #expect(world.connect("ann").hears() == ["welcome"])
    }
}
