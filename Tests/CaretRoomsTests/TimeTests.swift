import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("Times of revisions, and a clock that goes back") struct TimeTests {
    /// The times of all revisions in the store.
    private func times(_ world: RoomWorld) throws -> [Int64] {
        try world.store.read(world.document, after: 0, limit: .max).get().segment.changes.map(\.time)
    }

    private func expectAscending(_ world: RoomWorld, count: Int) throws {
        let times = try times(world)
        #expect(times.count == count && times == times.sorted(), "\(times)")
    }

    @Test("times of revisions never decrease, even if the clock goes back")
    func clockGoesBack() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.time = 90_000
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        world.time = 2_000
        world.push(.bob, [(0, 0, "y")], base: 2, seq: 1)
        #expect(world.lines(.ann).last?.contains(#""time":90001"#) == true)
        try expectAscending(world, count: 3)
    }

    @Test("times of revisions never decrease, even after a restart of the server")
    func restart() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.time = 90_000
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        world.time = 50
        try world.restart()
        world.openQuietly(.bob)
        world.push(.bob, [(0, 0, "y")], base: 2, seq: 1)
        try expectAscending(world, count: 3)
    }

    /// The server read the pushes at times that are not in the order in which it commits them.
    @Test("the times of the revisions in a segment never decrease")
    func segment() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob, .eve, .joe)
        world.holds = \.isAppend
        for (person, time) in [(Person.ann, 5_000), (.bob, 9_000), (.eve, 3_000), (.joe, 9_500)] {
            world.time = Int64(time)
            world.push(person, [(0, 0, "x")], base: 1, seq: 1)
        }
        world.release()
        try expectAscending(world, count: 5)
    }

    @Test("a revision is not earlier than another server's revision before it")
    func elsewhere() throws {
        for conflicts in 1...3 {
            var world = try RoomWorld("ab")
            world.openQuietly(.ann)
            world.holds = { $0.isAppend || $0.isAppendLocked }
            world.push(.ann, [(2, 2, "x")], base: 1, seq: 1)
            for seq in 1...conflicts {
                try world.commitElsewhere([(0, 0, "y")], seq: Int64(seq) * 100_000)
                if seq < conflicts { world.answerAppend(.conflict(head: Revision(seq + 1))) }
            }
            world.release()
            try expectAscending(world, count: 2 + conflicts)
        }
    }

    @Test("a room's timer fires on time even if the clock went back meanwhile")
    func waits() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        world.forget()
        let rests = world.time + Int64(world.limits.checkDelayMilliseconds)
        world.send(.timePassed, at: rests - 1)
        world.send(.timePassed, at: 5)
        #expect(world.lines(.ann).isEmpty)
        world.send(.timePassed, at: rests)
        #expect(world.lines(.ann).types == ["check"])
    }

    @Test("a room sets a timer for all work that becomes due")
    func wakes() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        for revision in [1, 2] {
            world.push(.ann, [(0, 0, "x")], base: Revision(revision), seq: Int64(revision))
            world.forget()
            world.sleep(milliseconds: world.limits.checkDelayMilliseconds)
            #expect(world.lines(.ann).types == ["check"])
        }
        world.holds = { $0.isAppend || $0.isRead }
        world.push(.ann, [(0, 0, "x")], base: 3, seq: 3)
        world.answerAppend(.unknown)
        world.drop()
        world.answer(\.isRead, .read(.failure(.refused(.failed))))
        world.sleep(milliseconds: world.limits.retryMilliseconds)
        #expect(world.heldReads == [3])
        world.release()
        world.leave(.ann)
        world.sleep(milliseconds: world.limits.idleRoomSeconds * 1_000)
        #expect(world.isUnloaded)
    }

    /// Rule S4.
    @Test("a session gets the next selections of its peers after exactly 50 ms")
    func tick() throws {
        var world = try RoomWorld("abc")
        world.openQuietly(.ann, .bob, .joe)
        world.select(.bob, [(0, 0)], at: 1)
        #expect(world.lines(.ann).types == ["peer"])
        world.select(.bob, [(1, 1)], at: 1)
        world.select(.joe, [(2, 2)], at: 1)
        world.sleep(milliseconds: 20)
        world.select(.bob, [(3, 3)], at: 1)
        world.sleep(milliseconds: world.limits.peerMilliseconds - 21)
        #expect(world.lines(.ann).isEmpty && world.lines(.joe).types == ["peer"])
        world.sleep(milliseconds: 1)
        #expect(world.lines(.ann).types == ["peer", "peer"] && world.lines(.joe).types == ["peer"])
        // After a quiet interval, the next selection does not wait.
        world.sleep(milliseconds: world.limits.peerMilliseconds)
        world.select(.bob, [(1, 1)], at: 1)
        #expect(world.lines(.ann).types == ["peer"])
    }

    @Test("a failed call to the store is retried after exactly one second")
    func retryPause() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = { $0.isAppend || $0.isRead }
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        world.answerAppend(.unknown)
        #expect(world.held.count == 1)
        world.answer(\.isRead, .read(.failure(.refused(.failed))))
        let asked = world.held.count
        world.pass(milliseconds: world.limits.retryMilliseconds - 1)
        #expect(world.held.count == asked)
        world.pass(milliseconds: 1)
        #expect(world.held.count == asked + 1)
    }
}
