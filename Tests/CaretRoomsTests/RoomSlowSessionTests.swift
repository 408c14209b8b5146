import CaretCore
import CaretRooms
import CaretWire
import Testing

@Suite("What slow sessions are sent") struct RoomSlowSessionTests {
    /// A room in which each text is one revision, inserted by Bob. Its window has only the last revision.
    private func world(_ texts: [String]) throws -> RoomWorld {
        var limits = Limits()
        limits.creditBytes = 1_000
        var world = try RoomWorld("", limits: limits)
        world.openQuietly(.bob)
        for (index, text) in texts.enumerated() {
            world.push(.bob, [(0, 0, text)], base: Revision(index), seq: Int64(index + 1))
        }
        world.boundWindow(to: 1)
        world.isWrittenAtOnce = false
        world.forget()
        return world
    }

    /// Rule O8.
    @Test("a session that is served from the store gets no more than its credit")
    func credit() throws {
        var world = try world(Array(repeating: "x", count: 40))
        world.open(.ann, from: ("1.1", 0))
        var revisions: [Int] = []
        for _ in 0..<40 where revisions.count < 40 {
            let lines = world.lines(.ann)
            // The last line may exceed the credit.
            #expect(lines.dropLast().reduce(0) { $0 + $1.utf8.count + 1 } < 1_000)
            revisions += lines.revisions
            world.reportWritten(.ann)
        }
        #expect(revisions == Array(1...40))
    }

    @Test("for a session with credit left, the room reads the store again at once")
    func nextRead() throws {
        // The first read of the store ends before the long change, so the room must read again.
        var world = try world(["x", String(repeating: "y", count: 2_000), "z"])
        world.open(.ann, from: ("1.1", 0))
        #expect(world.lines(.ann).revisions == [1, 2])
    }

    /// Rules B9 and D8.
    @Test("a slow session that closes gets its ack, then `closed`", arguments: [false, true])
    func close(isDeleted: Bool) throws {
        var world = try RoomWorld("ab", limits: .narrow)
        world.openQuietly(.ann, .bob)
        world.isWrittenAtOnce = false
        world.push(.bob, [(0, 0, "x")], base: 1, seq: 1)
        world.push(.ann, [(2, 2, "c")], base: 1, seq: 5, id: .number(1))
        world.close(.ann, id: .number(9))
        world.forget()
        if isDeleted { world.delete(by: .orderer) } else { world.reportWritten(.ann) }
        let lines = world.lines(.ann)
        #expect(lines.types == ["ack", "closed"] && lines.line(1).contains(#""id":9"#))
        #expect(world.ended.first == Person.ann.session)
    }

    /// Rule B5.
    @Test("a whole text replaces the ack that a slow session waits for")
    func textWithAck() throws {
        var world = try RoomWorld("ab", limits: .narrow)
        world.openQuietly(.ann, .bob)
        world.isWrittenAtOnce = false
        world.push(.bob, [(0, 0, "x")], base: 1, seq: 1)
        world.push(.ann, [(0, 0, "y")], base: 1, seq: 1)
        for number in 3...27 {
            for _ in 0..<3 { world.reportWritten(.bob) }
            world.push(.bob, [(0, 0, "x")], base: Revision(number), seq: Int64(number))
        }
        world.forget()
        world.reportWritten(.ann)
        let lines = world.lines(.ann)
        #expect(lines.types == ["resync"] && lines.line(0).hasSuffix(#""own":{"seq":1,"rev":3}}"#))
        world.reportWritten(.ann)
        world.push(.ann, [(0, 0, "z")], base: 28, seq: 2)
        #expect(world.lines(.ann).types == ["ack"])
    }

    /// Rule B2. The room knows Ann, because her push is in flight.
    @Test("a resumed session gets missed changes at once, even during a push")
    func resumedByKnownClient() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.push(.bob, [(0, 0, "x")], base: 1, seq: 1)
        world.holds = \.isAppend
        world.push(.ann, [(0, 0, "y")], base: 2, seq: 1)
        world.leave(.ann)
        let ann = Person.ann.back(11)
        world.open(ann, from: ("1.1", 1))
        #expect(world.lines(ann).types.prefix(2) == ["opened", "change"])
    }

    /// A buffer of several lines has at most 16 KiB, and this ack has 20 KB.
    @Test("an ack with a long text is sent in a buffer of its own")
    func longAck() throws {
        let text = String(repeating: "x", count: 20_000)
        var world = try RoomWorld(text)
        world.openQuietly(.ann, .bob, .joe)
        world.isWrittenAtOnce = false
        world.holds = \.isAppend
        // While Joe's push is being appended, the next two pushes wait. They then form one segment.
        world.push(.joe, [(0, 0, "j")], base: 1, seq: 1)
        world.push(.bob, [(0, 0, "b")], base: 1, seq: 1)
        world.push(.ann, .text(WireString(text + "a")), base: 1, seq: 1, wantsText: true)
        world.release()
        #expect(world.pieces(.ann) == 3 && world.lines(.ann).types == ["change", "change", "ack"])
    }
}
