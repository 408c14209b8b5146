import CaretCore
import CaretRooms
import CaretWire
import TestSupport
import Testing

/// Rule P21.
@Suite("Exact pushes are committed only at the head") struct RoomExactTests {
    private static let behind =
        #"{"type":"error","doc":"notes","seq":1,"code":"base_behind","message":"base 1 is not the head 2, and the push must be exact","epoch":"1.1","rev":2}"#

    @Test("an exact push at the head is committed")
    func atHead() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.push(.ann, .text("abc"), base: 1, seq: 1, isExact: true)
        #expect(world.text == "abc")
        #expect(world.lines(.ann).revisions == [2])
    }

    @Test("an exact push behind the head is refused", arguments: [true, false])
    func behindHead(isWhole: Bool) throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.openQuietly(.bob)
        world.push(.bob, [(0, 0, "x")], base: 1, seq: 1)
        world.forget()
        world.push(
            .ann, isWhole ? .text("abc") : .edits([WireEdit(WireRange(2, 2), "c")]), base: 1, seq: 1,
            isExact: true)
        #expect(world.lines(.ann) == [RoomExactTests.behind])
        #expect(world.text == "xab")
    }

    @Test("an exact push fails if an earlier push of its segment changes the text")
    func sameSegment() throws {
        var world = try RoomWorld("ab")
        for person in [Person.ann, .bob, .eve] { world.openQuietly(person) }
        world.holds = \.isAppend
        world.push(.eve, [(0, 0, "-")], base: 1, seq: 1)
        // The pushes of Bob and Ann wait until Eve's push is appended, and then form one segment.
        world.push(.bob, .text("-ab"), base: 1, seq: 1, isExact: true)
        world.push(.ann, .text("abc"), base: 1, seq: 1, isExact: true)
        world.forget()
        world.holds = { _ in false }
        world.release()
        #expect(world.text == "-ab")
        #expect(world.lines(.ann).codes == ["base_behind"])
        // The whole text equals the head, so there is nothing to commit.
        let ack = #"{"type":"ack","doc":"notes","seq":1,"epoch":"1.1","rev":2,"unchanged":true}"#
        #expect(world.lines(.bob).contains(ack))
    }

    @Test("an exact push is refused if another server commits first")
    func otherWriter() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = \.isAppend
        world.push(.ann, .text("abc"), base: 1, seq: 1, isExact: true)
        try world.commitElsewhere([(0, 0, "x")])
        world.forget()
        world.holds = { _ in false }
        world.release()
        #expect(world.text == "xab")
        #expect(world.lines(.ann).codes == ["base_behind"])
    }

    @Test("the repeat of a committed exact push gets the same answer")
    func repeated() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.openQuietly(.bob)
        world.push(.ann, .text("abc"), base: 1, seq: 1, isExact: true)
        world.push(.bob, [(0, 0, "x")], base: 2, seq: 1)
        world.forget()
        world.push(.ann, .text("abc"), base: 1, seq: 1, isExact: true)
        #expect(world.lines(.ann).revisions == [2])
        #expect(world.text == "xabc")
    }
}
