import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("rooms: reads that wait for pushes")
struct RoomAwaitTests {
    private let ann = Person.ann
    private let bob = Person.bob

    /// A room in which Ann has pushed, and a read of hers waits for that push. Actions that match `holds` are
    /// not answered.
    private func world(holding holds: @escaping (RoomAction) -> Bool) throws -> RoomWorld {
        var world = try RoomWorld()
        world.openQuietly(ann, bob)
        world.holds = holds
        world.push(ann, [(0, 0, "x")], base: 0, seq: 1)
        world.awaitPushes(of: ann)
        return world
    }

    /// Rule O6.
    @Test("a read waits until the push in flight is acked or refused")
    func inFlight() throws {
        let outcomes: [AppendOutcome] = [
            .committed(head: 1), .diskFull, .diskFailed, .documentDamaged, .invalidChange,
        ]
        for outcome in outcomes {
            var world = try world { $0.isAppend }
            #expect(world.answeredConnections == [])
            world.answerAppend(outcome)
            #expect(world.answeredConnections == [7])
        }
    }

    @Test("a read waits only for pushes of its own client")
    func others() throws {
        var world = try world { $0.isAppend }
        world.awaitPushes(of: bob, for: 8)
        #expect(world.answeredConnections == [8])
        world.release()
        world.awaitPushes(of: ann, for: 9)
        #expect(world.answeredConnections == [8, 7, 9])
    }

    /// Rule O6.
    @Test("a read waits for a push that is retried after a conflict or a fault")
    func longWay() throws {
        for outcome in [AppendOutcome.conflict(head: 1), .unknown, .documentGone] {
            var world = try world { $0.isAppend }
            if case .conflict = outcome { try world.commitElsewhere([(0, 0, "z")]) }
            world.answerAppend(outcome)
            #expect(world.answeredConnections == [])
            world.release()
            #expect(world.answeredConnections == [7])
            #expect(world.text.contains("x"))
        }
    }

    @Test("a read waits for a push whose pusher is still being looked up")
    func lookedUp() throws {
        for answers in [true, false] {
            var world = try RoomWorld()
            world.holds = { $0.isLookUp }
            world.push(ann, .text("x"), base: 0, seq: 1)
            world.awaitPushes(of: ann)
            #expect(world.answeredConnections == [])
            if answers {
                world.release()
                #expect(world.text == "x")
            } else {
                world.answer(\.isLookUp, .pusher(.failure(.failed)))
            }
            #expect(world.answeredConnections == [7])
        }
    }

    @Test("a read waits for a push that is queued during a rename")
    func heldBack() throws {
        var world = try RoomWorld()
        world.openQuietly(ann)
        world.holds = \.isRename
        try world.rename(to: "other", by: .orderer)
        world.push(ann, [(0, 0, "x")], base: 0, seq: 1)
        world.awaitPushes(of: ann)
        #expect(world.answeredConnections == [])
        world.release()
        #expect(world.answeredConnections == [7])
    }

    @Test("a read waits for a push whose session has ended")
    func endedSession() throws {
        var world = try world { $0.isAppend }
        world.send(.diverged(ann.session, 0))
        world.awaitPushes(of: ann, for: 8)
        #expect(world.answeredConnections == [])
        world.release()
        #expect(world.answeredConnections == [7, 8])
    }
}
