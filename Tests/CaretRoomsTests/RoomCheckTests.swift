import CaretCore
import CaretRooms
import CaretWire
import Testing

@Suite("Checks of the text") struct RoomCheckTests {
    /// Rule C6. The length is in the unit of the client.
    @Test("after a while without changes each session at the head gets one check")
    func rest() throws {
        var world = try RoomWorld("é😀")
        world.openQuietly(.ann, .eve)
        world.push(.ann, [(3, 3, "x")], base: 1, seq: 1)
        world.forget()
        world.pass(milliseconds: world.limits.checkDelayMilliseconds - 1)
        #expect(world.lines(.ann).isEmpty)
        world.pass(milliseconds: 1)
        #expect(
            world.lines(.ann) == [#"{"type":"check","doc":"notes","rev":2,"length":4,"crc32":"65c033ec"}"#])
        #expect(
            world.lines(.eve) == [#"{"type":"check","doc":"notes","rev":2,"length":7,"crc32":"65c033ec"}"#])
        world.pass(milliseconds: 60_000)
        #expect(world.lines(.ann).isEmpty)
    }

    @Test("a session that has just received the text gets no check")
    func opened() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.pass(milliseconds: 60_000)
        #expect(world.lines(.ann).isEmpty)
    }

    /// Rule C6. This check does not wait until other clients stop changing the document.
    @Test("a resumed session gets a check as soon as it reaches the head")
    func resumed() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.bob)
        world.push(.bob, [(0, 0, "x")], base: 1, seq: 1)
        world.holds = \.isSum
        world.open(.ann, from: ("1.1", 1))
        #expect(world.lines(.ann).types == ["opened", "change"])
        // The room discards the computed checksum, because the document has a newer revision by now.
        world.push(.bob, [(0, 0, "x")], base: 2, seq: 2)
        world.release()
        #expect(world.lines(.ann).types == ["change"])
        world.pass(milliseconds: 1_000)
        #expect(world.lines(.ann).types == ["check"])
    }

    /// Rule C6.
    @Test("a session that reports a different text is ended, and may open again")
    func diverged() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.select(.ann, [(0, 0)], at: 1)
        world.forget()
        world.send(.diverged(Person.ann.session, 1))
        #expect(world.divergences == [1] && world.ended == [Person.ann.session])
        world.tick()
        #expect(world.lines(.bob) == [#"{"type":"peer","doc":"notes","session":"s1","left":true}"#])
        world.open(Person.ann.back(9))
        #expect(world.lines(Person.ann.back(9)).types == ["opened"])
    }
}
