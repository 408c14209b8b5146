import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("hub: rights")
struct HubRightsTests {
    static func some() throws -> Grants {
        let board = try DocumentName("pub/board")
        return try #require(
            Grants([
                Grant(.read, to: .prefix("pub/")), Grant(.write, to: .prefix("own/")),
                Grant(.write, to: .document(board)),
            ]))
    }

    private static let requests = [
        #"{"type":"open","id":1,"doc":"NAME"}"#, #"{"type":"open","id":1,"doc":"NAME","create":true}"#,
        #"{"type":"push","id":1,"doc":"NAME","base":0,"seq":1,"text":"x"}"#,
        #"{"type":"push","id":1,"doc":"NAME","base":0,"seq":1,"text":"x","create":true}"#,
        #"{"type":"restore","id":1,"doc":"NAME","epoch":"1.1","rev":0,"seq":1}"#,
        #"{"type":"read","id":1,"doc":"NAME"}"#, #"{"type":"history","id":1,"doc":"NAME"}"#,
        #"{"type":"rename","id":1,"doc":"NAME","to":"own/new"}"#, #"{"type":"delete","id":1,"doc":"NAME"}"#,
    ]

    /// Rule R3. For a denied document, the store is not called.
    @Test(
        "a request gets the same answer for a denied and a missing document",
        arguments: requests)
    func denied(request: String) throws {
        let world = ServerWorld()
        world.document("secret/there", "x")
        world.document("own/there", "x")
        let ann = world.connect("ann", try HubRightsTests.some())
        var answers: [[String]] = []
        for name in ["secret/there", "secret/not", "own/gone"] {
            let before = world.calls.count
            let line = request.replacing("NAME", with: name)
            if name == "own/gone", line.contains("create") { continue }
            answers.append(ann.askedInFull(line).map { $0.replacing(name, with: "NAME") })
            // The hub looks up only names that the client may read.
            #expect((world.calls.count == before) == name.hasPrefix("secret"))
        }
        #expect(Set(answers).count == 1)
        #expect(answers[0].count == 1 && code(answers[0][0]) == "not_found")
    }

    /// Rule R4.
    @Test("a reader may open and read, but every write gets `forbidden`")
    func readOnly() throws {
        let world = ServerWorld()
        world.document("pub/a", "x")
        let ann = world.connect("ann", try HubRightsTests.some())
        for (line, answer) in [
            (#"{"type":"push","doc":"pub/a","epoch":"1.1","base":1,"seq":1,"text":"y"}"#, "forbidden"),
            (#"{"type":"open","doc":"pub/b","create":true}"#, "forbidden"),
            (#"{"type":"push","doc":"pub/b","base":0,"seq":1,"text":"y","create":true}"#, "forbidden"),
            (#"{"type":"open","doc":"pub/b"}"#, "not_found"),
            (#"{"type":"delete","doc":"pub/a"}"#, "forbidden"),
            (#"{"type":"rename","doc":"pub/a","to":"own/a"}"#, "forbidden"),
            (#"{"type":"open","doc":"pub/a","create":true}"#, "opened"),
        ] {
            #expect(ann.asks(line) == [answer])
        }
        #expect(ann.askedInFull(#"{"type":"read","doc":"pub/a"}"#)[0].contains(#""text":"x""#))
        #expect(
            ann.asks(#"{"type":"push","doc":"pub/a","epoch":"1.1","base":1,"seq":1,"edits":[]}"#)
                == ["forbidden"])
    }

    /// Rule R4.
    @Test("a rename to a name without write access is forbidden, free or taken")
    func renameTarget() throws {
        let world = ServerWorld()
        world.document("own/a", "x")
        world.document("pub/taken", "x")
        world.document("secret/taken", "x")
        let ann = world.connect("ann", try HubRightsTests.some())
        var answers: Set<[String]> = []
        for to in ["pub/taken", "pub/free", "secret/taken", "secret/free"] {
            answers.insert(ann.askedInFull(#"{"type":"rename","id":1,"doc":"own/a","to":"\#(to)"}"#))
        }
        #expect(answers.count == 1 && code(answers.first![0]) == "forbidden")
        #expect(world.calls.isEmpty)
    }

    @Test("changed rights apply to rooms and requests at once")
    func change() throws {
        let world = ServerWorld()
        world.document("pub/a", "x")
        world.document("own/a", "x")
        let ann = world.connect("ann", try HubRightsTests.some())
        ann.says(#"{"type":"open","doc":"pub/a"}"#, #"{"type":"open","doc":"own/a"}"#)
        _ = ann.heard()
        world.hubEvent(.grantsChanged(Grants([Grant(.admin, to: .prefix("pub/"))]), 1))
        world.run()
        #expect(
            Set(ann.hears()) == [
                #"{"type":"rights","doc":"pub/a","rights":"write"}"#,
                #"{"type":"rights","doc":"own/a","rights":"none"}"#,
            ])
        #expect(ann.asks(#"{"type":"open","doc":"own/a"}"#) == ["not_found"])
        #expect(
            ann.asks(
                #"{"type":"push","doc":"pub/a","epoch":"1.1","base":1,"seq":1,"edits":[{"range":[0,0],"text":"x"}]}"#
            ) == [#"{"type":"ack","doc":"pub/a","seq":1,"rev":2}"#])
    }

    @Test("a request is answered with the rights at the time of the answer")
    func changeMeanwhile() throws {
        for line in [
            #"{"type":"read","doc":"own/a"}"#, #"{"type":"history","doc":"own/a"}"#,
            #"{"type":"open","doc":"own/a"}"#, #"{"type":"list"}"#,
            #"{"type":"push","doc":"own/a","base":0,"seq":1,"text":"y"}"#,
            #"{"type":"delete","doc":"own/a"}"#, #"{"type":"rename","doc":"own/a","to":"own/b"}"#,
        ] {
            // A list, an open or a push calls the store only once. The second call of a rename or a delete changes the
            // store, and from then on changed rights no longer stop the request.
            let asksOnce = ["list", "open", "push", "delete", "rename"].contains { line.contains($0) }
            for held in asksOnce ? 0...0 : 0...1 {
                let world = ServerWorld()
                world.document("own/a", "x")
                var count = 0
                world.holds = { _ in
                    count += 1
                    return count > held
                }
                let ann = world.connect("ann", try HubRightsTests.some())
                ann.says(line)
                world.hubEvent(.grantsChanged(Grants([]), 1))
                world.release()
                let heard = ann.hears().dropFirst()
                #expect(heard == [line.contains("list") ? #"{"type":"listed","docs":[]}"# : "not_found"])
            }
        }
    }

    @Test("changed rights also reach the room of a push that has no session")
    func pushWithoutSession() throws {
        let world = ServerWorld()
        world.document("own/a", "x")
        world.dropsIdleRooms = false
        let ann = world.connect("ann", try HubRightsTests.some())
        ann.says(#"{"type":"push","doc":"own/a","epoch":"1.1","base":1,"seq":1,"text":"y"}"#)
        let told = RoomEvent.rightsChanged(.sessionless(1), .none)
        let none = Identity(user: "ann", token: 1, grants: .none)
        #expect(
            world.hubEvent(.grantsChanged(Grants([])!, 1))
                == [.sendToConnection(1, .identityChanged(none)), .sendToRoom(DocumentID(1), told)])
        #expect(
            world.hubEvent(.grantsChanged(nil, 1))
                == [.sendToConnection(1, .ended(.revoked)), .sendToRoom(DocumentID(1), told)])
    }

    /// Rule R4.
    @Test("the right to write suffices to create, rename and delete documents")
    func writer() throws {
        let world = ServerWorld()
        let ann = world.connect("ann", try HubRightsTests.some())
        #expect(ann.asks(#"{"type":"open","doc":"own/a","create":true}"#) == ["opened"])
        #expect(ann.asks(#"{"type":"close","doc":"own/a"}"#) == [#"{"type":"closed","doc":"own/a"}"#])
        #expect(ann.asks(#"{"type":"rename","doc":"own/a","to":"own/b"}"#) == [#"{"type":"done"}"#])
        #expect(ann.asks(#"{"type":"delete","doc":"own/b"}"#) == [#"{"type":"done"}"#])
    }

    @Test("revoking a token ends its connections, and no others")
    func revoked() throws {
        let world = ServerWorld()
        let ann = world.connect("ann")
        let other = world.connect("ann", client: "other-client")
        let bob = world.connect("bob")
        world.hubEvent(.grantsChanged(nil, 1))
        world.run()
        for client in [ann, other] {
            #expect(client.hears() == ["welcome", #"{"type":"bye","reason":"revoked"}"#])
        }
        #expect(bob.asks(#"{"type":"ping"}"#) == [#"{"type":"pong"}"#])
        #expect(world.hub.connectionCount == 1)
    }

    /// Connects a client. The server looks up its token, then the token gets these grants, and then the
    /// client joins the hub.
    private func join(_ world: ServerWorld, _ grants: Grants?) throws -> TestClient {
        world.tokens["token"] = Identity(user: "ann", token: 7, grants: try HubRightsTests.some())
        let ann = world.connection()
        ann.send([#"{"type":"hello","protocol":1,"client":"client-ann","token":"token"}"#])
        world.hubEvent(.grantsChanged(grants, 7))
        world.run()
        return ann
    }

    /// Rule A4.
    @Test("if rights change between token lookup and join, the new rights apply")
    func changeBeforeJoining() throws {
        for (grants, answer) in [
            (Grants([]), "not_found"), (Grants([Grant(.read, to: .prefix(""))]), "forbidden"),
        ] {
            let world = ServerWorld()
            world.document("own/a", "x")
            let ann = try join(world, grants)
            #expect(ann.hears() == ["welcome"])
            #expect(ann.asks(#"{"type":"delete","doc":"own/a"}"#) == [answer])
        }
    }

    @Test("a token revoked after its lookup is refused and replaces no connection")
    func revokedBeforeJoining() throws {
        let world = ServerWorld()
        let present = world.connect("ann", client: "client-ann")
        let ann = try join(world, nil)
        #expect(ann.hears() == ["unauthorized"] && ann.isEnded)
        #expect(present.hears() == ["welcome"] && !present.isEnded)
        #expect(world.hub.connectionCount == 1)
    }

    @Test("a joining connection gets rights only if they changed after the lookup")
    func changeIsToldFirst() throws {
        let changed = try #require(Grants([Grant(.read, to: .prefix("pub/"))]))
        let identity = Identity(user: "ann", token: 1, grants: changed)
        for (found, news) in [
            (
                try HubRightsTests.some(),
                [HubMessage.identityChanged(identity), .admitted(expiresIn: nil)]
            ),
            (changed, [.admitted(expiresIn: nil)]),
        ] {
            var hub = HubState(limits: Limits(), at: 0) { .sample($0) }
            #expect(hub.handle(.grantsChanged(changed, 1), at: 0) == [])
            let pusher = Pusher(user: "ann", client: "client-ann")
            let joining = JoinRequest(connection: 1, pusher: pusher, token: 1, grants: found, unit: .utf16)
            let expected =
                news.map { HubAction.sendToConnection(1, $0) }
                + [.wake(at: 1 + TokenUses.interval)]
            #expect(hub.handle(.join(joining), at: 1) == expected)
        }
    }
}
