import CaretCore
import CaretRooms
import CaretWire
import Testing

@Suite("Changing rights") struct RoomRightsTests {
    /// Rules R5 and R7.
    /// Queued pushes are refused, and the session gets `rights`.
    @Test("a session that lost write access gets acks only for pushes in flight")
    func toRead() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.holds = \.isAppend
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        world.push(.bob, [(0, 0, "y")], base: 1, seq: 1)
        world.send(.rightsChanged(Person.ann.session, .read))
        world.send(.rightsChanged(Person.bob.session, .read))
        world.send(.rightsChanged(Person.bob.session, .read))
        world.release()
        #expect(
            world.lines(.ann) == [
                #"{"type":"rights","doc":"notes","rights":"read"}"#,
                #"{"type":"ack","doc":"notes","seq":1,"rev":2}"#,
            ])
        let bob = world.lines(.bob)
        #expect(bob.types.filter { $0 == "rights" }.count == 1 && bob.codes == ["forbidden"])
        #expect(world.text == "xab")
        world.send(.rightsChanged(Person.bob.session, .write))
        world.push(.bob, [(0, 0, "y")], base: 1, seq: 1)
        #expect(world.text == "xyab")
    }

    /// Rule R7.
    /// The ack comes first, then `rights`, then the end of the session.
    @Test("a session that lost all rights still gets the ack of a push in flight")
    func toNone() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.select(.ann, [], at: 1)
        world.holds = \.isAppend
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        world.forget()
        world.send(.rightsChanged(Person.ann.session, .none))
        #expect(world.ended.isEmpty && world.lines(.ann).isEmpty)
        // Rights that come back do not reopen the document.
        world.send(.rightsChanged(Person.ann.session, .read))
        world.push(.ann, [(0, 0, "z")], base: 1, seq: 2)
        #expect(world.lines(.ann).codes == ["not_open"])
        world.push(.bob, [(2, 2, "y")], base: 1, seq: 1)
        world.release()
        #expect(
            world.lines(.ann) == [
                #"{"type":"ack","doc":"notes","seq":1,"rev":2}"#,
                #"{"type":"rights","doc":"notes","rights":"none"}"#,
            ])
        #expect(world.ended == [Person.ann.session])
        world.tick()
        #expect(Set(world.lines(.bob).types) == ["peer", "change", "ack"])
        #expect(world.text == "xaby")
    }

    /// Rules R5 and R7. The session's own push may still be in flight.
    @Test("a session that lost all rights gets no more changes of others")
    func toNoneBeforeOthers() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob, .eve)
        world.holds = \.isAppend
        world.push(.bob, [(0, 0, "secret")], base: 1, seq: 1)
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        world.send(.rightsChanged(Person.ann.session, .none))
        world.release()
        let ann = world.lines(.ann)
        #expect(ann.codes == ["not_found"] && ann.types.last == "rights")
        #expect(!ann.joined().contains("secret") && world.ended == [Person.ann.session])
        #expect(world.text == "secretab")
    }

    @Test("changed rights apply to opens and pushes that wait for the store")
    func whileWaiting() throws {
        var world = try RoomWorld("ab")
        world.holds = \.isLookUp
        world.open(.ann)
        world.push(.bob, .text("abc"), base: 1, seq: 1)
        world.send(.rightsChanged(Person.ann.session, .read))
        world.send(.rightsChanged(Person.bob.session, .read))
        world.release()
        #expect(world.lines(.ann).line(0).contains(#""rights":"read""#))
        #expect(world.lines(.bob).codes == ["forbidden"])
    }
}
