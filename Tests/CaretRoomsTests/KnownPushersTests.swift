import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("Rooms that know all pushers of their document") struct KnownPushersTests {
    /// The calls to the store that the room makes during `steps`.
    private func calls(of world: inout RoomWorld, _ steps: (inout RoomWorld) -> Void) -> [StoreCall] {
        world.holds = { $0.storeCall != nil }
        steps(&world)
        defer { world.release() }
        return world.heldCalls
    }

    private func lookUp(_ who: Person, in world: RoomWorld) -> StoreCall {
        .pusher(who.participant.pusher, in: world.document)
    }

    @Test("sessions open without a call to the store, and learn of their pushes")
    func opens() throws {
        var world = try RoomWorld("ab", knowsPushers: true)
        world.openQuietly(.ann)
        world.push(.ann, .text("abc"), base: 1, seq: 4)
        world.leave(.ann)
        world.forget()
        let made = calls(of: &world) {
            $0.open(Person.ann.back(11))
            $0.open(.bob)
        }
        #expect(made == [])
        #expect(world.lines(Person.ann.back(11)).line(0).hasSuffix(#""own":{"seq":4,"rev":2}}"#))
        #expect(world.lines(.bob).line(0).hasSuffix(#""peers":[]}"#))
        // The room recognises a repeat, although no session of the client is open.
        world.leave(Person.ann.back(11))
        world.forget()
        let repeated = calls(of: &world) { $0.push(.ann, .text("abc"), base: 1, seq: 4) }
        #expect(repeated == [])
        #expect(world.lines(.ann).line(0).hasSuffix(#""duplicate":true}"#))
    }

    @Test("a room knows 32 pushers that nobody needs, and forgets them all if there is one more")
    func limit() throws {
        var world = try RoomWorld("", knowsPushers: true)
        func push(_ number: Int64) {
            world.push(
                Person("user\(number)", 100 + number), .text(WireString("\(number)")),
                base: Revision(Int(number) - 1),
                seq: 1)
        }
        for number in 1...Int64(KnownPushers.mostWithoutHolder) { push(number) }
        #expect(world.room.head.value == 32)
        #expect(calls(of: &world) { $0.open(.ann) } == [])
        push(33)
        let (bob, first) = (Person.bob, Person("user1", 101))
        let made = calls(of: &world) {
            $0.open(bob)
            $0.open(first)
        }
        #expect(made == [lookUp(bob, in: world), lookUp(first, in: world)])
        #expect(world.lines(first).line(1).contains(#""own":{"seq":1,"rev":1}"#))
    }

    @Test("a pusher is looked up while an append is in flight, or after revisions that the room has read")
    func uncertain() throws {
        var world = try RoomWorld("ab", knowsPushers: true)
        world.openQuietly(.ann)
        let made = calls(of: &world) {
            $0.push(.ann, [(2, 2, "c")], base: 1, seq: 1)
            $0.open(.bob)
        }
        #expect(made.last == lookUp(.bob, in: world))
        try world.commitElsewhere([(0, 0, "z")])
        world.push(.ann, [(3, 3, "d")], base: 2, seq: 2)
        #expect(calls(of: &world) { $0.open(.eve) } == [lookUp(.eve, in: world)])
        #expect(world.text == "zabcd")
    }

    /// Rule P12.
    @Test("after an unknown outcome, the push is looked up", arguments: [true, false])
    func unknownOutcome(isThere: Bool) throws {
        var world = try RoomWorld("ab", knowsPushers: true)
        try world.pushWithUnknownOutcome(isThere: isThere)
        #expect(world.text == "abc" && world.lines(.ann).revisions == [2])
        #expect(try world.store.text(of: world.document, at: nil).get().text == TextBuffer("abc"))
    }

    /// Rule B5.
    @Test("beside other servers, only the open that a room was made for needs no lookup")
    func otherServers() throws {
        var world = try RoomWorld("ab", sharesStore: true, knowsPushers: true)
        world.openQuietly(.ann)
        world.push(.ann, [(2, 2, "c")], base: 1, seq: 4)
        try world.restart()
        let opener = try world.store.pusher(Person.ann.participant.pusher, in: world.document).get()
        #expect(calls(of: &world) { $0.open(.ann, opener: opener) } == [])
        #expect(world.lines(.ann).line(0).hasSuffix(#""own":{"seq":4,"rev":2}}"#))
        #expect(calls(of: &world) { $0.open(.bob) } == [lookUp(.bob, in: world)])
        // What the store has said of the opener is outdated.
        world.push(.ann, [(0, 0, "x")], base: 2, seq: 5)
        let again = Person.ann.back(11)
        #expect(calls(of: &world) { $0.open(again, opener: opener) } == [lookUp(again, in: world)])
        #expect(world.lines(again).line(0).contains(#""own":{"seq":5,"rev":3}"#))
    }
}
