import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

/// The tests change the store directly, as another server does.
@Suite("hub: other servers over the same store")
struct HubPeerServerTests {
    /// How a server learns of a change.
    enum Way: CaseIterable {
        case notification, sweep, missed
    }

    /// The other server.
    private let there = NodeID(node: 2, run: 1)

    private func server() -> ServerWorld {
        let world = ServerWorld(sharesStore: true)
        world.makesRoom = { WholeRoom($0, $1.settings, at: $1.now, sharesStore: true) }
        return world
    }

    private func learn(of document: DocumentID, _ way: Way, _ world: ServerWorld) {
        switch way {
        case .notification: world.hubEvent(.bus(.received(there, [.changed(document)])))
        case .sweep: world.pass(milliseconds: 2_000)
        case .missed: world.hubEvent(.bus(.missed))
        }
        world.run()
    }

    @Test("a document that another server renames is gone under its old name", arguments: Way.allCases)
    func renamed(way: Way) throws {
        let world = server()
        let a = world.document("a", "x")
        let ann = world.connect("ann")
        let bob = world.connect("bob", Grants([Grant(.read, to: .document(try DocumentName("a")))])!)
        for client in [ann, bob] { #expect(client.asks(#"{"type":"open","doc":"a"}"#) == ["opened"]) }
        #expect(world.store.rename(a, to: try DocumentName("b")) == .renamed)
        learn(of: a, way, world)
        #expect(ann.hears() == [#"{"type":"gone","doc":"a","epoch":"1.1","reason":"renamed","to":"b"}"#])
        #expect(bob.hears() == [#"{"type":"gone","doc":"a","epoch":"1.1","reason":"deleted"}"#])
        #expect(ann.asks(#"{"type":"open","doc":"a"}"#) == ["not_found"])
        #expect(ann.asks(#"{"type":"open","doc":"b"}"#) == ["opened"])
        #expect(world.hub.roomCount == 1)
    }

    /// Rule N8.
    @Test(
        "sessions are told of the notes that another server writes", arguments: [Way.notification, .missed])
    func noted(way: Way) throws {
        let world = server()
        let a = world.document("a", "x")
        let (ann, bob) = (world.connect("ann"), world.connect("bob"))
        #expect(ann.asks(#"{"type":"open","doc":"a","notes":true}"#) == ["opened"])
        #expect(bob.asks(#"{"type":"open","doc":"a"}"#) == ["opened"])
        let note = NoteContent(user: "eve", time: 5, text: "Why?")
        guard case .written(.written) = world.store.answer(NoteCall.add(note, to: a, .sample)) else {
            Issue.record("the note was not written")
            return
        }
        learn(of: a, way, world)
        #expect(ann.heard().filter { $0.contains("noted") } == [#"{"type":"noted","doc":"a"}"#])
        #expect(!bob.heard().contains { $0.contains("noted") })
    }

    @Test("a document that another server deletes is gone", arguments: Way.allCases)
    func deleted(way: Way) throws {
        let world = server()
        let a = world.document("a", "x")
        let ann = world.connect("ann")
        #expect(ann.asks(#"{"type":"open","doc":"a"}"#) == ["opened"])
        #expect(world.store.delete(a, at: 9) == nil)
        learn(of: a, way, world)
        #expect(ann.hears() == [#"{"type":"gone","doc":"a","epoch":"1.1","reason":"deleted"}"#])
        #expect(ann.asks(#"{"type":"open","doc":"a"}"#) == ["not_found"])
        #expect(world.hub.roomCount == 0)
        guard case .undeleted = world.store.undelete(a) else {
            Issue.record("the document was not undeleted")
            return
        }
        #expect(ann.asks(#"{"type":"open","doc":"a"}"#) == ["opened"])
    }

    @Test("a comparison that began before a rename through this server is not used")
    func outdatedComparison() throws {
        let world = server()
        let a = world.document("a", "x")
        let ann = world.connect("ann")
        #expect(ann.asks(#"{"type":"open","doc":"a"}"#) == ["opened"])
        world.holdsAnswer = { if case .entries = $0 { true } else { false } }
        learn(of: a, .notification, world)
        #expect(world.connect("bob").asks(#"{"type":"rename","doc":"a","to":"b"}"#) == [#"{"type":"done"}"#])
        world.release()
        world.run()
        #expect(ann.hears() == [#"{"type":"gone","doc":"a","epoch":"1.1","reason":"renamed","to":"b"}"#])
        #expect(ann.asks(#"{"type":"open","doc":"b"}"#) == ["opened"])
    }

    @Test("a request finds the document that has the name now, whatever this server was notified of")
    func reusedName() throws {
        let world = server()
        let first = world.document("a", "first")
        let ann = world.connect("ann")
        _ = ann.asks(#"{"type":"open","doc":"a"}"#)
        #expect(world.store.rename(first, to: try DocumentName("b")) == .renamed)
        world.document("a", "second")
        let bob = world.connect("bob")
        #expect(bob.askedInFull(#"{"type":"open","doc":"a"}"#).line(0).contains(#""text":"second""#))
        #expect(bob.askedInFull(#"{"type":"open","doc":"b"}"#).line(0).contains(#""text":"first""#))
        #expect(ann.hears() == [#"{"type":"gone","doc":"a","epoch":"1.1","reason":"renamed","to":"b"}"#])
    }

    @Test("a room reads what another server appends", arguments: Way.allCases)
    func appended(way: Way) throws {
        let world = server()
        let a = world.document("a", "x")
        let ann = world.connect("ann")
        #expect(ann.asks(#"{"type":"open","doc":"a"}"#) == ["opened"])
        world.append("y", to: a)
        if way == .notification {
            world.hubEvent(.bus(.received(there, [.head(a, 2)])))
        } else {
            learn(of: a, way, world)
        }
        world.run()
        #expect(ann.heard().types == ["change"])
    }

    @Test("a read contains what its client has pushed before, although the hub looks up each name")
    func ownPush() {
        let world = server()
        world.document("a", "x")
        let ann = world.connect("ann")
        _ = ann.asks(#"{"type":"open","doc":"a"}"#)
        ann.says(
            #"{"type":"push","doc":"a","epoch":"1.1","base":1,"seq":1,"text":"xy"}"#,
            #"{"type":"read","doc":"a"}"#)
        #expect(ann.heard().types == ["ack", "text"])
    }

    // MARK: Followers

    @Test("followers learn what other servers create, rename and delete", arguments: Way.allCases)
    func followed(way: Way) throws {
        let world = server()
        let (a, b) = (world.document("a", "x"), world.document("b", "y"))
        let ann = world.connect("ann")
        #expect(ann.askedInFull(#"{"type":"follow"}"#).types == ["document", "document", "done"])
        world.pass(milliseconds: 1_000)
        #expect(world.store.rename(a, to: try DocumentName("c")) == .renamed)
        #expect(world.store.delete(b, at: 9) == nil)
        let d = world.document("d", "z")
        if way == .notification {
            world.hubEvent(.bus(.received(there, [a, b, d].map { .changed($0) })))
        } else {
            // Without notifications, only `missed` makes the hub compare documents that nobody has open.
            world.hubEvent(.bus(.missed))
        }
        world.run()
        world.pass(milliseconds: 1_000)
        let heard = ann.heard()
        #expect(
            heard.contains(
                #"{"type":"gone","doc":"a","epoch":"1.1","reason":"renamed","to":"c","followed":true}"#))
        #expect(
            heard.contains(#"{"type":"gone","doc":"b","epoch":"1.2","reason":"deleted","followed":true}"#))
        #expect(heard.filter { $0.hasPrefix(#"{"type":"document","doc":"c""#) }.count == 1)
        #expect(heard.filter { $0.hasPrefix(#"{"type":"document","doc":"d""#) }.count == 1)
        #expect(heard.count == 4)
        world.hubEvent(.bus(.missed))
        world.pass(milliseconds: 2_000)
        #expect(ann.heard() == [])
    }

    @Test("a scan that the store could not answer is repeated in the next sweep")
    func failedScan() throws {
        let world = server()
        let a = world.document("a", "x")
        let ann = world.connect("ann")
        _ = ann.asks(#"{"type":"follow"}"#)
        world.pass(milliseconds: 1_000)
        #expect(world.store.rename(a, to: try DocumentName("c")) == .renamed)
        world.refuses = { if case .list = $0 { true } else { false } }
        world.hubEvent(.bus(.missed))
        world.run()
        #expect(ann.heard() == [])
        world.refuses = { _ in false }
        world.pass(milliseconds: 2_000)
        world.pass(milliseconds: 1_000)
        #expect(ann.heard().types == ["gone", "document"])
    }

    @Test("a backup is refused, because the database has its own tools for that")
    func backup() {
        let world = server()
        world.holdsAdministration = { _ in true }
        let answer = world.connect("admin").askedInFull(#"{"type":"backup","id":1}"#).last ?? ""
        #expect(answer.contains(#""code":"storage_failed""#) && answer.contains("pg_basebackup"), "\(answer)")
    }

    // MARK: Connections

    @Test("a server reports every two seconds how much it is used")
    func reports() {
        let world = server()
        world.document("a", "x")
        let ann = world.connect("ann")
        _ = ann.asks(#"{"type":"open","doc":"a"}"#)
        let before = world.reports.count
        world.pass(milliseconds: 1_999)
        #expect(world.reports.count == before)
        world.pass(milliseconds: 1)
        #expect(world.reports.dropFirst(before) == [NodeLoad(connections: 1, documents: 1)])
    }

    @Test("a token that another server revokes ends its connections", arguments: [Way.notification, .sweep])
    func revoked(way: Way) throws {
        let world = server()
        let text = try world.store.addToken(of: UserName("ann"), .all, at: 1).get()
        world.tokens["token-ann"] = Identity(user: "ann", token: text.token, grants: .all)
        let ann = world.connect("ann")
        #expect(ann.hears() == ["welcome"])
        // A wrong notification does nothing.
        world.hubEvent(.bus(.received(there, [.revoked(text.token)])))
        world.run()
        #expect(ann.hears() == [] && !ann.isEnded)
        #expect(world.store.revokeToken(text.token) == nil)
        if way == .notification {
            world.hubEvent(.bus(.received(there, [.revoked(text.token)])))
            world.run()
        } else {
            world.pass(milliseconds: 2_000)
        }
        #expect(ann.heard().line(0).contains(#""type":"bye","reason":"revoked""#) && ann.isEnded)
    }

    @Test("a client that joins another server later is replaced here, and not the other way round")
    func replaced() {
        let world = server()
        let ann = world.connect("ann")
        guard case .joined(let pusher, let time)? = world.published.last else {
            Issue.record("the hub did not publish the client: \(world.published)")
            return
        }
        #expect(time == world.now && pusher.user == "ann")
        for earlier in [time - 1, time] {
            world.hubEvent(.bus(.received(there, [.joined(pusher, at: earlier)])))
            world.run()
        }
        #expect(ann.hears() == ["welcome"] && !ann.isEnded)
        let other = PublicPusher(user: "bob", client: pusher.client)
        world.hubEvent(.bus(.received(there, [.joined(other, at: time + 1), .joined(pusher, at: time + 1)])))
        world.run()
        #expect(ann.heard().line(0).contains(#""type":"bye","reason":"replaced""#) && ann.isEnded)
    }

    @Test("what sessions at other servers select reaches the room, and a server that ends takes them along")
    func remoteSessions() throws {
        let world = server()
        let a = world.document("a", "x")
        let ann = world.connect("ann")
        #expect(ann.asks(#"{"type":"open","doc":"a"}"#) == ["opened"])
        #expect(world.published.last == .roster(a))
        let entry = try world.store.entry(of: a).get()
        let bob = PublishedSession(
            document: a, epoch: entry.epoch.document, revision: 1, session: "there-1", user: "bob",
            client: "p-bob", info: #"{"color":"blue"}"#, moment: 1, selections: [Selection(caret: 1)])
        world.hubEvent(.bus(.received(there, [.selected(bob)])))
        world.run()
        #expect(
            ann.hears() == [
                #"{"type":"peer","doc":"a","session":"there-1","user":"bob","client":"p-bob","info":{"color":"blue"},"rev":1,"selections":[[1,1]]}"#
            ])
        #expect(ann.asks(#"{"type":"select","doc":"a","rev":1,"selections":[[0,1]]}"#) == [])
        world.hubEvent(.bus(.received(there, [.roster(a)])))
        world.run()
        guard case .selected(let sent)? = world.published.last else {
            Issue.record("the room did not publish its session: \(world.published)")
            return
        }
        #expect(sent.user == "ann" && sent.selections == [Selection(anchor: 0, head: 1)])
        world.hubEvent(.bus(.missed))
        world.run()
        #expect(world.published.suffix(2).contains(.roster(a)))
    }

    @Test(
        "a server needs the news of a document as long as it has a room, and needs them before the room acts")
    func neededNews() throws {
        let world = server()
        let (a, b) = (world.document("a", "x"), world.document("b", "x"))
        let ann = world.connect("ann")
        #expect(ann.asks(#"{"type":"open","doc":"a"}"#) == ["opened"] && world.neededNews == [a])
        #expect(ann.asks(#"{"type":"open","doc":"b"}"#) == ["opened"] && world.neededNews == [a, b])
        // The store itself renames a document that nobody has open.
        world.document("c", "x")
        #expect(ann.asks(#"{"type":"rename","doc":"c","to":"d"}"#) == [#"{"type":"done"}"#])
        #expect(world.neededNews == [a, b])
        #expect(world.store.delete(a, at: 9) == nil)
        learn(of: a, .notification, world)
        #expect(world.neededNews == [b])
        #expect(world.hub.roomCount == 1)
    }

    @Test("a server without others publishes nothing and asks for nothing")
    func alone() {
        let world = ServerWorld()
        world.document("a", "x")
        let ann = world.connect("ann")
        _ = ann.asks(#"{"type":"open","doc":"a"}"#)
        let calls = world.calls.count
        world.pass(milliseconds: 10_000)
        #expect(world.published == [] && world.calls.count == calls && world.neededNews == [])
    }
}

extension ServerWorld {
    /// Another server appends a whole new text.
    fileprivate func append(_ text: String, to document: DocumentID) {
        guard let head = try? store.text(of: document, at: nil).get(), let new = try? TextBuffer(text),
            let entry = try? store.entry(of: document).get(),
            let edits = try? diff(from: head.text, to: new).edits.map({ try LoggedEdit($0, in: head.text) })
        else {
            Issue.record("document \(document.value) cannot be appended to")
            return
        }
        let logged = LoggedChange(
            pusher: Pusher(user: "eve", client: "eve-client"), seq: Int64(entry.head.value) + 1,
            time: entry.updated + 1, edits: edits)
        let change = PushedChange(logged, digest: SampleLog.digest(9))
        let outcome = store.append(
            Append(document: document, epoch: entry.epoch, expected: entry.head, changes: [change]))
        #expect(outcome == .committed(head: entry.head.next))
    }
}
