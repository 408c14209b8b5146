import CaretCore
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("What rooms and connections count") struct RoomNotesTests {
    @Test("pushes, changes, rebases and deliveries of changes are counted")
    func pushes() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob, .eve)
        _ = world.notes()
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        let ann = AckedPush(session: Person.ann.session, seq: 1)
        #expect(world.notes() == RoomNotes(pushes: 1, changes: 1, deliveries: 2, acked: [ann]))
        world.push(.bob, [(0, 0, "y")], base: 1, seq: 1)
        let bob = AckedPush(session: Person.bob.session, seq: 1)
        #expect(world.notes() == RoomNotes(pushes: 1, changes: 1, rebases: 1, deliveries: 2, acked: [bob]))
        // A repeat is counted as a push, but not as a change.
        world.push(.bob, [(0, 0, "y")], base: 1, seq: 1)
        #expect(world.notes() == RoomNotes(pushes: 1))
        #expect(world.notes().isEmpty)
    }

    @Test("`RoomNotes` are empty only if nothing was counted")
    func isEmpty() {
        let session = Person.ann.session
        #expect(RoomNotes().isEmpty)
        for notes in [
            RoomNotes(pushes: 1), RoomNotes(changes: 1), RoomNotes(deliveries: 1),
            RoomNotes(refusals: [.damaged: 1]), RoomNotes(slowSessions: [session]),
            RoomNotes(caughtUp: [session]), RoomNotes(acked: [AckedPush(session: session, seq: 1)]),
            RoomNotes(opened: [session]), RoomNotes(readersAhead: [session]), RoomNotes(foundDamage: true),
            RoomNotes(pushes: 1, changes: 1),
            RoomNotes(changes: 1, deliveries: 1),
        ] {
            #expect(!notes.isEmpty, "\(notes)")
        }
    }

    /// Changes 2 to 4 are by Bob, Eve and Bob.
    private func threeChanges() throws -> RoomWorld {
        var world = try RoomWorld("ab")
        world.push(.bob, .text("abc"), base: 1, seq: 1)
        world.push(.eve, .text("abcd"), base: 2, seq: 1)
        world.push(.bob, .text("abcde"), base: 3, seq: 2)
        _ = world.notes()
        // Discards the acks to Bob and Eve.
        world.forget()
        return world
    }

    /// Opens the document for a person who has revision 1. Returns how many deliveries the room counts, and
    /// how many changes and acks the person gets.
    private func deliveries(
        in world: inout RoomWorld, to who: Person, squashes: Bool = false
    ) -> (noted: Int, changes: Int, acks: Int) {
        world.open(who, from: ("1.1", 1), squashes ? .watch : .edit, squashes: squashes)
        let lines = world.lines(who)
        func count(_ type: String) -> Int { lines.count { $0.hasPrefix(#"{"type":"\#(type)","#) } }
        return (world.notes().deliveries, count("change"), count("ack"))
    }

    @Test("each change sent to a session counts as a delivery, an ack does not")
    func run() throws {
        var world = try threeChanges()
        #expect(deliveries(in: &world, to: .ann) == (3, 3, 0))
        #expect(deliveries(in: &world, to: .eve) == (2, 2, 1))
        #expect(deliveries(in: &world, to: .bob) == (1, 1, 2))
    }

    @Test("changes that are squashed into one line count as one delivery")
    func squashed() throws {
        var world = try threeChanges()
        #expect(deliveries(in: &world, to: .ann, squashes: true) == (1, 1, 0))
    }

    @Test("a change that is read from the store counts as a delivery too")
    func fromStore() throws {
        for (who, wanted) in [(Person.ann, (3, 3, 0)), (.eve, (2, 2, 1))] {
            var world = try threeChanges()
            world.boundWindow(to: 1)
            var reads = 0
            world.holds = { action in
                if action.isRead { reads += 1 }
                return false
            }
            #expect(deliveries(in: &world, to: who) == wanted)
            #expect(reads > 0)
        }
    }

    @Test("an ack is recorded with session and seq, an open with its session")
    func times() throws {
        var world = try RoomWorld("ab")
        world.open(.ann)
        #expect(world.notes() == RoomNotes(opened: [Person.ann.session]))
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        let first = AckedPush(session: Person.ann.session, seq: 1)
        #expect(world.notes() == RoomNotes(pushes: 1, changes: 1, acked: [first]))
        // The room also counts a push of a client that has not opened the document.
        world.push(.bob, .text("z"), base: 2, seq: 1)
        let second = AckedPush(session: Person.bob.session, seq: 1)
        #expect(world.notes() == RoomNotes(pushes: 1, changes: 1, deliveries: 1, acked: [second]))
    }

    @Test("refusals are counted by code")
    func refusals() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        _ = world.notes()
        world.push(.ann, [(9, 9, "x")], base: 1, seq: 1)
        #expect(world.notes() == RoomNotes(pushes: 1, refusals: [.badRange: 1]))
        world.close(.bob)
        #expect(world.notes() == RoomNotes(refusals: [.notOpen: 1]))
    }

    /// A session that resumes at an old revision is not slow.
    @Test("a session is counted as slow once each time it falls behind the window")
    func slow() throws {
        var limits = Limits()
        (limits.windowBytes, limits.creditBytes) = (3_000, 1_000)
        var world = try RoomWorld("", limits: limits)
        world.openQuietly(.ann)
        func write(_ count: Int, _ world: inout RoomWorld) {
            for _ in 0..<count {
                let head = world.room.head
                world.push(
                    .bob, [(0, 0, String(repeating: "x", count: 900))], base: head, seq: Int64(head.value + 1)
                )
            }
        }
        world.open(.bob)
        world.isWrittenAtOnce = false
        write(20, &world)
        world.reportWritten(.ann)
        #expect(world.notes().slowSessions == [Person.ann.session])
        while !world.lines(.ann).isEmpty { world.reportWritten(.ann) }
        let notes = world.notes()
        #expect(notes.slowSessions.isEmpty && notes.caughtUp == [Person.ann.session])
        write(20, &world)
        world.reportWritten(.ann)
        #expect(world.notes().slowSessions.contains(Person.ann.session))
        world.isWrittenAtOnce = true
        world.open(.eve, from: ("1.1", 1))
        #expect(world.notes().slowSessions.isEmpty)
    }

    /// The connection counts its own errors and those of the hub.
    @Test("a connection counts the errors that it sends, and records why it ended")
    func connection() throws {
        var state = ConnectionState(1, settings: .sample(Limits()), at: 0)
        _ = state.received(Array("{}\n".utf8), at: 0)
        #expect(state.takeRefusals() == [.helloRequired: 1] && state.takeRefusals() == nil)
        #expect(state.end == .refused(.helloRequired))
        let world = ServerWorld()
        let ann = world.connect("ann")
        #expect(ann.asks(#"{"type":"read","doc":"a"}"#) == ["not_found"])
        #expect(ann.asks(#"{"type":"push","doc":"a","base":0,"seq":1,"edits":[]}"#) == ["not_open"])
        var atServer = try #require(world.connections[ann.id])
        #expect(atServer.takeRefusals() == [.notFound: 1, .notOpen: 1])
        ann.endInput()
        #expect(world.connections[ann.id]?.end == .left)
    }
}
