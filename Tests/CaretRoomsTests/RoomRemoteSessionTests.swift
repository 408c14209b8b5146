import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

/// Two rooms of one document, at two servers. The tests carry what one room publishes to the other one.
@Suite("A room shows the sessions at other servers") struct RoomRemoteSessionTests {
    private let here = NodeID(node: 1, run: 1)

    /// Rooms at the same revision, each with a session.
    private func rooms(_ text: String = "Watch Bugger attack") throws -> (RoomWorld, RoomWorld) {
        var (one, two) = (try RoomWorld(text, sharesStore: true), try RoomWorld(text, sharesStore: true))
        one.openQuietly(.ann)
        two.openQuietly(.bob)
        #expect(
            one.takePublished() == [.roster(one.document)] && two.takePublished() == [.roster(two.document)])
        return (one, two)
    }

    @Test(
        "a selection is shown at the other server, the first time with user and client, and the departure too"
    )
    func passedOn() throws {
        var (one, two) = try rooms()
        one.select(.ann, [(6, 12)], at: 1)
        two.receive(one.takePublished())
        #expect(
            two.lines(.bob) == [
                #"{"type":"peer","doc":"notes","session":"s1","user":"ann","client":"p-ann-client","rev":1,"selections":[[6,12]]}"#
            ])
        one.select(.ann, [(3, 3)], at: 1)
        one.tick()
        two.receive(one.takePublished())
        two.tick()
        #expect(
            two.lines(.bob) == [#"{"type":"peer","doc":"notes","session":"s1","rev":1,"selections":[[3,3]]}"#]
        )
        one.leave(.ann)
        two.receive(one.takePublished())
        two.tick()
        #expect(two.lines(.bob) == [#"{"type":"peer","doc":"notes","session":"s1","left":true}"#])
        #expect(two.room.presence.selectionCount == 0)
    }

    @Test("a room publishes at most once in a tick")
    func tick() throws {
        var (one, _) = try rooms()
        for place in 0..<9 { one.select(.ann, [(place, place)], at: 1) }
        #expect(one.takePublished().count == 1)
        one.tick()
        guard case .selected(let last)? = one.takePublished().first else {
            throw Unexpected(what: "nothing was published")
        }
        #expect(last.selections == [Selection(caret: 8)] && last.revision == 1)
    }

    @Test("a session that opens the document later gets the remote sessions with it")
    func lateOpening() throws {
        var (one, two) = try rooms()
        one.select(.ann, [(6, 12)], at: 1)
        two.receive(one.takePublished())
        two.open(.eve)
        #expect(
            two.lines(.eve).line(0).contains(#""user":"ann","client":"p-ann-client","selections":[[6,12]]}"#))
        // A server that opens the document asks, and is sent all.
        var three = try RoomWorld("Watch Bugger attack", sharesStore: true)
        three.openQuietly(.joe)
        one.receive(three.takePublished())
        three.receive(one.takePublished(), from: here)
        #expect(three.lines(.joe).line(0).contains(#""user":"ann""#))
    }

    @Test("a selection moves with the changes that are committed after it")
    func moves() throws {
        var (one, two) = try rooms("abcdef")
        one.select(.ann, [(4, 1)], at: 1)
        two.receive(one.takePublished())
        two.push(.bob, [(0, 0, "12")], base: 1, seq: 1)
        two.open(.eve)
        #expect(two.lines(.eve).line(0).contains(#""selections":[[6,3]]}]"#))
        // News at an older revision are moved, too.
        one.select(.ann, [(2, 2)], at: 1)
        one.tick()
        two.receive(one.takePublished())
        two.tick()
        #expect(two.lines(.eve).last?.hasSuffix(#""rev":2,"selections":[[4,4]]}"#) == true)
    }

    @Test("selections at a later revision wait until the room has read that revision")
    func early() throws {
        var (one, two) = try rooms("ab")
        one.push(.ann, [(0, 0, "zz")], base: 1, seq: 1)
        one.select(.ann, [(1, 1)], at: 2)
        let published = one.takePublished()
        two.holds = \.isRead
        two.receive(published)
        #expect(two.lines(.bob) == [] && two.heldReads == [1])
        try two.commitElsewhere([(0, 0, "zz")])
        two.release()
        #expect(two.lines(.bob).types == ["change", "peer"])
    }

    @Test("selections that wait for their revision are forgotten if their server ends, or messages were lost")
    func earlyOfGone() throws {
        for (event, isForgotten) in [
            (BusEvent.gone(NodeID(node: 1, run: 2)), false), (.gone(here), true), (.missed, true),
        ] {
            var (one, two) = try rooms("ab")
            one.push(.ann, [(0, 0, "zz")], base: 1, seq: 1)
            one.select(.ann, [(1, 1)], at: 2)
            two.holds = \.isRead
            two.receive(one.takePublished(), from: here)
            two.send(.bus(event))
            try two.commitElsewhere([(0, 0, "zz")])
            two.release()
            #expect(two.lines(.bob).types == (isForgotten ? ["change"] : ["change", "peer"]))
            #expect(two.room.remoteSessions.all.isEmpty == isForgotten)
        }
    }

    @Test("a selection in a text that the room never had is asked for again")
    func tooOld() throws {
        var (one, _) = try rooms("ab")
        one.select(.ann, [(1, 1)], at: 1)
        let published = one.takePublished()
        // The document has moved on, and this room has just been made.
        var two = try RoomWorld("ab", sharesStore: true)
        try two.commitElsewhere([(0, 0, "zz")])
        try two.restart()
        two.openQuietly(.bob)
        _ = two.takePublished()
        two.receive(published)
        #expect(two.lines(.bob).last?.hasSuffix(#""rev":2,"selections":[]}"#) == true)
        two.sleep(milliseconds: 999)
        #expect(two.takePublished() == [])
        two.sleep(milliseconds: 1)
        #expect(two.takePublished() == [.roster(two.document)])
        try one.commitElsewhere([(0, 0, "zz")])
        one.send(.storeHead(2))
        one.receive([.roster(one.document)])
        two.receive(one.takePublished())
        two.tick()
        #expect(two.lines(.bob).last?.hasSuffix(#""rev":2,"selections":[[3,3]]}"#) == true)
        two.sleep(milliseconds: 5_000)
        #expect(two.takePublished() == [])
    }

    @Test("older notifications that arrive later, and those of another epoch, are ignored")
    func outdated() throws {
        var (one, two) = try rooms("abcdef")
        one.select(.ann, [(1, 1)], at: 1)
        let first = one.takePublished()
        one.select(.ann, [(2, 2)], at: 1)
        one.tick()
        two.receive(one.takePublished())
        two.receive(first)
        guard case .selected(let session)? = first.first else {
            throw Unexpected(what: "nothing was published")
        }
        two.receive([
            .selected(
                PublishedSession(
                    document: session.document, epoch: session.epoch + 1, revision: 1, session: "s9",
                    user: "eve",
                    client: "p-eve", info: nil, moment: 1, selections: []))
        ])
        two.tick()
        #expect(two.lines(.bob).count == 1)
        #expect(two.room.remoteSessions.all.map(\.presence.selections) == [[Selection(caret: 2)]])
    }

    @Test("a selection that does not fit the text is shown as none")
    func badRange() throws {
        var (one, two) = try rooms("a\u{1f600}")
        one.select(.ann, [(1, 1)], at: 1)
        guard case .selected(let session)? = one.takePublished().first else {
            throw Unexpected(what: "nothing was published")
        }
        for place in [2, 4, .max] {
            two.receive([
                .selected(
                    PublishedSession(
                        document: session.document, epoch: session.epoch, revision: 1,
                        session: ByteString("t\(place)"), user: "eve", client: "p-eve", info: "no object",
                        moment: 1,
                        selections: [Selection(caret: Offset(place))]))
            ])
        }
        #expect(two.room.remoteSessions.all.count == 3 && two.room.presence.selectionCount == 0)
    }

    @Test("more remote sessions and selections than the limit are not shown")
    func limits() throws {
        var limits = Limits()
        limits.roomSelections = 3
        var two = try RoomWorld("abc", limits: limits, sharesStore: true)
        two.openQuietly(.bob)
        for number in 0..<5 {
            two.receive([
                .selected(
                    PublishedSession(
                        document: two.document, epoch: two.room.log.epoch.document, revision: 1,
                        session: ByteString("s\(number)"), user: "eve", client: ByteString("p-\(number)"),
                        info: nil,
                        moment: 1, selections: [Selection(caret: 0), Selection(caret: 1)]))
            ])
        }
        #expect(two.room.remoteSessions.all.count == 3 && two.room.presence.selectionCount == 2)
    }

    // MARK: Ends

    @Test("the sessions of a server that has ended leave")
    func gone() throws {
        var (one, two) = try rooms()
        one.select(.ann, [(1, 1)], at: 1)
        two.receive(one.takePublished(), from: here)
        two.forget()
        two.send(.bus(.gone(NodeID(node: 1, run: 2))))
        #expect(two.lines(.bob) == [])
        two.send(.bus(.gone(here)))
        two.tick()
        #expect(two.lines(.bob) == [#"{"type":"peer","doc":"notes","session":"s1","left":true}"#])
    }

    @Test(
        "after a lost message, sessions stay if their server publishes them again, and leave if it does not")
    func missed() throws {
        var (one, two) = try rooms()
        two.select(.bob, [(0, 0)], at: 1)
        one.select(.ann, [(1, 1)], at: 1)
        two.receive(one.takePublished())
        two.tick()
        two.forget()
        _ = two.takePublished()
        two.send(.bus(.missed))
        let asked = two.takePublished()
        // The other server may have asked in the message that was lost, so it is sent all.
        #expect(asked.count == 2 && asked.contains(.roster(two.document)))
        one.receive(asked)
        two.receive(one.takePublished())
        two.sleep(milliseconds: 4_000)
        #expect(two.lines(.bob) == [])
        two.send(.bus(.missed))
        two.sleep(milliseconds: 2_999)
        #expect(two.lines(.bob) == [])
        two.sleep(milliseconds: 100)
        #expect(two.lines(.bob) == [#"{"type":"peer","doc":"notes","session":"s1","left":true}"#])
    }

    @Test("a client that moves to this server is no remote session here")
    func moved() throws {
        var (one, two) = try rooms()
        one.select(.ann, [(1, 1)], at: 1)
        let published = one.takePublished()
        two.receive(published)
        two.forget()
        two.open(.ann.back(9))
        #expect(!two.lines(.ann.back(9)).line(0).contains(#""user":"ann""#))
        two.receive(published)
        two.tick()
        #expect(two.lines(.bob) == [#"{"type":"peer","doc":"notes","session":"s1","left":true}"#])
        #expect(two.lines(.ann.back(9)) == [])
    }

    @Test("a room without sessions keeps no remote sessions, and asks again when one opens")
    func empty() throws {
        var (one, two) = try rooms()
        one.select(.ann, [(1, 1)], at: 1)
        let published = one.takePublished()
        two.receive(published)
        two.leave(.bob)
        #expect(two.room.remoteSessions.all.isEmpty && two.room.presence.selectionCount == 0)
        two.receive(published)
        #expect(two.room.remoteSessions.all.isEmpty)
        _ = two.takePublished()
        two.openQuietly(.eve)
        #expect(two.takePublished() == [.roster(two.document)])
    }

    @Test("without other servers, a room publishes nothing")
    func alone() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.select(.ann, [(1, 1)], at: 1)
        world.leave(.ann)
        world.tick()
        #expect(world.takePublished() == [])
    }
}
