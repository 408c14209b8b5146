import CaretCore
import CaretReplica
import CaretWire
import TestSupport
import Testing

@Suite("Refused pushes of a replica") struct RefusalTests {
    /// A replica at revision 2, with "X" in flight after "abc". The last `changes` revisions came after the
    /// push.
    private func inFlight(changes: Int = 1) throws -> Conversation {
        var talk = try Conversation.opened("abc", at: Revision(2 - changes))
        _ = try talk.type(edit(3, 3, "X"))
        for revision in (3 - changes)..<3 { _ = talk.receive(.changed(Revision(revision), edit(0, 0, "1"))) }
        return talk
    }

    @Test(
        "after a temporary refusal the push is resent later",
        arguments: [
            Refusal.rateLimited, .overloaded, .storageFull, .storageFailed, .internalFault, .shuttingDown,
            .pushInFlight,
        ])
    func temporary(refusal: Refusal) throws {
        var talk = try inFlight()
        #expect(talk.receive(.refused(1, refusal, after: 70)) == [.retry(after: 70)])
        #expect(try talk.type(edit(0, 0, "y")) == [])
        #expect(talk.wait() == [.push(1, base: 1, edit(3, 3, "X"))])
        #expect(talk.wait() == [])
    }

    @Test("if the server gives no delay, the retry delay doubles until an ack")
    func backoff() throws {
        var talk = try inFlight()
        for time in [500, 1000, 2000, 4000, 8000, 16000, 30000, 30000] as [Milliseconds] {
            #expect(talk.receive(.refused(1, .overloaded)) == [.retry(after: time)])
            _ = talk.wait()
        }
        _ = talk.receive(.acked(1, 3, [edit(4, 4, "X")]))
        _ = try talk.type(edit(0, 0, "y"))
        #expect(talk.receive(.refused(2, .overloaded)) == [.retry(after: 500)])
    }

    @Test("the replica limits the server's delay to between 1 ms and 5 min")
    func bounded() throws {
        var talk = try inFlight()
        #expect(talk.receive(.refused(1, .rateLimited, after: 9_000_000)) == [.retry(after: 300_000)])
        #expect(talk.retry() == [.push(1, base: 1, edit(3, 3, "X"))])
        #expect(talk.receive(.refused(1, .rateLimited, after: -5)) == [.retry(after: 1)])
    }

    @Test("after a reconnect, a refused push is resent without a delay")
    func delayEnds() throws {
        var talk = try inFlight()
        _ = talk.receive(.refused(1, .rateLimited, after: 70))
        _ = talk.disconnect()
        _ = talk.connect()
        #expect(talk.receive(.resumed(at: 2)) == [.push(1, base: 1, edit(3, 3, "X")), .show(.sending)])
    }

    @Test("a retry by the user or a reconnect resets the retry delays")
    func delaysStartAgain() throws {
        var talk = try inFlight()
        #expect(talk.receive(.refused(1, .overloaded)) == [.retry(after: 500)])
        _ = talk.retry()
        #expect(talk.receive(.refused(1, .overloaded)) == [.retry(after: 500)])
        _ = talk.wait()
        #expect(talk.receive(.refused(1, .overloaded)) == [.retry(after: 1_000)])
        _ = talk.disconnect()
        _ = talk.connect()
        _ = talk.receive(.resumed(at: 2))
        #expect(talk.receive(.refused(1, .overloaded)) == [.retry(after: 500)])
    }

    @Test("a local refusal of a push applies only while the document is open")
    func refusedByOwner() throws {
        var replica = try inFlight().replica
        #expect(replica.pushRefused(ErrorReport(.lineTooLong, seq: 1)) == [.show(.refused(.lineTooLong))])
        replica = try inFlight().replica
        _ = replica.disconnected()
        #expect(replica.pushRefused(ErrorReport(.notOpen, seq: 1)) == [])
    }

    /// Rules L2 and P20.
    @Test(
        "edits that need a decision by the user stay refused until a retry",
        arguments: [Refusal.tooLarge, .badText, .badEdits, .lineTooLong, .forbidden, .other])
    func needsUser(refusal: Refusal) throws {
        var talk = try inFlight()
        #expect(talk.receive(.refused(1, refusal)) == [.show(.refused(refusal))])
        #expect(try talk.type(edit(4, 5, "")) == [])
        #expect(try talk.type(edit(4, 4, "Y")) == [])
        #expect(talk.text == "1abcY")
        #expect(talk.retry() == [.push(2, base: 2, edit(4, 4, "Y")), .show(.sending)])
    }

    /// Rule L6.
    @Test("after an unknown error code for a push, the user must decide")
    func unknownCode() throws {
        var talk = try inFlight()
        var error = ErrorReport(.internal, "no", document: ServerMessage.document, seq: 1)
        error.code = .unknown("too_blue")
        #expect(talk.receive(.error(error)) == [.show(.refused(.other))])
    }

    @Test("if a refused push was sent twice, a retry first reopens the document")
    func severalCopies() throws {
        var talk = try inFlight()
        _ = talk.disconnect()
        _ = talk.connect()
        _ = talk.receive(.resumed(at: 2))
        _ = talk.receive(.refused(1, .tooLarge))
        var other = talk
        #expect(talk.retry() == [.close, .open(from: 2), .show(.offline)])
        #expect(talk.receive(.resumed(at: 2)) == [.push(2, base: 2, edit(4, 4, "X")), .show(.sending)])
        _ = other.retry()
        #expect(other.receive(.resumed(at: 2, own: OwnPush(1, at: 3))) == [.show(.sending)])
        #expect(other.receive(.acked(1, 3, [edit(4, 4, "X")])) == [.show(.saved)])
    }

    @Test("refused edits stay refused after a reconnect")
    func staysRefused() throws {
        var talk = try inFlight()
        _ = talk.receive(.refused(1, .tooLarge))
        #expect(talk.disconnect() == [])
        #expect(talk.connect() == [.open(from: 2)])
        #expect(talk.receive(.resumed(at: 2)) == [])
        #expect(talk.retry() == [.push(2, base: 2, edit(4, 4, "X")), .show(.sending)])
    }

    @Test("a discard removes only the user's unsaved edits from the shown text")
    func discarded() throws {
        var talk = try inFlight()
        _ = talk.receive(.refused(1, .tooLarge))
        _ = try talk.type(edit(1, 2, "A"))
        #expect(talk.discard() == [.edit(edit(1, 2, "a"), edit(4, 5, "")), .show(.saved)])
        #expect(talk.text == "1abc")
    }

    @Test("if a discarded push is committed, its edits appear again")
    func discardedTooLate() throws {
        var talk = try inFlight()
        #expect(talk.discard() == [.edit(edit(4, 5, "")), .show(.saved)])
        #expect(talk.receive(.acked(1, 3, [edit(4, 4, "X")])) == [.edit(edit(4, 4, "X"))])
    }

    @Test("an ack is accepted even if another copy of its push was refused")
    func refusedAndAcked() throws {
        var talk = try inFlight()
        _ = talk.receive(.refused(1, .tooLarge))
        #expect(talk.receive(.acked(1, 3, [edit(4, 4, "X")])) == [.show(.saved)])
        #expect(talk.text == "1abcX")
    }

    @Test(
        "if a push's base is too old, its edits are sent in a new push",
        arguments: [Refusal.baseTrimmed, .baseBeforeOwnPush])
    func resubmitted(refusal: Refusal) throws {
        var talk = try inFlight()
        #expect(talk.receive(.refused(1, refusal)) == [.push(2, base: 2, edit(4, 4, "X"))])
        #expect(talk.receive(.refused(1, refusal)) == [])
    }

    @Test(
        "if the server's text may differ, it is loaded before edits are resent",
        arguments: [
            (Refusal.baseAhead, 1), (.badRange, 1), (.epochChanged, 1), (.baseTrimmed, 0),
            (.baseBeforeOwnPush, 0),
        ])
    func resubmittedAfterFullText(refusal: Refusal, changes: Int) throws {
        var talk = try inFlight(changes: changes)
        #expect(talk.receive(.refused(1, refusal)) == [.close, .openFullText, .show(.offline)])
        let actions = talk.receive(.opened("abcd", at: 2))
        #expect(actions.contains { if case .push(let push) = $0 { push.seq == 2 } else { false } })
        #expect(talk.text == "abcdX")
    }

    @Test("a push number that was already used is skipped")
    func seqReused() throws {
        var talk = try inFlight()
        #expect(talk.receive(.refused(1, .seqReused)) == [.close, .open(from: 2), .show(.offline)])
        let known = OwnPush(6, at: 1)
        #expect(
            talk.receive(.resumed(at: 2, own: known)) == [
                .push(7, base: 2, edit(4, 4, "X")), .show(.sending),
            ])
    }

    @Test("edits are resubmitted three times in a row, then the user decides")
    func maxResubmissions() throws {
        var talk = try inFlight()
        refuseThreeTimes(&talk)
        var other = talk
        #expect(talk.receive(.refused(4, .baseTrimmed)) == [.show(.refused(.baseTrimmed))])
        // After a retry by the user, and after an ack, the refusals are counted from 0 again.
        _ = talk.retry()
        _ = talk.receive(.changed(6, edit(0, 0, "1")))
        let retried = talk.receive(.refused(5, .baseTrimmed))
        #expect(isPush(retried))
        _ = other.receive(.acked(4, 6, [edit(7, 7, "X")]))
        _ = try other.type(edit(0, 0, "y"))
        _ = other.receive(.changed(7, edit(0, 0, "1")))
        let acked = other.receive(.refused(5, .baseTrimmed))
        #expect(isPush(acked))
    }

    /// Refuses the pushes 1 to 3. After each refusal, another client changes the text.
    private func refuseThreeTimes(_ talk: inout Conversation) {
        for (seq, revision) in [(1, 3), (2, 4), (3, 5)] as [(Seq, Revision)] {
            let actions = talk.receive(.refused(seq, .baseTrimmed))
            #expect(isPush(actions))
            _ = talk.receive(.changed(revision, edit(0, 0, "1")))
        }
    }

    private func isPush(_ actions: [ReplicaAction]) -> Bool {
        actions.contains { if case .push = $0 { true } else { false } }
    }

    @Test("edits of refused repeats get a new push if the server knows the client")
    func known() throws {
        // In the first case, the server has acked a push since the document was opened, so it knows the
        // client.
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "d"))
        _ = talk.receive(.acked(1, 2))
        _ = try talk.type(edit(4, 4, "X"))
        _ = talk.receive(.changed(3, edit(0, 0, "1")))
        _ = talk.receive(.refused(2, .overloaded))
        _ = talk.wait()
        #expect(talk.receive(.refused(2, .baseTrimmed)) == [.push(3, base: 3, edit(5, 5, "X"))])
        // In the second case, the answer to `open` names an earlier push of the client.
        talk = try inFlight()
        _ = talk.disconnect()
        _ = talk.connect()
        _ = talk.receive(.resumed(at: 2, own: OwnPush(0, at: 1)))
        #expect(talk.receive(.refused(1, .baseTrimmed)) == [.push(2, base: 2, edit(4, 4, "X"))])
    }

    @Test("edits of a push that the server may have forgotten get no new push")
    func forgotten() throws {
        var talk = try inFlight()
        _ = talk.disconnect()
        _ = talk.connect()
        _ = talk.receive(.resumed(at: 2))
        #expect(talk.receive(.refused(1, .baseTrimmed)) == [.show(.refused(.baseTrimmed))])
    }

    @Test(
        "if a document is missing or damaged, its push is kept and resent later",
        arguments: [
            Refusal.notFound, .damaged,
        ])
    func hidden(refusal: Refusal) throws {
        var talk = try inFlight()
        #expect(talk.receive(.refused(1, refusal)) == [.show(.refused(refusal))])
        #expect(talk.retry() == [.open(from: 2), .show(.offline)])
        #expect(talk.receive(.resumed(at: 2)) == [.push(1, base: 1, edit(3, 3, "X")), .show(.sending)])
    }

    @Test("after `not_open` the replica reopens the document and resends its push")
    func notOpen() throws {
        var talk = try inFlight()
        #expect(talk.receive(.refused(1, .notOpen)) == [.close, .open(from: 2), .show(.offline)])
        #expect(talk.receive(.resumed(at: 2)) == [.push(1, base: 1, edit(3, 3, "X")), .show(.sending)])
    }

    @Test("forbidden edits are sent after the right to write is granted")
    func allowedAgain() throws {
        var talk = try inFlight()
        _ = talk.receive(.refused(1, .forbidden))
        #expect(talk.receive(.granted(.read)) == [])
        var other = talk
        #expect(talk.receive(.granted(.write)) == [.push(2, base: 2, edit(4, 4, "X")), .show(.sending)])
        _ = other.disconnect()
        _ = other.connect()
        #expect(other.receive(.resumed(at: 2)) == [.push(2, base: 2, edit(4, 4, "X")), .show(.sending)])
    }

    @Test("the refusal of a push that is not in flight is ignored")
    func stale() throws {
        var talk = try inFlight()
        #expect(talk.receive(.refused(9, .tooLarge)) == [])
        _ = talk.disconnect()
        #expect(talk.receive(.refused(1, .tooLarge)) == [])
    }
}
