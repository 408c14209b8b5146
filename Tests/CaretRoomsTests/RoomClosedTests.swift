import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("Closing a busy room") struct RoomClosedTests {
    private let kim = Person("kim", 5)
    private let lou = Person("lou", 6)

    /// A room with an unanswered call of each kind, and with a deletion that waits for them.
    private func busy() throws -> RoomWorld {
        let text = String(repeating: "line\n", count: 4_000)
        var world = try RoomWorld(text, limits: .narrow)
        world.openQuietly(.ann, .bob, .eve, kim)
        world.isWrittenAtOnce = false
        for number in 1...4 {
            world.push(.bob, [(0, 0, "x")], base: Revision(number), seq: Int64(number))
            for person in [Person.bob, .eve, kim] { world.reportWritten(person) }
        }
        world.forget()
        world.holds = { $0.storeCall != nil || $0.isCompute }
        world.push(kim, [(0, 0, "y")], base: 5, seq: 1)
        world.push(.eve, .text(WireString("yxxxx" + text + "end")), base: 5, seq: 1)
        world.push(.ann, [(2, 2, "z")], base: 1, seq: 1)
        world.reportWritten(.ann)
        for person in [Person.joe, lou] { world.open(person) }
        world.delete(by: .orderer)
        return world
    }

    /// Rule D13.
    @Test("a room that is closed as damaged answers every waiting request")
    func answers() throws {
        var world = try busy()
        let kinds: [(RoomAction) -> Bool] = [
            \.isAppend, \.isCompute, \.isReadText, \.isRead, \.isLookUp, \.isLookUp,
        ]
        #expect(world.held.count == kinds.count)
        for kind in kinds { #expect(world.held.contains(where: kind)) }
        world.answer(\.isLookUp, .pusher(.failure(.damaged)))
        for person in [Person.ann, .eve, kim] { #expect(world.lines(person).types == ["error", "gone"]) }
        #expect(world.lines(.bob).types == ["gone"])
        for person in [Person.joe, lou, .orderer] { #expect(world.lines(person).codes == ["damaged"]) }
        #expect(world.room.isIdle && world.isUnloaded)
    }

    /// If the room were open, each of these answers would reveal damage or start further work.
    @Test("a closed room ignores all answers that come late")
    func late() throws {
        var world = try busy()
        world.answer(\.isLookUp, .pusher(.failure(.damaged)))
        let works = world.held
        world.forget()
        _ = world.notes()
        world.answer(\.isAppend, .appended(.committed(head: 6)))
        world.answer(\.isReadText, .text(.failure(.refused(.gone))))
        let entry = PusherEntry(seq: 1, revision: 99, digest: Digest(.zero), used: 1)
        world.answer(\.isLookUp, .pusher(.success(PusherAnswer(entry: entry, head: 5))))
        let misplaced = HistorySlice(segment: Segment(first: 99, changes: []), head: 99)
        world.answer(\.isRead, .read(.success(misplaced)))
        for case .compute(let id, .change(let work)) in works {
            world.send(.computed(id, .change(work.done())))
        }
        #expect(!world.notes().foundDamage && world.room.isIdle && world.room.head == 5)
        for person in [Person.ann, .bob, .eve, kim, .joe, lou] { #expect(world.lines(person).isEmpty) }
        world.open(.eve)
        #expect(world.lines(.eve).codes == ["damaged"])
    }

    /// Rule D12.
    @Test("renames and deletions that wait for a deletion are refused after it")
    func ordersAfterDeletion() throws {
        var world = try RoomWorld("ab")
        world.holds = \.isDelete
        world.delete(by: .orderer, id: .number(1))
        try world.rename(to: "other", by: .orderer, id: .number(2))
        world.delete(by: .orderer, id: .number(3))
        world.release()
        let lines = world.lines(.orderer)
        #expect(lines.types.filter { $0 == "done" }.count == 1 && lines.codes == ["not_found", "not_found"])
        #expect(world.notices == [.deleted(nil)])
    }

    @Test("after a rename, a deletion by the old name is refused")
    func orderByOldName() throws {
        var world = try RoomWorld("ab")
        try world.rename(to: "other", by: .orderer)
        #expect(world.lines(.orderer).types == ["done"])
        world.delete(by: .orderer)
        #expect(world.lines(.orderer).codes == ["not_found"])
        #expect(try world.store.entry(of: world.document).get().name == DocumentName("other"))
        #expect(try world.notices == [.renamed(DocumentName("other"), .renamed)])
    }
}
