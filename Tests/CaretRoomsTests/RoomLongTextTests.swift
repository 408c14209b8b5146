import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

/// A text of more than 10 bytes is long here.
@Suite("A room whose text is encoded beside it") struct RoomLongTextTests {
    private static func world(_ text: String) throws -> RoomWorld {
        var limits = Limits()
        limits.textEncodedAtOnce = 10
        var world = try RoomWorld(text, limits: limits)
        world.holds = \.isEncode
        return world
    }

    @Test("a text at the limit is sent at once, and a longer one after it was encoded")
    func limit() throws {
        for (count, isLong) in [(10, false), (11, true)] {
            let text = String(repeating: "\\\"", count: count / 2) + String(repeating: "x", count: count % 2)
            var world = try Self.world(text)
            world.open(.ann, id: .number(7))
            #expect(world.lines(.ann).isEmpty == isLong && world.held.count == (isLong ? 1 : 0))
            world.release()
            var plain = try RoomWorld(text)
            plain.open(.ann, id: .number(7))
            if isLong { #expect(world.lines(.ann) == plain.lines(.ann)) }
        }
    }

    @Test("equal openings share the work, and their sessions see each other")
    func shared() throws {
        var world = try Self.world("twelve bytes")
        for person in [Person.ann, .bob, .eve] { world.open(person) }
        #expect(world.held.count == 1)
        world.release()
        for person in [Person.ann, .bob, .eve] { #expect(world.lines(person).types.first == "opened") }
        world.tick()
        world.select(.ann, [(1, 1)], at: 1)
        world.tick()
        #expect(world.lines(.eve).types == ["peer"])
    }

    /// Rule O1.
    @Test("a change during the work comes after the text of the revision before it, and so do the peers")
    func changed() throws {
        var world = try Self.world("twelve bytes")
        world.holds = { _ in false }
        world.open(.bob)
        world.select(.bob, [(1, 1)], at: 1)
        world.forget()
        world.holds = \.isEncode
        world.open(.ann)
        world.push(.bob, [(0, 0, "x")], base: 1, seq: 1)
        #expect(world.lines(.ann).isEmpty)
        world.release()
        world.tick()
        let lines = world.lines(.ann)
        #expect(lines.types == ["opened", "change", "peer"])
        #expect(
            lines.line(0).contains(
                #""rev":1,"text":"twelve bytes","rights":"write","newline":"lf","peers":[]"#))
        #expect(lines.line(1).contains(#""rev":2"#) && lines.line(2).contains(#""selections":[[2,2]]"#))
    }

    @Test("the text contains the opener's newest push, even if that was committed during the work")
    func ownPush() throws {
        var world = try Self.world("twelve bytes")
        world.holds = { _ in false }
        world.openQuietly(.ann)
        world.holds = \.isEncode
        let second = Person.ann.back(9)
        world.open(second)
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        #expect(world.lines(.ann).types == ["ack"])
        world.release()
        #expect(world.lines(second).line(0).contains(#""rev":2,"text":"xtwelve bytes""#))
    }

    @Test("the room needs its whole text until an ack that contains it has been sent")
    func owedText() throws {
        var world = try RoomWorld("text")
        world.openQuietly(.ann, .bob)
        #expect(world.needsWholeText() == false)
        world.push(.ann, [(0, 0, "a")], base: 1, seq: 1)
        #expect(world.needsWholeText() == false)
        // Ann has not read so much that she gets nothing more for now.
        world.isWrittenAtOnce = false
        let letters = String(repeating: "x", count: world.limits.creditBytes)
        world.push(.bob, [(0, 0, letters)], base: 2, seq: 1)
        world.reportWritten(.bob)
        world.holds = \.isAppend
        world.push(.ann, .edits([WireEdit(WireRange(0, 0), "b")]), base: 2, seq: 2, wantsText: true)
        #expect(world.needsWholeText() == true)
        world.forget()
        world.release()
        #expect(world.lines(.ann).isEmpty)
        #expect(world.needsWholeText() == true)
        world.reportWritten(.ann)
        #expect(world.lines(.ann).types == ["ack"])
        #expect(world.needsWholeText() == false)
    }

    @Test("and while a restore is pending")
    func pendingRestore() throws {
        var world = try RoomWorld("text")
        world.openQuietly(.ann)
        world.push(.ann, [(0, 0, "a")], base: 1, seq: 1)
        world.holds = { _ in true }
        world.push(.ann, .restore, base: 1, seq: 2)
        #expect(world.needsWholeText() == true)
        while !world.held.isEmpty { world.release() }
        #expect(world.needsWholeText() == false)
    }

    @Test("a session that is resynced gets the encoded text, and then the changes after it")
    func resync() throws {
        var world = try Self.world("twelve bytes")
        world.holds = { _ in false }
        world.openQuietly(.ann, .bob)
        world.isWrittenAtOnce = false
        let letters = String(repeating: "x", count: world.limits.creditBytes)
        world.push(.bob, [(0, 0, letters)], base: 1, seq: 1)
        world.reportWritten(.bob)
        world.push(.bob, [(0, letters.count, "")], base: 2, seq: 2)
        world.reportWritten(.bob)
        world.push(.bob, [(0, 0, "z")], base: 3, seq: 3)
        _ = world.store.trim(world.document, through: 4)
        world.forget()
        world.boundWindow(to: 1)
        world.holds = \.isEncode
        world.reportWritten(.ann)
        #expect(world.lines(.ann).isEmpty && world.held.count == 1)
        world.reportWritten(.bob)
        world.push(.bob, [(0, 0, "y")], base: 4, seq: 4)
        world.release()
        let lines = world.lines(.ann)
        #expect(lines.types == ["resync", "change"] && lines.revisions == [5])
        #expect(lines.line(0).contains(#""rev":4,"text":"ztwelve bytes","reason":"trimmed""#))
    }

    /// Rule A3.
    @Test("who loses the right to read during the work does not get the text")
    func rights() throws {
        var world = try Self.world("twelve bytes")
        world.open(.ann, id: .number(7))
        world.send(.rightsChanged(Person.ann.session, .none))
        world.release()
        #expect(world.lines(.ann).map { code($0) } == ["not_found"])
        #expect(world.ended.contains(Person.ann.session))
    }

    @Test("a connection that ends, and a document that is deleted, end the wait")
    func ends() throws {
        var world = try Self.world("twelve bytes")
        world.open(.ann)
        world.open(.bob, id: .number(7))
        world.leave(.ann)
        world.delete(by: .orderer)
        #expect(world.lines(.bob).map { code($0) } == ["not_found"])
        world.release()
        #expect(world.lines(.ann).isEmpty && world.lines(.bob).isEmpty)
        #expect(Set(world.ended).isSuperset(of: [Person.ann.session, Person.bob.session]))
    }

    @Test("a renewed epoch during the work: the text is encoded again")
    func renewed() throws {
        var world = try Self.world("twelve bytes")
        world.open(.ann)
        _ = world.store.renewEpochs()
        world.send(.renewed)
        world.release()
        #expect(world.lines(.ann).types == ["opened"])
    }
}

extension RoomAction {
    var isEncode: Bool { if case .encode = self { true } else { false } }
}
