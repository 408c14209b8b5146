import CaretCore
import CaretRooms
import CaretWire
import Testing

@Suite("Idle rooms") struct RoomIdleTests {
    @Test("an idle room offers to unload after the configured time")
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

    @Test("an idle room repeats its offer to unload only after its next use")
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

    @Test("a push is unresolved while it waits for the store, a diff or a rename")
    func unresolved() throws {
        let long = String(repeating: "line\n", count: 4_000)
        let kinds: [(RoomAction) -> Bool] = [
            \.isLookUp, \.isReadText, \.isRead, \.isCompute, \.isAppend, \.isRename,
        ]
        for (index, kind) in kinds.enumerated() {
            var world = try RoomWorld(long)
            world.openQuietly(.bob)
            for number in 1...3 {
                world.push(.bob, [(0, 0, "x")], base: Revision(number), seq: Int64(number))
            }
            world.boundWindow(to: 1)
            #expect(world.room.hasResolvedAllPushes)
            world.holds = kind
            if index == kinds.count - 1 { try world.rename(to: "notes", by: .orderer) }
            world.push(.ann, .text(WireString("start\n" + long + "end")), base: 1, seq: 1)
            #expect(world.held.count == 1 && !world.room.hasResolvedAllPushes, "kind \(index)")
            world.release()
            #expect(world.room.hasResolvedAllPushes && world.text == "xxxstart\n" + long + "end")
        }
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
