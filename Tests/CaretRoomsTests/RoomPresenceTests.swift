import CaretCore
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("Selections of peers in a room") struct RoomPresenceTests {
    /// Rules S1, S2 and S5. The room remaps the selection through changes.
    @Test("a selection is sent to others, the first time with user and client")
    func passedOn() throws {
        var world = try RoomWorld("Watch Bugger attack")
        world.openQuietly(.ann, .bob)
        world.select(.ann, [(6, 12)], at: 1)
        #expect(world.lines(.ann).isEmpty)
        #expect(
            world.lines(.bob) == [
                #"{"type":"peer","doc":"notes","session":"s1","user":"ann","client":"p-ann-client","rev":1,"selections":[[6,12]]}"#
            ])
        world.push(.bob, [(6, 6, "the ")], base: 1, seq: 1)
        world.forget()
        // The push moved the selection. Open sessions compute the new offsets themselves, and the room sends
        // the new offsets to a new session.
        world.open(.eve)
        #expect(world.lines(.eve).line(0).contains(#""selections":[[10,16]]}]"#))
        world.select(.ann, [(3, 3)], at: 2)
        world.tick()
        #expect(
            world.lines(.bob) == [
                #"{"type":"peer","doc":"notes","session":"s1","rev":2,"selections":[[3,3]]}"#
            ])
    }

    /// Rule S3.
    @Test("a selection at an older revision is remapped, with the same direction")
    func moved() throws {
        var world = try RoomWorld("abcdef")
        world.openQuietly(.ann, .bob)
        world.push(.bob, [(0, 0, "12")], base: 1, seq: 1)
        world.forget()
        world.select(.ann, [(4, 1)], at: 1)
        #expect(world.lines(.bob).last?.hasSuffix(#""rev":2,"selections":[[6,3]]}"#) == true)
    }

    @Test("selections are counted in the unit of each sender and receiver")
    func units() throws {
        var world = try RoomWorld("é😀x")
        world.openQuietly(.ann, .eve, .joe)
        world.select(.eve, [(2, 6)], at: 1)
        #expect(world.lines(.ann).line(0).hasSuffix(#""selections":[[1,3]]}"#))
        #expect(world.lines(.joe).line(0).hasSuffix(#""selections":[[1,2]]}"#))
    }

    /// Rules S1 and S11.
    @Test("only sessions that know a peer are notified when the peer leaves")
    func left() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob, .eve)
        world.select(.ann, [], at: 1)
        world.forget()
        world.leave(.eve)
        world.close(.ann)
        world.tick()
        #expect(world.lines(.bob) == [#"{"type":"peer","doc":"notes","session":"s1","left":true}"#])
    }

    /// Rule S11.
    @Test("selections do not survive a restart of the server")
    func restart() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.select(.ann, [(1, 1)], at: 1)
        try world.restart()
        world.open(.bob)
        #expect(world.lines(.bob).line(0).contains(#""peers":[]"#))
    }

    @Test("a slow session is not sent a peer that has already left")
    func cameAndWent() throws {
        var world = try RoomWorld("ab", limits: .narrow)
        world.openQuietly(.ann, .bob)
        world.isWrittenAtOnce = false
        world.push(.joe, .text("abc"), base: 1, seq: 1)
        world.select(.bob, [], at: 2)
        world.leave(.bob)
        world.forget()
        world.pass(milliseconds: 50)
        world.reportWritten(.ann)
        #expect(world.lines(.ann).isEmpty)
    }

    /// The error for a revision beyond the head contains the head.
    @Test("a selection outside the text or inside a character is refused")
    func refused() throws {
        var world = try RoomWorld("a😀")
        world.openQuietly(.ann)
        world.select(.ann, [(0, 4)], at: 1, id: .number(3))
        world.select(.ann, [(2, 2)], at: 1)
        world.select(.ann, [(0, 0)], at: 2)
        #expect(
            world.lines(.ann) == [
                #"{"type":"error","id":3,"doc":"notes","code":"bad_range","message":"a selection ends past the text's length 3 or inside a character, at revision 1"}"#,
                #"{"type":"error","doc":"notes","code":"bad_range","message":"a selection ends past the text's length 3 or inside a character, at revision 1"}"#,
                #"{"type":"error","doc":"notes","code":"base_ahead","message":"revision 2 is beyond the head 1","epoch":"1.1","rev":1}"#,
            ])
    }

    /// Rule S8.
    @Test("a selection at a too old or not yet sent revision is dropped silently")
    func stale() throws {
        var world = try RoomWorld("ab", limits: .narrow)
        world.openQuietly(.ann, .bob)
        for number in 1...9 { world.push(.bob, [(0, 0, "x")], base: Revision(number), seq: Int64(number)) }
        world.open(.eve)
        world.forget()
        world.select(.ann, [(0, 0)], at: 1)
        world.select(.eve, [(0, 0)], at: 9)
        #expect(world.lines(.ann).isEmpty && world.lines(.bob).isEmpty && world.lines(.eve).isEmpty)
        world.select(.ann, [(0, 0)], at: 9)
        #expect(world.lines(.bob).types == ["peer"])
    }

    /// Rule S8.
    @Test("after a resync, a selection in an older revision is dropped silently")
    func staleAfterResync() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.push(.bob, [(0, 0, "x")], base: 1, seq: 1)
        _ = world.store.renewEpochs()
        world.send(.renewed)
        world.forget()
        world.select(.ann, [(0, 0)], at: 1)
        #expect(world.lines(.ann).isEmpty && world.lines(.bob).isEmpty)
        world.select(.ann, [(0, 0)], at: 2)
        #expect(world.lines(.bob).types == ["peer"])
    }

    /// Rule S9.
    @Test("selections over the limit of a room are refused")
    func tooMany() throws {
        var limits = Limits()
        limits.roomSelections = 3
        var world = try RoomWorld("abc", limits: limits)
        world.openQuietly(.ann, .bob)
        world.select(.ann, [(0, 0), (1, 1)], at: 1)
        world.forget()
        world.select(.bob, [(0, 0), (1, 1)], at: 1)
        #expect(
            world.lines(.bob) == [
                #"{"type":"error","doc":"notes","code":"too_large","message":"the document would have 4 selections; at most 3 are allowed"}"#
            ])
        world.select(.bob, [(0, 0)], at: 1)
        world.select(.ann, [(2, 2), (3, 3)], at: 1)
        world.tick()
        #expect(world.lines(.ann).types == ["peer"] && world.lines(.bob).types == ["peer"])
        world.leave(.ann)
        world.select(.bob, [(0, 0), (1, 1), (2, 2)], at: 1)
        world.tick()
        #expect(world.lines(.bob).types == ["peer"])
    }

    /// Rule S4. The selection is sent by the first tick after the session has reached the head.
    @Test("a slow session gets only the latest selection, others do not wait")
    func behind() throws {
        var world = try RoomWorld("")
        world.openQuietly(.ann, .bob, .joe)
        world.isWrittenAtOnce = false
        let letters = String(repeating: "x", count: 300_000)
        for number in 0..<2 {
            world.push(.joe, [(0, 0, letters)], base: Revision(number), seq: Int64(number))
            world.reportWritten(.bob)
            for place in 1...3 {
                world.select(.bob, [(place, place)], at: Revision(number + 1))
                world.tick()
            }
            #expect(world.lines(.ann).types == ["change"] && world.lines(.joe).types.suffix(3) == peers(3))
            world.reportWritten(.ann)
            world.tick()
            let lines = world.lines(.ann)
            #expect(lines.types == ["peer"])
            #expect(lines.line(0).hasSuffix(#""rev":\#(number + 1),"selections":[[3,3]]}"#))
            world.reportWritten(.ann)
        }
    }

    private func peers(_ count: Int) -> [String] { Array(repeating: "peer", count: count) }
}
