import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("Reloading a document, and other pauses of a room") struct RoomReloadTests {
    /// The document as the store has it, with another epoch, revision and text.
    private func loaded(
        _ world: RoomWorld, epoch generation: UInt64, at revision: Revision, _ text: String
    ) throws -> StoreAnswer {
        let old = try world.store.entry(of: world.document).get()
        let text = try TextBuffer(text)
        let entry = DocumentEntry(
            id: old.id, name: old.name, epoch: Epoch(generation: generation, document: 1), head: revision,
            start: revision, length: text.length, updated: 5, lineBreak: .lf)
        return .loaded(.success(LoadedDocument(entry, Snapshot(revision: revision, text: text))))
    }

    @Test("if the store fails, a reload is retried after one second")
    func retry() throws {
        for refusal in [StoreRefusal.full, .failed] {
            var world = try RoomWorld("ab")
            world.openQuietly(.ann)
            world.holds = \.isReload
            world.send(.renewed)
            world.drop()
            world.answer(\.isReload, .loaded(.failure(refusal)))
            world.pass(milliseconds: world.limits.retryMilliseconds - 1)
            #expect(world.held.isEmpty)
            world.pass(milliseconds: 1)
            #expect(world.held.map(\.isReload) == [true] && world.lines(.ann).isEmpty)
            world.release()
            world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
            #expect(world.text == "xab")
        }
    }

    @Test("a reload that is asked for while another one is under way runs after it, and only once")
    func again() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = \.isReload
        for _ in 0..<3 { world.send(.renewed) }
        for generation: UInt64 in 2...3 {
            #expect(world.held.map(\.isReload) == [true])
            world.drop()
            world.answer(\.isReload, try loaded(world, epoch: generation, at: 1, "x\(generation)"))
        }
        #expect(world.held.isEmpty && world.text == "x3")
    }

    /// Rule D13.
    @Test("a reload that finds the document damaged or gone closes the room")
    func refused() throws {
        for (refusal, reason, code) in [
            (StoreRefusal.damaged, "damaged", "damaged"), (.gone, "deleted", "not_found"),
        ] {
            var world = try RoomWorld("ab")
            world.openQuietly(.ann)
            world.holds = \.isReload
            world.send(.renewed)
            world.push(.bob, .text("abc"), base: 1, seq: 1)
            world.answer(\.isReload, .loaded(.failure(refusal)))
            let gone = #"{"type":"gone","doc":"notes","epoch":"1.1","reason":"\#(reason)"}"#
            #expect(world.lines(.ann) == [gone] && world.lines(.bob).codes == [code])
            world.open(.eve)
            #expect(world.lines(.eve).codes == [code] && world.isUnloaded)
        }
    }

    @Test("a reload runs before all waiting renames and deletions, and only once")
    func first() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = \.isRename
        try world.rename(to: "notes", by: .orderer)
        world.delete(by: .orderer)
        for _ in 0..<2 { world.send(.renewed) }
        var calls: [StoreCall] = []
        world.holds = { action in
            if let call = action.storeCall { calls.append(call) }
            return false
        }
        world.answer(\.isRename, .renamed(.exists))
        #expect(calls == [.load(world.document), .delete(world.document, at: world.time)])
        #expect(world.lines(.orderer).types == ["error", "done"])
    }

    /// Rule D12.
    @Test("a deletion is refused if the store finds the document damaged or gone")
    func orderRefused() throws {
        for (refusal, code, isReloaded) in [
            (StoreRefusal.full, "storage_full", false), (.gone, "not_found", true),
            (.damaged, "damaged", false),
        ] {
            var world = try RoomWorld("ab")
            world.openQuietly(.ann)
            world.holds = { $0.isDelete || $0.isReload }
            world.delete(by: .orderer)
            world.drop()
            world.answer(\.isDelete, .deleted(refusal))
            #expect(world.lines(.orderer).codes == [code])
            #expect(world.held.map(\.isReload) == (isReloaded ? [true] : []))
            #expect(world.lines(.ann).types == (refusal == .damaged ? ["gone"] : []))
            #expect(world.notices == [.deleted(refusal)])
        }
    }

    @Test("a slow session waits for the end of a pause, and is then served")
    func slowSession() throws {
        var world = try RoomWorld("ab", limits: .narrow)
        world.openQuietly(.ann, .bob)
        world.isWrittenAtOnce = false
        for number in 1...11 {
            world.push(.bob, [(0, 0, "x")], base: Revision(number), seq: Int64(number))
            world.reportWritten(.bob)
        }
        world.forget()
        world.holds = \.isRename
        try world.rename(to: "notes", by: .orderer)
        world.reportWritten(.ann)
        #expect(world.lines(.ann).isEmpty)
        world.release()
        #expect(world.lines(.orderer).codes == ["exists"] && world.lines(.ann).revisions == [3])
    }

    @Test("requests that wait during a pause are checked when it ends")
    func queued() throws {
        var world = try RoomWorld("ab")
        world.holds = \.isRename
        try world.rename(to: "notes", by: .orderer)
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        for person in [Person.bob, .eve] { world.open(person) }
        world.leave(.bob)
        world.release()
        #expect(world.lines(.ann).codes == ["not_open"] && world.text == "ab")
        #expect(world.lines(.bob).isEmpty && world.ended == [Person.bob.session])
        #expect(world.lines(.eve).types == ["opened"])
    }

    @Test("a push is validated again after a reload, though its session has ended")
    func pushOfEndedSession() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = \.isAppend
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        world.leave(.ann)
        world.answerAppend(.documentGone)
        world.release()
        #expect(world.text == "xab")
    }

    /// Ann's push was accepted before the rename, so it goes to the front of the queue.
    @Test("a push that is queued again is not confused with an equal push")
    func queuedAgain() throws {
        var world = try RoomWorld("ab")
        world.holds = { $0.isAppend || $0.isReload }
        world.push(.ann, .text("abc"), base: 1, seq: 1)
        try world.rename(to: "notes", by: .orderer)
        world.push(.bob, .text("abc"), base: 1, seq: 1)
        world.answerAppend(.documentGone)
        world.release()
        #expect(world.lines(.orderer).codes == ["exists"])
        #expect(world.lines(.ann).types == ["ack"] && world.lines(.bob).types == ["ack"])
        #expect(world.text == "abc" && world.room.head == 2)
    }

    @Test("after a reload the room ignores a head reported for the old epoch")
    func headOfOldEpoch() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = { $0.isAppend || $0.isRead || $0.isReload }
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        world.answerAppend(.conflict(head: 5))
        world.answer(\.isRead, .read(.failure(.refused(.gone))))
        world.answer(\.isReload, try loaded(world, epoch: 2, at: 1, "zz"))
        #expect(world.lines(.ann).types.sorted() == ["error", "resync"])
        world.drop()
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1, epoch: "2.1")
        world.answerAppend(.unknown)
        #expect(world.heldReads == [1])
        // The store has not committed the push, so the room appends it again.
        world.drop()
        let empty = HistorySlice(segment: Segment(first: 2, changes: []), head: 1)
        world.answer(\.isRead, .read(.success(empty)))
        #expect(world.held.map(\.isAppend) == [true] && !world.notes().foundDamage)
    }

    /// Rule B4.
    @Test("the room reports to the hub that the store has renewed the epochs")
    func renewalReported() throws {
        for trouble in [nil, StoreModel.Trouble.failed] {
            var world = try RoomWorld("ab")
            world.store.trouble = trouble
            world.open(.ann, from: ("1.1", 7))
            #expect(world.notices == (trouble == nil ? [.epochsRenewed] : []))
            // Bob's revision is beyond the head. If the store has refused a renewal, the room answers Bob at
            // once, and asks for no second renewal.
            world.holds = \.isRenewal
            world.open(.bob, from: (trouble == nil ? "2.1" : "1.1", 7))
            #expect(world.held.isEmpty == (trouble != nil) && world.lines(.bob).isEmpty == (trouble == nil))
        }
    }

    /// Rule C6. If `isLate` is true, the reload begins before the checksum of the old text is computed.
    @Test("after a reload no check has a checksum of the old text")
    func checksum() throws {
        for isLate in [false, true] {
            var world = try RoomWorld("ab")
            world.openQuietly(.ann)
            world.push(.bob, .text("abc"), base: 1, seq: 1)
            if isLate { world.holds = \.isSum }
            world.pass(milliseconds: world.limits.checkDelayMilliseconds)
            #expect(world.lines(.ann).types.contains("check") != isLate)
            world.holds = { $0.isReload || $0.isSum }
            world.send(.renewed)
            world.answer(\.isReload, try loaded(world, epoch: 2, at: 2, "zzz"))
            world.release()
            let kim = Person("kim", 9)
            world.open(kim, from: ("2.1", 2))
            world.pass(milliseconds: world.limits.retryMilliseconds)
            let checks = world.lines(kim).filter { $0.contains(#""type":"check""#) }
            let digits = String(crc32(of: try TextBuffer("zzz")), radix: 16)
            #expect(checks.count == 1 && checks.line(0).contains(digits))
        }
    }

    /// Rule C4. The store is replaced with an older copy, so the same revisions get other changes.
    @Test("after a reload no squashed change of the old history is sent")
    func squashed() throws {
        var world = try RoomWorld("ab")
        let older = world.store
        world.openQuietly(.ann)
        let histories: [(epoch: String, letter: String)] = [("1.1", "x"), ("2.1", "y")]
        for (index, history) in histories.enumerated() {
            if index == 1 {
                world.store = older.renewed(generation: 2)
                world.send(.renewed)
            }
            for number in 1...3 {
                world.push(
                    .ann, [(0, 0, history.letter)], base: Revision(number), seq: Int64(10 * index + number),
                    epoch: history.epoch)
            }
            let watcher = Person("kim", Int64(20 + index))
            world.open(watcher, from: (history.epoch, 1), .watch, squashes: true)
            let text = String(repeating: history.letter, count: 3)
            let change = #""rev":4,"from":1,"edits":[{"range":[0,0],"text":"\#(text)"}]"#
            #expect(world.lines(watcher).contains { $0.contains(change) })
        }
    }
}
