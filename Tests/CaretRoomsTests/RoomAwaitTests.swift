import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("rooms: waiting for pushes")
struct RoomAwaitTests {
    private let ann = Person.ann
    private let bob = Person.bob

    /// A room in which Ann has pushed and waits for that push. Actions that match `holds` are not answered.
    private func world(holding holds: @escaping (RoomAction) -> Bool) throws -> RoomWorld {
        var world = try RoomWorld()
        world.seat(ann, bob)
        world.holds = holds
        world.push(ann, [(0, 0, "x")], base: 0, seq: 1)
        world.awaitPushes(of: ann)
        return world
    }

    /// Rule O6.
    @Test("the room waits for a push in flight, whatever its outcome")
    func inFlight() throws {
        let outcomes: [AppendOutcome] = [
            .committed(head: 1), .full, .failed, .damaged, .unfit,
        ]
        for outcome in outcomes {
            var world = try world { $0.isAppend }
            #expect(world.settled == [])
            world.answerAppend(outcome)
            #expect(world.settled == [7])
        }
    }

    @Test("nobody waits for the pushes of others, or if there is no push")
    func others() throws {
        var world = try world { $0.isAppend }
        world.awaitPushes(of: bob, for: 8)
        #expect(world.settled == [8])
        world.release()
        world.awaitPushes(of: ann, for: 9)
        #expect(world.settled == [8, 7, 9])
    }

    /// Rule O6.
    @Test("the wait lasts through conflicts, unknown outcomes and a new history")
    func longWay() throws {
        for outcome in [AppendOutcome.conflict(head: 1), .unknown, .gone] {
            var world = try world { $0.isAppend }
            if case .conflict = outcome { try world.commitElsewhere([(0, 0, "z")]) }
            world.answerAppend(outcome)
            #expect(world.settled == [])
            world.release()
            #expect(world.settled == [7])
            #expect(world.text.contains("x"))
        }
    }

    @Test("the wait includes a push whose pusher is still being looked up")
    func lookedUp() throws {
        for answers in [true, false] {
            var world = try RoomWorld()
            world.holds = { $0.isLookUp }
            world.push(ann, .text("x"), base: 0, seq: 1)
            world.awaitPushes(of: ann)
            #expect(world.settled == [])
            if answers {
                world.release()
                #expect(world.text == "x")
            } else {
                world.answer(\.isLookUp, .pusher(.failure(.failed)))
            }
            #expect(world.settled == [7])
        }
    }

    @Test("the wait includes a push that is queued during a rename")
    func heldBack() throws {
        var world = try RoomWorld()
        world.seat(ann)
        world.holds = \.isRename
        try world.rename(to: "other", by: .orderer)
        world.push(ann, [(0, 0, "x")], base: 0, seq: 1)
        world.awaitPushes(of: ann)
        #expect(world.settled == [])
        world.release()
        #expect(world.settled == [7])
    }

    @Test("the wait includes a push whose session has ended")
    func endedSession() throws {
        var world = try world { $0.isAppend }
        world.tell(.diverged(ann.session, 0))
        world.awaitPushes(of: ann, for: 8)
        #expect(world.settled == [])
        world.release()
        #expect(world.settled == [7, 8])
    }
}
