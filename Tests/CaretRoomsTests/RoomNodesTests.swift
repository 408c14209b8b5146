import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("A room beside other servers over the same store") struct RoomNodesTests {
    // MARK: What a client has seen elsewhere

    @Test("an open catches up with the store, although its pusher is known and has pushed nothing")
    func openAtNewestHead() throws {
        var world = try RoomWorld("ab", sharesStore: true)
        world.openQuietly(.ann)
        try world.commitElsewhere([(0, 0, "z")])
        world.open(.ann.back(9))
        #expect(world.room.head == 2)
        #expect(world.lines(.ann.back(9)).line(0).contains(#""rev":2,"text":"zab""#))
    }

    @Test("a client resumes from a revision that another server has committed")
    func resumeBeyondHead() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        try world.commitElsewhere([(0, 0, "z")])
        world.holds = \.isRenewal
        world.open(.bob, from: ("1.1", 2))
        #expect(world.held.isEmpty)
        #expect(world.lines(.bob).first?.contains(#""rev":2,"resumed":true"#) == true)
    }

    @Test("a push whose base another server has committed is committed")
    func pushBeyondHead() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        try world.commitElsewhere([(0, 0, "z")])
        world.push(.ann, [(3, 3, "!")], base: 2, seq: 1)
        #expect(world.text == "zab!" && world.room.head == 3)
        #expect(world.lines(.ann).types == ["change", "ack"])
    }

    @Test("a push whose base no server has committed is refused after one lookup")
    func pushBeyondStore() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = \.isLookUp
        world.push(.ann, [(3, 3, "!")], base: 2, seq: 1)
        #expect(world.held.count == 1)
        world.release()
        #expect(world.lines(.ann).codes == ["base_ahead"])
        world.holds = \.isLookUp
        world.push(.ann, [(3, 3, "!")], base: 2, seq: 1, epoch: "1.7")
        #expect(world.held.isEmpty)
        #expect(world.lines(.ann).codes == ["epoch_changed"])
    }

    @Test(
        "a push that is being appended when another server renames the document is answered before the rename"
    )
    func renamedDuringAppend() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.holds = \.isAppend
        world.push(.ann, [(2, 2, "!")], base: 1, seq: 1)
        world.push(.bob, [(0, 0, "x")], base: 1, seq: 1)
        world.send(.nowCalled(try DocumentName("other"), readers: [Person.ann.session]))
        world.open(.joe)
        world.name = "other"
        world.open(.ann.back(9), from: ("1.1", 1))
        #expect(world.lines(.ann).isEmpty && world.lines(.bob).isEmpty && world.lines(.joe).isEmpty)
        world.release()
        let lines = world.lines(.ann)
        #expect(lines.types == ["ack", "gone"])
        #expect(lines.line(0).hasPrefix(#"{"type":"ack","doc":"notes","seq":1,"rev":2"#))
        #expect(world.lines(.bob).types == ["error", "change", "gone"])
        #expect(world.lines(.joe).codes == ["not_found"])
        #expect(
            world.lines(.ann.back(9)).line(0).hasPrefix(
                #"{"type":"opened","doc":"other","epoch":"1.1","rev":1"#))
        #expect(world.text == "ab!")
    }

    @Test("a second rename elsewhere replaces the first one while an append is in flight")
    func renamedAgainDuringAppend() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = \.isAppend
        world.push(.ann, [(2, 2, "!")], base: 1, seq: 1)
        for name in ["other", "third"] {
            world.send(.nowCalled(try DocumentName(name), readers: [Person.ann.session]))
        }
        world.release()
        #expect(world.lines(.ann).line(1).hasSuffix(#""reason":"renamed","to":"third"}"#))
        #expect(world.room.log.name == "third")
    }

    @Test("an order that uses the new name waits, and one that uses the old name is refused")
    func ordersDuringRename() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = \.isAppend
        world.push(.ann, [(2, 2, "!")], base: 1, seq: 1)
        world.delete(by: .orderer)
        world.send(.nowCalled(try DocumentName("other"), readers: []))
        world.release()
        #expect(world.lines(.orderer).codes == ["not_found"])
        world.holds = \.isAppend
        world.name = "other"
        world.openQuietly(.bob)
        world.push(.bob, [(0, 0, "x")], base: 2, seq: 1)
        world.send(.nowCalled(try DocumentName("third"), readers: []))
        world.name = "third"
        world.delete(by: .orderer)
        world.release()
        #expect(world.lines(.orderer).types == ["done"])
    }

    @Test("a reload before a rename elsewhere tells the readers of the new name")
    func reloadBeforeRename() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.holds = \.isAppend
        world.push(.ann, [(2, 2, "!")], base: 1, seq: 1)
        world.send(.nowCalled(try DocumentName("other"), readers: [Person.ann.session]))
        world.send(.renewed)
        world.name = "other"
        world.open(.joe)
        _ = world.store.rename(world.document, to: try DocumentName("other"))
        world.release()
        #expect(world.lines(.ann).last?.contains(#""reason":"renamed","to":"other""#) == true)
        #expect(world.lines(.bob).last?.contains(#""reason":"deleted""#) == true)
        #expect(world.lines(.joe).types == ["opened"])
    }

    /// Otherwise a client in a busy document might wait for ever: each answer would be older than the head.
    @Test("an answer that waits for an append in flight is used after it, without a second lookup")
    func lookUpBesideOwnAppend() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = { $0.isAppend || $0.isLookUp }
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        guard case .append(let append)? = world.heldCalls.first else { throw Unexpected(what: "no append") }
        let outcome = world.store.append(append)
        world.open(.bob)
        world.answer(\.isLookUp, .pusher(.success(PusherAnswer(entry: nil, head: 2))))
        #expect(world.lines(.bob).isEmpty && world.heldReads.isEmpty)
        world.drop()
        world.answerAppend(outcome)
        #expect(world.held.isEmpty)
        #expect(world.lines(.bob).line(0).contains(#""rev":2,"text":"xab""#))
    }

    // MARK: Hints

    @Test("a hint makes the room read what another server has committed")
    func hint() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        try world.commitElsewhere([(0, 0, "z")])
        world.send(.storeHead(2))
        #expect(world.lines(.ann).types == ["change"] && world.text == "zab")
    }

    @Test("a late hint costs nothing, and a wrong one costs one read", arguments: [1, 9] as [Revision])
    func wrongHint(head: Revision) throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = \.isRead
        world.send(.storeHead(head))
        #expect(world.heldReads == (head == 9 ? [1] : []))
        world.release()
        world.holds = \.isRead
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        #expect(world.lines(.ann).types == ["ack"] && world.held.isEmpty && world.room.head == 2)
    }

    @Test("a hint during an append is followed after the append", arguments: [true, false])
    func hintDuringAppend(isCommitted: Bool) throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = \.isAppend
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        guard case .append(let append)? = world.heldCalls.first else { throw Unexpected(what: "no append") }
        if isCommitted { _ = world.store.append(append) }
        try world.commitElsewhere([(0, 0, "z")])
        let head: Revision = isCommitted ? 3 : 2
        world.send(.storeHead(head))
        #expect(world.heldReads.isEmpty)
        world.answerAppend(isCommitted ? .committed(head: 2) : .diskFull)
        #expect(world.room.head == head && world.text == (isCommitted ? "zxab" : "zab"))
    }

    @Test("a closed room ignores hints and new names")
    func closed() throws {
        var world = try RoomWorld("ab")
        world.open(.ann)
        world.delete(by: .orderer)
        world.forget()
        world.send(.storeHead(7))
        world.send(.nowCalled(try DocumentName("other"), readers: []))
        #expect(world.heldCalls.isEmpty && world.lines(.ann).isEmpty)
        #expect(world.room.log.name == "notes")
    }

    // MARK: The store's lock

    @Test("a room that missed something under the lock appends under it until it misses nothing")
    func stickyLock() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = { $0.isAppend || $0.isAppendLocked }
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        for head in [2, 3] as [Revision] {
            #expect(world.held.map(\.isAppend) == [true])
            try world.commitElsewhere([(0, 0, "z")], seq: Int64(head.value))
            world.answerAppend(.conflict(head: head))
        }
        #expect(world.held.map(\.isAppendLocked) == [true])
        try world.commitElsewhere([(0, 0, "z")], seq: 4)
        world.release()
        #expect(world.room.head == 5)
        world.holds = { $0.isAppend || $0.isAppendLocked }
        world.push(.ann, [(0, 0, "y")], base: 5, seq: 2)
        #expect(world.held.map(\.isAppendLocked) == [true])
        // Nobody else commits anything now, so the lock is not needed after this append.
        world.release()
        world.holds = { $0.isAppend || $0.isAppendLocked }
        world.push(.ann, [(0, 0, "y")], base: 6, seq: 3)
        #expect(world.held.map(\.isAppend) == [true])
    }

    // MARK: Names

    @Test("after a rename elsewhere, only readers of the new name learn it")
    func renamedElsewhere() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.send(.nowCalled(try DocumentName("other"), readers: [Person.ann.session]))
        #expect(
            world.lines(.ann) == [
                #"{"type":"gone","doc":"notes","epoch":"1.1","reason":"renamed","to":"other"}"#
            ])
        #expect(
            world.lines(.bob) == [#"{"type":"gone","doc":"notes","epoch":"1.1","reason":"deleted"}"#])
        world.open(.ann)
        #expect(world.lines(.ann).codes == ["not_found"])
        world.name = "other"
        world.open(.ann)
        #expect(world.lines(.ann).types == ["opened"])
        world.send(.nowCalled(try DocumentName("other"), readers: []))
        #expect(world.lines(.ann).isEmpty)
    }

    /// Only the store knows which of two renames was the last one.
    @Test("a rename elsewhere during an own rename makes the room load the document again")
    func renamedTwice() throws {
        var world = try RoomWorld("ab")
        world.open(.ann)
        world.holds = { $0.isRename || $0.isReload }
        try world.rename(to: "mine", by: .orderer)
        world.send(.nowCalled(try DocumentName("theirs"), readers: []))
        #expect(world.held.map(\.isRename) == [true])
        _ = world.store.rename(world.document, to: try DocumentName("theirs"))
        world.drop()
        world.answer(\.isRename, .renamed(.renamed))
        #expect(world.held.map(\.isReload) == [true])
        world.release()
        #expect(world.room.log.name == "theirs")
    }

    // MARK: A store that is away

    @Test("a push while the store is away gets an error with a time, and can be sent again")
    func away() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.store.trouble = .away
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        let lines = world.lines(.ann)
        #expect(lines.codes == ["storage_failed"])
        #expect(lines.line(0).contains(#""retry_after_ms":1000"#))
        world.store.trouble = nil
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        #expect(world.text == "xab")
    }
}
