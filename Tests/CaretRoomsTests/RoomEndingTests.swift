import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("Renaming and deleting an open document") struct RoomEndingTests {
    @Test("a deletion sends `gone` to all sessions, and then `done`")
    func delete() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.delete(by: .orderer, id: .number(10))
        let gone = #"{"type":"gone","doc":"notes","epoch":"1.1","reason":"deleted"}"#
        #expect(world.lines(.ann) == [gone] && world.lines(.bob) == [gone])
        #expect(world.lines(.orderer) == [#"{"type":"done","id":10}"#])
        #expect(world.ended == [Person.ann.session, Person.bob.session] && world.isUnloaded)
        world.open(.eve)
        #expect(world.lines(.eve).codes == ["not_found"])
    }

    /// Rules T3 and D10.
    @Test("a rename sends the new name only to sessions that may read it")
    func rename() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        try world.rename(to: "old/notes", by: .orderer, readers: [.bob])
        let gone = #"{"type":"gone","doc":"notes","epoch":"1.1","reason":"#
        #expect(world.lines(.ann) == [gone + #""deleted"}"#])
        #expect(world.lines(.bob) == [gone + #""renamed","to":"old/notes"}"#])
        #expect(world.lines(.orderer) == [#"{"type":"done"}"#])
        // The same room serves the new name, with the same epoch, revisions and known pushes.
        world.open(.ann)
        #expect(world.lines(.ann).codes == ["not_found"])
        world.name = "old/notes"
        world.open(Person.bob.back(12), from: ("1.1", 1))
        #expect(
            world.lines(Person.bob.back(12)).line(0).contains(
                #""doc":"old/notes","epoch":"1.1","rev":1,"resumed":true"#))
        #expect(!world.isUnloaded)
    }

    /// Rules D8 and D12. The acks and refusals before `gone` use the name that the document had so far.
    @Test("a rename acks pushes in flight and refuses queued ones before `gone`")
    func underWay() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob, .eve)
        world.holds = \.isAppend
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        world.push(.bob, [(0, 0, "y")], base: 1, seq: 1)
        try world.rename(to: "other", by: .orderer, readers: [.ann, .bob])
        world.push(.eve, [(0, 0, "z")], base: 1, seq: 1)
        world.open(.joe)
        #expect(world.lines(.orderer).isEmpty)
        world.release()
        #expect(world.lines(.ann).types == ["ack", "gone"])
        let bob = world.lines(.bob)
        #expect(bob.types == ["error", "change", "gone"] || bob.types == ["change", "error", "gone"])
        #expect(bob.codes == ["not_found"])
        #expect(world.lines(.eve).codes == ["not_found"])
        #expect(world.lines(.joe).codes == ["not_found"])
        #expect(world.text == "xab" && world.lines(.orderer).types == ["done"])
    }

    /// Rule D8.
    @Test("a slow session gets its pending ack before `gone`")
    func dueAck() throws {
        var limits = Limits.narrow
        limits.windowBytes = 60_000
        var world = try RoomWorld("ab", limits: limits)
        world.openQuietly(.ann, .bob, .eve, .joe)
        world.isWrittenAtOnce = false
        for person in [Person.bob, .joe] { world.push(person, [(0, 0, "x")], base: 1, seq: 1) }
        world.push(.ann, [(0, 0, "y")], base: 1, seq: 1, id: .number(5))
        // Ann must get her ack before `gone`. The room need not send her this later change of Eve.
        world.push(.eve, [(0, 0, "z")], base: 1, seq: 1)
        world.close(.bob, id: .number(6))
        #expect(world.lines(.ann).revisions == [2])
        world.delete(by: .orderer)
        let ann = world.lines(.ann)
        #expect(ann.types == ["change", "ack", "gone"] && ann.revisions == [3, 4])
        #expect(ann.line(1).contains(#""id":5"#))
        #expect(world.lines(.orderer).types == ["done"])
    }

    /// Rule D8.
    @Test("the ack before `gone` is sent even if its revision has left the window")
    func dueOutOfWindow() throws {
        var world = try RoomWorld("ab", limits: .narrow)
        world.openQuietly(.ann, .bob)
        world.isWrittenAtOnce = false
        world.push(.bob, [(0, 0, "x")], base: 1, seq: 1)
        world.push(.ann, [(0, 0, "y")], base: 1, seq: 1, id: .number(5))
        for number in 3...11 {
            for _ in 0..<3 { world.reportWritten(.bob) }
            world.push(.bob, [(0, 0, "x")], base: Revision(number), seq: Int64(number))
        }
        world.forget()
        world.delete(by: .orderer)
        let ann = world.lines(.ann)
        #expect(ann.types == ["ack", "gone"] && ann.line(0).contains(#""id":5"#))
    }

    /// Rules D11 and D12.
    @Test("a rename to a name that exists, even the document's own, is refused")
    func exists() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = \.isRename
        try world.rename(to: "notes", by: .orderer, id: .number(2))
        world.select(.ann, [], at: 1)
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        #expect(world.lines(.ann).isEmpty)
        world.release()
        #expect(
            world.lines(.orderer) == [
                #"{"type":"error","id":2,"doc":"notes","code":"exists","message":"another document has the new name"}"#
            ])
        // Pushes that were queued during the rename are committed, because the document still exists.
        #expect(world.lines(.ann).types == ["ack"] && world.text == "xab")
    }

    /// Rules D8 and D12.
    @Test("pushes that wait for a rename or a deletion are committed if it fails", arguments: [false, true])
    func pushesOfFailedOrder(isDeletion: Bool) throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob, .eve)
        world.holds = \.isAppend
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        world.push(.bob, [(2, 2, "y")], base: 1, seq: 1)
        if isDeletion { world.delete(by: .orderer) } else { try world.rename(to: "other", by: .orderer) }
        world.release { isDeletion ? $0.isDelete : $0.isRename }
        world.push(.eve, [(1, 1, "z")], base: 1, seq: 1)
        #expect(world.lines(.ann).types == ["ack"])
        #expect(world.lines(.bob).codes == [] && world.lines(.eve).codes == [])
        if isDeletion {
            world.answer(\.isDelete, .deleted(.full))
        } else {
            world.answer(\.isRename, .renamed(.exists))
        }
        #expect(world.lines(.orderer).codes == [isDeletion ? "storage_full" : "exists"])
        #expect(world.text == "xazby")
        #expect(world.lines(.bob).types.contains("ack") && world.lines(.eve).types.contains("ack"))
    }

    /// Rule D12. The push needs a text that the room does not keep in memory.
    @Test("a push that waits for the store is committed if a rename fails")
    func unpreparedPush() throws {
        var limits = Limits()
        limits.windowBytes = 1
        var world = try RoomWorld("ab", limits: limits)
        world.openQuietly(.ann, .bob)
        for seq in Int64(1)...3 { world.push(.bob, [(0, 0, "x")], base: Revision(Int(seq)), seq: seq) }
        world.holds = \.isReadText
        world.push(.ann, [(0, 0, "y")], base: 1, seq: 1)
        try world.rename(to: "notes", by: .orderer)
        world.forget()
        world.release()
        #expect(world.lines(.orderer).codes == ["exists"])
        #expect(world.lines(.ann).codes == [] && world.text.contains("y"))
    }

    /// Rules B9 and D12.
    @Test("a session that closes gets the answer to its push before `closed`, also during a rename")
    func closing() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.holds = \.isAppend
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        world.push(.bob, [(2, 2, "y")], base: 1, seq: 1)
        world.close(.bob)
        try world.rename(to: "notes", by: .orderer)
        world.release(holding: \.isRename)
        #expect(world.lines(.bob).types == ["change"])
        world.release()
        #expect(world.lines(.bob).types == ["ack", "closed"] && world.text == "xaby")
    }

    @Test("if a rename and a deletion arrive together, one gets `not_found`")
    func twoOrders() throws {
        var world = try RoomWorld("ab")
        world.holds = \.isRename
        try world.rename(to: "other", by: .orderer, id: .number(1))
        world.delete(by: .orderer, id: .number(2))
        world.release()
        let lines = world.lines(.orderer)
        #expect(lines.types == ["done", "error"] || lines.types == ["error", "done"])
        #expect(lines.codes == ["not_found"])
        #expect((try? world.store.entry(of: world.document).get()) != nil)
    }

    @Test(
        "if a deletion fails, the requester gets an error and the room stays",
        arguments: [(StoreRefusal.full, "storage_full"), (.failed, "storage_failed")])
    func refused(refusal: StoreRefusal, code: String) throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = \.isDelete
        world.delete(by: .orderer)
        world.answer(\.isDelete, .deleted(refusal))
        #expect(world.lines(.orderer).codes == [code])
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        #expect(world.text == "xab")
    }
}
