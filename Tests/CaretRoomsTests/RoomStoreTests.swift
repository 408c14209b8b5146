import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("Answers of the store to a room") struct RoomStoreTests {
    @Test(
        "a push that the store refuses gets an error, and can be sent again",
        arguments: [
            (AppendOutcome.diskFull, "storage_full"), (.diskFailed, "storage_failed"),
            (.invalidChange, "internal"),
        ])
    func refused(outcome: AppendOutcome, code: String) throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = \.isAppend
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        world.answerAppend(outcome)
        #expect(world.lines(.ann).codes == [code])
        world.holds = { _ in false }
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        #expect(world.text == "xab")
    }

    @Test(
        "an append of unknown outcome is repeated only if it was not committed",
        arguments: [true, false])
    func unknownOutcome(isThere: Bool) throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = \.isAppend
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1, id: .number(3))
        guard case .append(let append)? = world.heldCalls.first else { throw Unexpected(what: "no append") }
        if isThere { _ = world.store.append(append) }
        world.holds = { _ in false }
        world.answerAppend(.unknown)
        #expect(world.lines(.ann) == [#"{"type":"ack","id":3,"doc":"notes","seq":1,"rev":2}"#])
        #expect(world.text == "xab")
        #expect(try world.store.text(of: world.document, at: nil).get().text == TextBuffer("xab"))
    }

    /// The room reads the log in two parts. The first part contains Ann's push, whose append had an unknown
    /// outcome.
    @Test("a push during a catch-up is not replaced by its pusher's previous push")
    func pushDuringCatchUp() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = { $0.isAppend || $0.isRead }
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        guard case .append(let append)? = world.heldCalls.first else { throw Unexpected(what: "no append") }
        _ = world.store.append(append)
        try world.commitElsewhere([(0, 0, "z")])
        world.answerAppend(.unknown)
        let part = HistorySlice(segment: Segment(first: 2, changes: append.changes.map(\.logged)), head: 3)
        world.drop()
        world.answer(\.isRead, .read(.success(part)))
        #expect(world.lines(.ann).types == ["ack"] && world.heldReads == [2])
        world.push(.ann, [(3, 3, "!")], base: 2, seq: 2)
        world.release()
        #expect(world.text == "zxab!" && world.lines(.ann).revisions == [3, 4])
    }

    /// The runner answers each call once, but the room does not depend on that.
    @Test("a second answer to a call of the room is ignored")
    func secondAnswer() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        let second = RoomEvent.answered(CallID(1), .pusher(.failure(.damaged)))
        world.send(second)
        world.holds = \.isAppend
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        world.send(second)
        #expect(world.lines(.ann).isEmpty && world.held.count == 1)
        world.release()
        #expect(world.lines(.ann).types == ["ack"] && world.text == "xab")
    }

    /// Rule P12.
    @Test("while an outcome is unknown, the room retries and acks no push")
    func unknownForLong() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = { $0.isAppend || $0.isRead }
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        world.answerAppend(.unknown)
        world.push(.ann, [(0, 0, "y")], base: 1, seq: 2)
        #expect(world.lines(.ann).codes == ["push_in_flight"])
        #expect(world.heldReads == [1])
        world.holds = { _ in false }
        world.answer(\.isRead, .read(.failure(.refused(.failed))))
        #expect(world.lines(.ann).isEmpty && world.room.head == 1)
        world.pass(milliseconds: 1_000)
        #expect(world.lines(.ann).revisions == [2])
    }

    @Test("after a conflict the room applies the other revision and rebases")
    func conflict() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = \.isAppend
        world.push(.ann, [(2, 2, "!")], base: 1, seq: 1)
        try world.commitElsewhere([(0, 0, "other ")])
        world.release()
        #expect(world.text == "other ab!")
        #expect(
            world.lines(.ann) == [
                #"{"type":"change","doc":"notes","rev":2,"edits":[{"range":[0,0],"text":"other "}],"user":"zoe","client":"p-zoe-client","time":1001}"#,
                #"{"type":"ack","doc":"notes","seq":1,"rev":3,"edits":[{"range":[8,8],"text":"!"}]}"#,
            ])
    }

    @Test("after two conflicts in a row the room appends under the store's lock")
    func locked() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.holds = { $0.isAppend || $0.isAppendLocked }
        world.push(.ann, [(2, 2, "!")], base: 1, seq: 1)
        world.push(.bob, .text("ab?"), base: 1, seq: 1)
        for number in 1...2 {
            try world.commitElsewhere([(0, 0, "\(number)")], seq: Int64(number))
            guard case .append(let append)? = world.heldCalls.first else {
                throw Unexpected(what: "no append")
            }
            let outcome = world.store.append(append)
            world.answerAppend(outcome)
        }
        #expect(world.held.count == 1 && world.held.first?.isAppendLocked == true)
        try world.commitElsewhere([(0, 0, "3")], seq: 3)
        world.release()
        #expect(world.text == "321ab!?" && world.room.head == 6)
        #expect(world.lines(.ann).revisions == [2, 3, 4, 5, 6])
        // The room missed a change under the lock, so its next append uses the lock too.
        world.holds = \.isAppendLocked
        world.push(.ann, [(0, 0, "x")], base: 6, seq: 2)
        #expect(world.held.count == 1)
    }

    /// The append may or may not use the store's lock.
    @Test("a push that another server has committed is not committed again")
    func committedElsewhere() throws {
        for isLocked in [true, false] {
            var world = try RoomWorld("ab")
            let digest = try #require(world.digest(ofTextAt: 1, "abc"))
            world.openQuietly(.ann)
            world.holds = { $0.isAppend || $0.isAppendLocked }
            world.push(.ann, .text("abc"), base: 1, seq: 5, id: .number(8))
            if isLocked {
                for number in 1...2 {
                    try world.commitElsewhere([(0, 0, "z")], seq: Int64(number))
                    world.answerAppend(.conflict(head: Revision(1 + number)))
                }
            }
            let end = isLocked ? 4 : 2
            try world.commitElsewhere(
                [(end, end, "c")], by: Person.ann.participant.pusher, seq: 5, digest: digest)
            world.release()
            #expect(world.text == (isLocked ? "zzabc" : "abc"))
            let acks = world.lines(.ann).filter { $0.contains(#""type":"ack""#) }
            #expect(acks.count == 2)
            #expect(acks.last?.contains(#""id":8"#) == true || acks.first?.contains(#""id":8"#) == true)
            #expect(acks.filter { $0.contains(#""duplicate":true"#) }.count == 1)
        }
    }

    @Test("if a document reported as gone still exists, the push is committed")
    func notGone() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = \.isAppend
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        world.answerAppend(.documentGone)
        world.release()
        #expect(world.lines(.ann) == [#"{"type":"ack","doc":"notes","seq":1,"rev":2}"#])
    }

    @Test("a document deleted by another server is gone for all its sessions")
    func gone() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        _ = world.store.delete(world.document, at: 9)
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        #expect(
            world.lines(.ann) == [
                #"{"type":"error","doc":"notes","seq":1,"code":"not_found","message":"there is no such document"}"#,
                #"{"type":"gone","doc":"notes","epoch":"1.1","reason":"deleted"}"#,
            ])
        #expect(world.lines(.bob) == [#"{"type":"gone","doc":"notes","epoch":"1.1","reason":"deleted"}"#])
        #expect(world.ended == [Person.ann.session, Person.bob.session] && world.isUnloaded)
    }

    /// Rule D13.
    @Test("a damaged document is closed for all sessions, and refuses requests")
    func damaged() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.store.damage(world.document)
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        #expect(world.lines(.ann).types == ["error", "gone"])
        #expect(world.lines(.bob) == [#"{"type":"gone","doc":"notes","epoch":"1.1","reason":"damaged"}"#])
        world.open(.eve)
        world.push(.joe, .text("x"), base: 1, seq: 1)
        world.delete(by: .orderer)
        #expect(world.lines(.eve).codes == ["damaged"] && world.lines(.joe).codes == ["damaged"])
        #expect(world.lines(.orderer).codes == ["damaged"])
        #expect(world.isUnloaded && world.room.isIdle)
    }

    /// Rule D13.
    @Test("a stored change that does not fit the text is damage")
    func misfit() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = { $0.isAppend || $0.isRead }
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        world.answerAppend(.conflict(head: 2))
        let misfit = try SampleLog.change(
            Change([SampleChange.edit(9, 9, "x")]), in: TextBuffer("0123456789"), seq: 1)
        let reading = HistorySlice(segment: Segment(first: 2, changes: [misfit]), head: 2)
        world.answer(\.isRead, .read(.success(reading)))
        #expect(world.lines(.ann).codes == ["damaged"])
        #expect(world.ended == [Person.ann.session])
    }

    /// Rule D13.
    @Test("nothing is appended after a stored change that does not fit")
    func misfitLocked() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = { $0.isAppend || $0.isAppendLocked }
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        for number in 1...2 {
            try world.commitElsewhere([(0, 0, "z")], seq: Int64(number))
            world.answerAppend(.conflict(head: Revision(1 + number)))
        }
        guard case .appendLocked(_, let rebase)? = world.heldCalls.first else {
            throw Unexpected(what: "no append under the lock")
        }
        let misfit = try SampleLog.change(
            Change([SampleChange.edit(9, 9, "x")]), in: TextBuffer("0123456789"), seq: 3)
        #expect(rebase.changes([]).count == 1)
        #expect(rebase.changes([misfit]).isEmpty)
    }

    /// Rule B4.
    @Test("an open beyond the head renews the epochs, and all sessions resync")
    func knowsMore() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.holds = \.isRenewal
        world.open(.eve, id: .number(1), from: ("1.1", 7))
        #expect(world.heldCalls == [.renewEpochs(known: 7, of: world.document)] && world.lines(.eve).isEmpty)
        // Eve knows revision 7, but the store has only revision 1, so it may be an older copy. The room
        // answers nobody until the epochs are renewed.
        world.push(.bob, [(0, 0, "x")], base: 1, seq: 1)
        #expect(world.lines(.bob).isEmpty)
        world.release()
        let eve = world.lines(.eve)
        #expect(
            eve.count == 1 && eve[0].contains(#""id":1,"doc":"notes","epoch":"2.1","rev":1,"resumed":false"#))
        for person in [Person.ann, .bob] {
            let lines = world.lines(person)
            #expect(lines.contains { $0.contains(#""type":"resync","doc":"notes","epoch":"2.1","rev":1"#) })
        }
        #expect(world.text == "ab")
        // After the renewal, a client with a revision beyond the head is at fault, so the epochs are not
        // renewed again.
        let joe = Person("jim", 8)
        world.open(joe, from: ("2.1", 9))
        #expect(world.lines(joe)[0].contains(#""epoch":"2.1","rev":1,"resumed":false"#))
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1, epoch: "2.1")
        #expect(world.text == "xab")
    }

    /// Rule B4.
    @Test("a client that may only read cannot renew the epochs, and gets the text")
    func readerKnowsMore() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        _ = world.notes()
        world.open(.eve, from: ("1.1", 7), rights: .read)
        #expect(world.heldCalls.isEmpty && world.notices.isEmpty && world.lines(.ann).isEmpty)
        let eve = world.lines(.eve)
        #expect(eve.count == 1 && eve[0].contains(#""epoch":"1.1","rev":1,"resumed":false,"text":"ab""#))
        #expect(world.notes().readersAhead == [Person.eve.session])
        // A client that may write still can.
        world.open(.bob, from: ("1.1", 7))
        #expect(world.notices == [.epochsRenewed])
    }

    /// The other sessions are not affected.
    @Test("if the renewal of the epochs fails, the client still gets the text")
    func cannotRenew() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.store.trouble = .full
        world.open(.eve, from: ("1.1", 7))
        #expect(world.lines(.eve).types == ["opened"] && world.lines(.ann).isEmpty)
        world.store.trouble = nil
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        #expect(world.text == "xab")
    }

    @Test("a renewal of the epochs during a rename takes effect after the rename")
    func renewedWhileRenaming() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = \.isRename
        try world.rename(to: "other", by: .orderer)
        _ = world.store.renewEpochs()
        world.send(.renewed)
        world.release()
        world.name = "other"
        world.open(.bob)
        #expect(world.lines(.bob)[0].contains(#""doc":"other","epoch":"2.1""#))
    }

    /// Rules C5 and S10.
    @Test("after a renewal all sessions resync, and pushes to the old epoch fail")
    func epochRenewed() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.select(.bob, [(1, 1)], at: 1)
        world.forget()
        world.holds = { $0.isAppend || $0.isReload }
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        world.answerAppend(.documentGone)
        #expect(world.held.map(\.isReload) == [true])
        world.open(.eve)
        let old = try world.store.entry(of: world.document).get()
        let entry = DocumentEntry(
            id: old.id, name: old.name, epoch: Epoch(generation: 2, document: 1), head: 4, start: 4,
            length: old.length, updated: 5, lineBreak: .crlf)
        let text = try TextBuffer("other")
        world.answer(\.isReload, .loaded(.success(LoadedDocument(entry, Snapshot(revision: 4, text: text)))))
        let lines = world.lines(.ann)
        #expect(lines.codes == ["epoch_changed"])
        #expect(
            lines.contains(
                #"{"type":"resync","doc":"notes","epoch":"2.1","rev":4,"text":"other","reason":"epoch"}"#))
        world.pass(milliseconds: 50)
        #expect(
            world.lines(.ann) == [#"{"type":"peer","doc":"notes","session":"s2","rev":4,"selections":[]}"#])
        #expect(world.lines(.bob).types == ["resync"])
        #expect(
            world.lines(.eve).line(0).contains(
                #""epoch":"2.1","rev":4,"text":"other","rights":"write","newline":"crlf""#))
    }

    /// Rule S10.
    @Test("if another server trims a room's head, the room reloads the document")
    func leftBehind() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.bob)
        world.select(.bob, [(1, 1)], at: 1)
        let ann = Person.ann.participant.pusher
        for number in 1...4 { try world.commitElsewhere([(0, 0, "x")], by: ann, seq: Int64(number)) }
        _ = world.store.trim(world.document, through: 3)
        world.open(.ann)
        let opened = world.lines(.ann).line(0)
        #expect(opened.contains(#""rev":5,"text":"xxxxab""#))
        #expect(opened.contains(#""client":"p-bob-client","selections":[]"#))
        #expect(
            world.lines(.bob) == [
                #"{"type":"resync","doc":"notes","epoch":"1.1","rev":5,"text":"xxxxab","reason":"trimmed"}"#
            ])
    }

    @Test("after another server's rename, changes are sent under the new name")
    func renamedElsewhere() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.push(.bob, [(0, 0, "x")], base: 1, seq: 1)
        #expect(world.lines(.ann).revisions == [2])
        world.holds = \.isLookUp
        world.open(.eve)
        _ = world.store.rename(world.document, to: try DocumentName("other"))
        world.answer(\.isLookUp, .pusher(.failure(.gone)))
        #expect(world.lines(.ann) == [#"{"type":"gone","doc":"notes","epoch":"1.1","reason":"deleted"}"#])
        world.holds = { _ in false }
        world.name = "other"
        world.open(.joe, from: ("1.1", 1))
        #expect(world.lines(.joe).allSatisfy { $0.contains(#""doc":"other""#) })
        world.open(.ann.back(5), from: ("1.1", 1))
        let lines = world.lines(.ann.back(5))
        #expect(lines.revisions == [2] && lines.allSatisfy { $0.contains(#""doc":"other""#) })
    }

    /// Rule D13.
    @Test("a store head below the room's head marks the document as damaged")
    func headLower() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = { $0.isAppend || $0.isReload }
        world.push(.ann, .text("abc"), base: 1, seq: 1)
        world.answerAppend(.documentGone)
        let entry = try world.store.entry(of: world.document).get()
        world.answer(
            \.isReload, .loaded(.success(LoadedDocument(entry, Snapshot(revision: 0, text: TextBuffer())))))
        #expect(world.lines(.ann).types == ["error", "gone"])
    }

    // MARK: A store that contradicts itself

    /// A room at revision 4. Bob and Ann have the document open, and Ann pushed the last revision.
    private func contradicted() throws -> RoomWorld {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.push(.bob, [(0, 0, "x")], base: 1, seq: 1)
        world.push(.bob, [(0, 0, "x")], base: 2, seq: 2)
        world.push(.ann, [(0, 0, "y")], base: 3, seq: 5)
        world.forget()
        return world
    }

    private func expectDamaged(_ world: inout RoomWorld, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(
            world.lines(.bob).last == #"{"type":"gone","doc":"notes","epoch":"1.1","reason":"damaged"}"#,
            sourceLocation: sourceLocation)
        #expect(world.held.isEmpty && world.notes().foundDamage, sourceLocation: sourceLocation)
        world.forget()
        world.open(.eve)
        #expect(world.lines(.eve).codes == ["damaged"], sourceLocation: sourceLocation)
    }

    @Test("a pusher entry with a revision beyond the answer's head is damage")
    func pusherBeyondHead() throws {
        var world = try contradicted()
        world.holds = { $0.isLookUp || $0.isRead }
        world.open(.eve)
        let entry = PusherEntry(seq: 1, revision: 9, digest: Digest(.zero), used: 1)
        world.drop()
        world.answer(\.isLookUp, .pusher(.success(PusherAnswer(entry: entry, head: 4))))
        expectDamaged(&world)
    }

    /// The room must not retry the read forever.
    @Test("a log that ends before the head that the store reported is damage")
    func headOutOfReach() throws {
        var world = try contradicted()
        world.holds = { $0.isLookUp || $0.isRead }
        world.open(.eve)
        let entry = PusherEntry(seq: 1, revision: 9, digest: Digest(.zero), used: 1)
        world.drop()
        world.answer(\.isLookUp, .pusher(.success(PusherAnswer(entry: entry, head: 9))))
        #expect(world.heldReads == [4])
        world.release()
        expectDamaged(&world)
    }

    @Test(
        "a conflict that names the room's own head or a lower one is damage",
        arguments: [2, 4] as [Revision])
    func conflictBehind(head: Revision) throws {
        var world = try contradicted()
        world.holds = \.isAppend
        world.push(.ann, [(0, 0, "z")], base: 4, seq: 6)
        world.answerAppend(.conflict(head: head))
        expectDamaged(&world)
    }

    @Test("it is damage if the log has a newer push than the pusher's entry")
    func outdatedPusher() throws {
        var world = try contradicted()
        world.leave(.ann)
        world.holds = \.isLookUp
        world.push(.ann, .text("yxxab!"), base: 3, seq: 5)
        world.drop()
        let old = PusherEntry(seq: 4, revision: 2, digest: Digest(.zero), used: 1)
        world.answer(\.isLookUp, .pusher(.success(PusherAnswer(entry: old, head: 4))))
        expectDamaged(&world)
    }

    @Test(
        "a logged push of a forgotten pusher is acked, and not committed again",
        arguments: [3, 2] as [Revision], [true, false])
    func forgottenPusher(base: Revision, isInWindow: Bool) throws {
        var world = try contradicted()
        if !isInWindow { world.boundWindow(to: 1) }
        world.leave(.ann)
        world.holds = \.isLookUp
        world.push(.ann, .text("yxxab!"), base: base, seq: 5)
        world.drop()
        world.answer(\.isLookUp, .pusher(.success(PusherAnswer(entry: nil, head: 4))))
        #expect(
            world.lines(.ann) == [
                #"{"type":"ack","doc":"notes","seq":5,"rev":4,"edits":[{"range":[0,0],"text":"y"}],"duplicate":true}"#
            ])
        #expect(world.room.head == 4)
        world.push(.ann, .text("yxxab!"), base: base, seq: 4)
        world.drop()
        world.answer(\.isLookUp, .pusher(.success(PusherAnswer(entry: nil, head: 4))))
        let lines = world.lines(.ann)
        #expect(lines.codes == ["seq_reused"] && world.room.head == 4)
        #expect(lines.line(0).contains("seq 4 was skipped: revision 4 is your push with seq 5"))
    }

}

extension RoomWorld {
    /// The digest by which the room recognises a repeat of this text.
    func digest(ofTextAt base: Revision, _ text: String) -> Digest? {
        let content = RoomPush.Content.text(WireString(text))
        return RoomWorld.digest(content, base)
    }
}
