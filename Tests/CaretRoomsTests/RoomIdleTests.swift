import CaretCore
import CaretRooms
import CaretWire
import Testing

@Suite("Idle rooms") struct RoomIdleTests {
    @Test("an idle room stays loaded for a while, then offers to unload, once")
    func unload() throws {
        var world = try RoomWorld("ab")
        world.seat(.ann)
        world.pass(milliseconds: 100_000)
        #expect(!world.isUnloaded && !world.room.isIdle)
        world.leave(.ann)
        world.pass(milliseconds: 59_999)
        #expect(!world.isUnloaded && world.room.isIdle)
        world.pass(milliseconds: 1)
        #expect(world.isUnloaded)
    }

    @Test("a session that only watches keeps the room loaded")
    func watcher() throws {
        var world = try RoomWorld("ab")
        world.open(.ann, .watch)
        world.pass(milliseconds: 100_000)
        #expect(!world.room.isIdle)
        #expect(!world.isUnloaded)
    }

    @Test("a session in between restarts the time until the room unloads")
    func comesBack() throws {
        var world = try RoomWorld("ab")
        world.seat(.ann)
        world.leave(.ann)
        world.pass(milliseconds: 30_000)
        world.seat(.bob)
        world.leave(.bob)
        world.pass(milliseconds: 59_999)
        #expect(!world.isUnloaded)
        world.pass(milliseconds: 1)
        #expect(world.isUnloaded)
    }

    @Test("a push in flight keeps the room loaded, even after its session left")
    func pushOnItsWay() throws {
        var world = try RoomWorld("ab")
        world.holds = \.isAppend
        world.push(.ann, .text("abc"), base: 1, seq: 1)
        world.leave(.ann)
        world.pass(milliseconds: 100_000)
        #expect(!world.isUnloaded && !world.room.isSettled)
        world.release()
        #expect(world.room.isSettled)
        world.pass(milliseconds: 60_000)
        #expect(world.isUnloaded)
    }
}
