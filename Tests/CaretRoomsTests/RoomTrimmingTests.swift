import CaretCore
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("Trimming the history of an open document") struct RoomTrimmingTests {
    /// A room at revision 5, and the size of its window at each revision from 1 on. Ann has received all
    /// revisions, Joe those up to 3, and Eve those up to 2.
    private func trimmable() throws -> (world: RoomWorld, sizes: [Int]) {
        var limits = Limits()
        limits.creditBytes = 1
        var world = try RoomWorld("ab", limits: limits)
        world.openQuietly(.ann, .bob, .eve, .joe)
        world.isWrittenAtOnce = false
        var sizes = [world.room.windowBytes]
        for number in 1...4 {
            world.push(.bob, [(0, 0, "x")], base: Revision(number), seq: Int64(number))
            for person in [Person.ann, .bob] { world.reportWritten(person) }
            if number == 2 { world.reportWritten(.joe) }
            sizes.append(world.room.windowBytes)
        }
        world.forget()
        return (world, sizes)
    }

    /// Rules A10 and C5.
    @Test("after a trim only sessions at a trimmed revision get the whole text")
    func sessions() throws {
        let (start, sizes) = try trimmable()
        var world = start
        _ = world.store.trim(world.document, through: 3)
        world.send(.trimmed(start: 3))
        #expect(world.room.windowBytes == sizes[4] - sizes[2])
        for person in [Person.ann, .eve, .joe] { world.reportWritten(person) }
        #expect(world.lines(.ann).isEmpty && world.lines(.joe).revisions == [4])
        #expect(
            world.lines(.eve) == [
                #"{"type":"resync","doc":"notes","epoch":"1.1","rev":5,"text":"xxxxab","reason":"trimmed"}"#
            ])
    }

    /// Rules A10 and B3.
    @Test("after a trim, an open resumes at the new start, but not before it")
    func opens() throws {
        var world = try trimmable().world
        _ = world.store.trim(world.document, through: 3)
        // The room gets the newer trim first. It must ignore the older trim, which comes second.
        let starts: [Revision] = [3, 2]
        for start in starts { world.send(.trimmed(start: start)) }
        for (session, revision, isResumed) in [(11, Revision(2), false), (12, 3, true)] {
            let person = Person("kim", Int64(session))
            world.open(person, from: ("1.1", revision))
            #expect(world.lines(person).line(0).contains(#""resumed":\#(isResumed)"#))
        }
    }

    @Test("a trim up to the head empties the window; the text is not loaded again")
    func atHead() throws {
        var world = try trimmable().world
        _ = world.store.trim(world.document, through: 5)
        world.holds = \.isReload
        world.send(.trimmed(start: 5))
        #expect(world.held.isEmpty && world.room.windowBytes == 0 && world.text == "xxxxab")
        world.push(.bob, [(0, 0, "y")], base: 5, seq: 5)
        #expect(world.text == "yxxxxab")
    }

    /// Another server has committed the revisions after the room's head.
    @Test("a trim beyond the room's head makes the room reload the document")
    func beyondHead() throws {
        var world = try trimmable().world
        for seq in 1...2 { try world.commitElsewhere([(0, 0, "z")], seq: Int64(seq)) }
        _ = world.store.trim(world.document, through: 7)
        world.holds = \.isReload
        world.send(.trimmed(start: 7))
        #expect(world.held.map(\.isReload) == [true] && world.room.head == 5)
        world.release()
        #expect(world.room.head == 7 && world.text == "zzxxxxab")
        #expect(world.lines(.ann).types == ["resync"])
    }
}
