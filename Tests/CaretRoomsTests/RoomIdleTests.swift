import CaretCore
import CaretRooms
import CaretWire
import Testing

@Suite("A room that nobody needs") struct RoomIdleTests {
    @Test("it stays at hand for a while, and then asks to be dropped, once")
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

    @Test("someone who only watches keeps it at hand")
    func watcher() throws {
        var world = try RoomWorld("ab")
        world.open(.ann, .watch)
        world.pass(milliseconds: 100_000)
        #expect(!world.room.isIdle)
        #expect(!world.isUnloaded)
    }

    @Test("whoever comes back in between keeps it at hand")
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

    @Test("it does not go while a push is on its way, though its session is gone")
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
