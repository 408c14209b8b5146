import CaretCore
import CaretReplica
import CaretWire
import TestSupport
import Testing

@Suite("Refusals") struct RefusalTests {
    /// One with "X" in flight behind "abc", at revision 2 of which the first `changes` came after the push.
    private func inFlight(changes: Int = 1) throws -> Conversation {
        var talk = try Conversation.opened("abc", at: Revision(2 - changes))
        _ = try talk.type(edit(3, 3, "X"))
        for revision in (3 - changes)..<3 { _ = talk.hear(.changed(Revision(revision), edit(0, 0, "1"))) }
        return talk
    }

    @Test(
        "what passes is sent again word for word after some time",
        arguments: [
            Refusal.rateLimited, .overloaded, .storageFull, .storageFailed, .internalFault, .shuttingDown,
            .pushInFlight,
        ])
    func passing(refusal: Refusal) throws {
        var talk = try inFlight()
        #expect(talk.hear(.refused(1, refusal, after: 70)) == [.retry(after: 70)])
        #expect(try talk.type(edit(0, 0, "y")) == [])
        #expect(talk.wait() == [.push(1, base: 1, edit(3, 3, "X"))])
        #expect(talk.wait() == [])
    }

    @Test("without a time of the server's each wait is twice as long, and an ack begins anew")
    func backoff() throws {
        var talk = try inFlight()
        for time in [500, 1000, 2000, 4000, 8000, 16000, 30000, 30000] as [Milliseconds] {
            #expect(talk.hear(.refused(1, .overloaded)) == [.retry(after: time)])
            _ = talk.wait()
        }
        _ = talk.hear(.acked(1, 3, [edit(4, 4, "X")]))
        _ = try talk.type(edit(0, 0, "y"))
        #expect(talk.hear(.refused(2, .overloaded)) == [.retry(after: 500)])
    }

    @Test("no wish of a server makes a person wait for more than five minutes, or for less than nothing")
    func bounded() throws {
        var talk = try inFlight()
        #expect(talk.hear(.refused(1, .rateLimited, after: 9_000_000)) == [.retry(after: 300_000)])
        #expect(talk.retry() == [.push(1, base: 1, edit(3, 3, "X"))])
        #expect(talk.hear(.refused(1, .rateLimited, after: -5)) == [.retry(after: 1)])
    }

    /// Rules L2 and P20.
    @Test(
        "what only its owner can help is kept and shown as refused, and goes out anew when they say so",
        arguments: [Refusal.tooLarge, .badText, .badEdits, .lineTooLong, .forbidden, .other])
    func asks(refusal: Refusal) throws {
        var talk = try inFlight()
        #expect(talk.hear(.refused(1, refusal)) == [.show(.refused(refusal))])
        #expect(try talk.type(edit(4, 5, "")) == [])
        #expect(try talk.type(edit(4, 4, "Y")) == [])
        #expect(talk.text == "1abcY")
        #expect(talk.retry() == [.push(2, base: 2, edit(4, 4, "Y")), .show(.sending)])
    }

    /// Rule L6.
    @Test("a code that is not known is a refusal that only its owner can help, and the connection stays")
    func unknownCode() throws {
        var talk = try inFlight()
        var error = ErrorReport(.internal, "no", document: ServerMessage.document, seq: 1)
        error.code = .unknown("too_blue")
        #expect(talk.hear(.error(error)) == [.show(.refused(.other))])
    }

    @Test("where another copy may do better, the document is opened behind all of them first")
    func severalCopies() throws {
        var talk = try inFlight()
        _ = talk.cutOff()
        _ = talk.connect()
        _ = talk.hear(.resumed(at: 2))
        _ = talk.hear(.refused(1, .tooLarge))
        var other = talk
        #expect(talk.retry() == [.close, .open(from: 2), .show(.offline)])
        #expect(talk.hear(.resumed(at: 2)) == [.push(2, base: 2, edit(4, 4, "X")), .show(.sending)])
        _ = other.retry()
        #expect(other.hear(.resumed(at: 2, own: OwnPush(1, at: 3))) == [.show(.sending)])
        #expect(other.hear(.acked(1, 3, [edit(4, 4, "X")])) == [.show(.saved)])
    }

    @Test("what is refused stays so over a new connection")
    func staysRefused() throws {
        var talk = try inFlight()
        _ = talk.hear(.refused(1, .tooLarge))
        #expect(talk.cutOff() == [])
        #expect(talk.connect() == [.open(from: 2)])
        #expect(talk.hear(.resumed(at: 2)) == [])
        #expect(talk.retry() == [.push(2, base: 2, edit(4, 4, "X")), .show(.sending)])
    }

    @Test("what is given up goes from the view, and nothing else does")
    func discarded() throws {
        var talk = try inFlight()
        _ = talk.hear(.refused(1, .tooLarge))
        _ = try talk.type(edit(1, 2, "A"))
        #expect(talk.discard() == [.edit(edit(1, 2, "a"), edit(4, 5, "")), .show(.saved)])
        #expect(talk.text == "1abc")
    }

    @Test("a push that was given up and is committed all the same comes back")
    func discardedTooLate() throws {
        var talk = try inFlight()
        #expect(talk.discard() == [.edit(edit(4, 5, "")), .show(.saved)])
        #expect(talk.hear(.acked(1, 3, [edit(4, 4, "X")])) == [.edit(edit(4, 4, "X"))])
    }

    @Test("an ack that comes after the refusal of another copy counts")
    func refusedAndAcked() throws {
        var talk = try inFlight()
        _ = talk.hear(.refused(1, .tooLarge))
        #expect(talk.hear(.acked(1, 3, [edit(4, 4, "X")])) == [.show(.saved)])
        #expect(talk.text == "1abcX")
    }

    @Test(
        "a push that never will be committed goes out anew, as it reads now, under another number",
        arguments: [Refusal.baseTrimmed, .baseBeforeOwnPush])
    func anew(refusal: Refusal) throws {
        var talk = try inFlight()
        #expect(talk.hear(.refused(1, refusal)) == [.push(2, base: 2, edit(4, 4, "X"))])
        #expect(talk.hear(.refused(1, refusal)) == [])
    }

    @Test(
        "where the text may not be the server's, it is asked for as a whole first",
        arguments: [
            (Refusal.baseAhead, 1), (.badRange, 1), (.epochChanged, 1), (.baseTrimmed, 0),
            (.baseBeforeOwnPush, 0),
        ])
    func anewOnTheWholeText(refusal: Refusal, changes: Int) throws {
        var talk = try inFlight(changes: changes)
        #expect(talk.hear(.refused(1, refusal)) == [.close, .openWhole, .show(.offline)])
        let actions = talk.hear(.opened("abcd", at: 2))
        #expect(actions.contains { if case .push(let push) = $0 { push.seq == 2 } else { false } })
        #expect(talk.text == "abcdX")
    }

    @Test("a number that is used is left behind")
    func seqReused() throws {
        var talk = try inFlight()
        #expect(talk.hear(.refused(1, .seqReused)) == [.close, .open(from: 2), .show(.offline)])
        let known = OwnPush(6, at: 1)
        #expect(
            talk.hear(.resumed(at: 2, own: known)) == [.push(7, base: 2, edit(4, 4, "X")), .show(.sending)])
    }

    @Test("edits go out anew by themselves three times in a row, then their owner is asked")
    func patience() throws {
        var talk = try inFlight()
        for (seq, revision) in [(1, 3), (2, 4), (3, 5)] as [(Int64, Int)] {
            #expect(
                talk.hear(.refused(Seq(seq), .baseTrimmed)).contains {
                    if case .push = $0 { true } else { false }
                })
            _ = talk.hear(.changed(Revision(revision), edit(0, 0, "1")))
        }
        #expect(talk.hear(.refused(4, .baseTrimmed)) == [.show(.refused(.baseTrimmed))])
    }

    @Test("a push that a server may have committed and forgotten does not go out anew by itself")
    func forgotten() throws {
        var talk = try inFlight()
        _ = talk.cutOff()
        _ = talk.connect()
        _ = talk.hear(.resumed(at: 2))
        #expect(talk.hear(.refused(1, .baseTrimmed)) == [.show(.refused(.baseTrimmed))])
    }

    @Test(
        "a push to a document that is not to be seen is kept, and sent word for word once it is",
        arguments: [
            Refusal.notFound, .damaged,
        ])
    func notToBeSeen(refusal: Refusal) throws {
        var talk = try inFlight()
        #expect(talk.hear(.refused(1, refusal)) == [.show(.refused(refusal))])
        #expect(talk.retry() == [.open(from: 2), .show(.offline)])
        #expect(talk.hear(.resumed(at: 2)) == [.push(1, base: 1, edit(3, 3, "X")), .show(.sending)])
    }

    @Test("a document that is not open is opened again, and the push sent again")
    func notOpen() throws {
        var talk = try inFlight()
        #expect(talk.hear(.refused(1, .notOpen)) == [.close, .open(from: 2), .show(.offline)])
        #expect(talk.hear(.resumed(at: 2)) == [.push(1, base: 1, edit(3, 3, "X")), .show(.sending)])
    }

    @Test("what was forbidden goes out by itself once it is allowed")
    func allowedAgain() throws {
        var talk = try inFlight()
        _ = talk.hear(.refused(1, .forbidden))
        #expect(talk.hear(.granted(.read)) == [])
        var other = talk
        #expect(talk.hear(.granted(.write)) == [.push(2, base: 2, edit(4, 4, "X")), .show(.sending)])
        _ = other.cutOff()
        _ = other.connect()
        #expect(other.hear(.resumed(at: 2)) == [.push(2, base: 2, edit(4, 4, "X")), .show(.sending)])
    }

    @Test("the refusal of a push that is not in flight means nothing")
    func stale() throws {
        var talk = try inFlight()
        #expect(talk.hear(.refused(9, .tooLarge)) == [])
        _ = talk.cutOff()
        #expect(talk.hear(.refused(1, .tooLarge)) == [])
    }
}
