import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

/// A correct store never does this: every read begins at the requested revision.
@Suite("A read of the store that begins at the wrong revision") struct RoomCatchingUpTests {
    /// A wrong answer to a read: the revisions after `revision`, although the room requested other revisions.
    private func misplaced(_ world: RoomWorld, _ revision: Revision) throws -> Result<
        HistorySlice, HistoryRefusal
    > {
        .success(try world.store.read(world.document, after: revision, limit: .max).get())
    }

    /// A room with 12 revisions. The first revisions are no longer in its window, but Ann still needs them.
    private func outgrown() throws -> RoomWorld {
        var world = try RoomWorld("ab", limits: .narrow)
        world.openQuietly(.ann, .bob)
        world.isWrittenAtOnce = false
        for number in 1...11 {
            world.push(.bob, [(0, 0, "x")], base: Revision(number), seq: Int64(number))
            world.reportWritten(.bob)
        }
        world.forget()
        world.holds = \.isRead
        return world
    }

    private func expectDamaged(_ world: inout RoomWorld) {
        #expect(world.lines(.ann).last == #"{"type":"gone","doc":"notes","epoch":"1.1","reason":"damaged"}"#)
        #expect(world.lines(.bob).last == #"{"type":"gone","doc":"notes","epoch":"1.1","reason":"damaged"}"#)
        #expect(world.ended == [Person.ann.session, Person.bob.session])
        #expect(world.notes().foundDamage)
        world.open(.eve)
        #expect(world.lines(.eve).codes == ["damaged"])
        // The room has already reported the damage, so it does not report the damage again.
        #expect(!world.notes().foundDamage)
    }

    @Test(
        "a wrong answer to a slow session's read marks the document as damaged",
        arguments: [1, 3, 9] as [Revision])
    func stream(other: Revision) throws {
        var world = try outgrown()
        world.reportWritten(.ann)
        #expect(world.heldReads == [2])
        let answer = try misplaced(world, other)
        world.answer(\.isRead, .read(answer))
        expectDamaged(&world)
    }

    @Test(
        "a wrong answer to a read for a rebase marks the document as damaged",
        arguments: [1, 3, 9] as [Revision])
    func push(other: Revision) throws {
        var world = try outgrown()
        world.push(.ann, [(2, 2, "!")], base: 2, seq: 1)
        #expect(world.heldReads == [2])
        let answer = try misplaced(world, other)
        world.answer(\.isRead, .read(answer))
        expectDamaged(&world)
    }

    @Test("a wrong answer to a catch-up read marks the document as damaged", arguments: [1, 4] as [Revision])
    func catchUp(other: Revision) throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        for number in 1...2 { world.push(.bob, [(0, 0, "x")], base: Revision(number), seq: Int64(number)) }
        world.forget()
        world.holds = { $0.isAppend || $0.isRead }
        world.push(.ann, [(0, 0, "y")], base: 3, seq: 1)
        try world.commitElsewhere([(0, 0, "z")])
        try world.commitElsewhere([(0, 0, "z")], seq: 2)
        world.answerAppend(.unknown)
        #expect(world.heldReads == [3])
        let answer = try misplaced(world, other)
        world.answer(\.isRead, .read(answer))
        expectDamaged(&world)
    }
}
