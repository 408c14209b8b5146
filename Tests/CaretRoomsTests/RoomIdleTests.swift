import CaretCore
import CaretRooms
import CaretWire
import Testing

@Suite("Idle rooms") struct RoomIdleTests {
    @Test("an idle room offers to unload once, after the configured time")
    func unload() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.pass(milliseconds: 100_000)
        #expect(!world.isUnloaded && !world.room.isIdle)
        world.leave(.ann)
        world.pass(milliseconds: 59_999)
        #expect(!world.isUnloaded && world.room.isIdle)
        world.pass(milliseconds: 1)
        #expect(world.isUnloaded)
    }

    @Test("a room offers to unload only once, until it is needed again")
    func once() throws {
        var world = try RoomWorld("ab")
        for offers in [1, 2] {
            world.openQuietly(.ann)
            world.leave(.ann)
            for _ in 0..<3 { world.pass(milliseconds: 60_000) }
            #expect(world.unloadOffers == offers)
        }
    }

    @Test("a session that only watches also keeps the room loaded")
    func watcher() throws {
        var world = try RoomWorld("ab")
        world.open(.ann, .watch)
        world.pass(milliseconds: 100_000)
        #expect(!world.room.isIdle)
        #expect(!world.isUnloaded)
    }

    @Test("the time until a room unloads starts again after each session")
    func comesBack() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.leave(.ann)
        world.pass(milliseconds: 30_000)
        world.openQuietly(.bob)
        world.leave(.bob)
        world.pass(milliseconds: 59_999)
        #expect(!world.isUnloaded)
        world.pass(milliseconds: 1)
        #expect(world.isUnloaded)
    }

    @Test("a push in flight keeps the room loaded after the last session has left")
    func pushOnItsWay() throws {
        var world = try RoomWorld("ab")
        world.holds = \.isAppend
        world.push(.ann, .text("abc"), base: 1, seq: 1)
        world.leave(.ann)
        world.pass(milliseconds: 100_000)
        #expect(!world.isUnloaded && !world.room.hasResolvedAllPushes)
        world.release()
        #expect(world.room.hasResolvedAllPushes)
        world.pass(milliseconds: 60_000)
        #expect(world.isUnloaded)
    }
}
