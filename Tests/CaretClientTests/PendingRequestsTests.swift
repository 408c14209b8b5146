import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import Testing

@Suite("Asking") struct AskingTests {
    private let list = ClientMessage.list(List())
    private let rename = ClientMessage.rename(Rename(document: "a", to: "b"))
    private let listed = ServerMessage.listed(Listed(documents: []))

    @Test("what is asked before the welcome waits for it, and an answer goes to who asked")
    func answers() {
        var talk = ClientTalk()
        _ = talk.begin()
        #expect(talk.ask(list) == [])
        #expect(talk.ask(rename) == [])
        _ = talk.connected()
        #expect(talk.hear(ClientTalk.welcome).dropFirst() == [.send(list, 1), .send(rename, 2)])
        #expect(talk.hear(.done(Done()), .number(2)) == [.answer(AskNumber(value: 2), .done(Done()))])
        #expect(talk.hear(listed, .number(1)) == [.answer(AskNumber(value: 1), listed)])
        #expect(talk.hear(listed, .number(1)) == [])
    }

    @Test("how far a request has come goes to who asked, and is no answer")
    func progress() {
        var talk = ClientTalk.welcomed()
        _ = talk.ask(.admin(.verify(Verify())))
        let progress = ServerMessage.admin(.progress(CareProgress(done: 4, of: 9)))
        #expect(
            talk.hear(progress, .number(1)) == [.report(AskNumber(value: 1), RequestProgress(done: 4, of: 9))]
        )
        #expect(talk.hear(progress, .number(2)) == [])
        let verified = ServerMessage.admin(.verified(Verified(documents: 9, revisions: 9, findings: [])))
        #expect(talk.hear(verified, .number(1)) == [.answer(AskNumber(value: 1), verified)])
        #expect(talk.hear(progress, .number(1)) == [])
    }

    @Test("a refusal goes to who asked")
    func refusal() {
        var talk = ClientTalk.welcomed()
        _ = talk.ask(list)
        let error = ErrorReport(.overloaded, "later", retryAfterMilliseconds: 500)
        #expect(
            talk.hear(.error(error), .number(1))
                == [.fail(AskNumber(value: 1), .refused(ServerRefusal(error)))])
        #expect(ServerRefusal(error).retryAfter == .milliseconds(500))
    }

    @Test("what may have been done is not asked again after a cut; what may be done twice is")
    func cut() {
        var talk = ClientTalk.welcomed()
        _ = talk.ask(list)
        _ = talk.ask(rename)
        #expect(talk.cut() == [.disconnect, .cut(2), .wake(250)])
        #expect(talk.wait(250) == [.connect, .wake(10_250)])
        _ = talk.connected()
        #expect(talk.hear(ClientTalk.welcome).dropFirst() == [.send(list, 1)])
    }

    @Test("what was not sent when the connection ended is sent over the next one")
    func unsent() {
        var talk = ClientTalk.welcomed()
        for number in 1...Asks.atOnce { #expect(talk.ask(list) == [.send(list, number)]) }
        #expect(talk.ask(rename) == [])
        #expect(talk.cut() == [.disconnect, .wake(250)])
        #expect(talk.hear(listed, .number(1)) == [])
        _ = talk.wait(250)
        _ = talk.connected()
        #expect(talk.hear(ClientTalk.welcome).count == 1 + Asks.atOnce)
        let number = Asks.atOnce + 1
        #expect(
            talk.hear(listed, .number(1)) == [.answer(AskNumber(value: 1), listed), .send(rename, number)])
    }

    @Test("what a server that is shutting down did not begin is asked of the next one")
    func shuttingDown() {
        var talk = ClientTalk.welcomed()
        _ = talk.ask(rename)
        #expect(talk.hear(.error(ErrorReport(.shuttingDown, "bye")), .number(1)) == [])
        #expect(talk.cut() == [.disconnect, .wake(250)])
        _ = talk.wait(250)
        _ = talk.connected()
        #expect(talk.hear(ClientTalk.welcome).dropFirst() == [.send(rename, 1)])
    }

    @Test("without another attempt everything that was asked fails with the connection")
    func oneShot() {
        var talk = ClientTalk.welcomed(reconnects: false)
        _ = talk.ask(list)
        let fault = ConnectionFault.cut(ClientTalk.address, reason: CutReason.ended.words)
        #expect(talk.cut() == [.disconnect, .cut(1), .end(fault)])
    }

    @Test("who cancels is told so once, and an answer that comes all the same is nobody's")
    func cancelled() {
        var talk = ClientTalk.welcomed()
        _ = talk.ask(list)
        #expect(talk.cancel(1) == [.fail(AskNumber(value: 1), .cancelled)])
        #expect(talk.cancel(1) == [])
        #expect(talk.hear(listed, .number(1)) == [])
    }

    @Test("an offline client keeps requests up to its limit, and refuses the next one")
    func limit() throws {
        var state = ClientTalk().state
        for _ in 1..<Asks.mostUnanswered { _ = state.asked(list, as: state.nextNumber()) }
        #expect(state.asked(list, as: state.nextNumber()) == [])
        let refused = state.nextNumber()
        #expect(state.asked(list, as: refused) == [.fail(refused, .tooMany(limit: Asks.mostUnanswered))])
        try state.checkInvariants()
        // A request that is cancelled makes room for another one.
        let first = AskNumber(value: 1)
        #expect(state.cancelled(first) == [.fail(first, .cancelled)])
        #expect(state.asked(list, as: state.nextNumber()) == [])
        try state.checkInvariants()
    }

    @Test("what is longer than the server takes is refused here")
    func overlong() {
        var talk = ClientTalk.welcomed()
        _ = talk.ask(list)
        var state = talk.state
        guard
            case .fail(_, .refused(let refusal)) = state.overlong(
                list, .number(1), bytes: 9, limit: 8, at: Moment(milliseconds: 0)
            ).first
        else {
            Issue.record("it is not refused")
            return
        }
        #expect(refusal.word == "line_too_long")
    }

    @Test("a client that is closed fails what waits, and ends the news")
    func closed() {
        var talk = ClientTalk.welcomed()
        _ = talk.ask(list)
        #expect(
            talk.close() == [.disconnect, .fail(AskNumber(value: 1), .connection(.closed)), .end(.closed)])
        #expect(talk.close() == [])
    }

    @Test(
        "a document that is open is told of the end, in front of it, and what is typed then waits for nothing"
    )
    func closedWithDocument() throws {
        var talk = ClientTalk.welcomed()
        let key = talk.open("ab")
        #expect(talk.close() == [.disconnect, .update(key, .state(.offline)), .end(.closed)])
        #expect(try talk.type("x", in: key) == [])
        #expect(talk.state.documents[key]?.replica.state == .offline)
    }

    @Test("without another attempt a document that is open is told of the cut")
    func oneShotWithDocument() throws {
        var talk = ClientTalk.welcomed(reconnects: false)
        let key = talk.open("ab")
        _ = try talk.type("x", in: key)
        #expect(talk.state.documents[key]?.replica.state == .sending)
        let fault = ConnectionFault.cut(ClientTalk.address, reason: CutReason.ended.words)
        #expect(talk.cut() == [.disconnect, .update(key, .state(.offline)), .end(fault)])
    }

    @Test("a document closed with unsaved edits and opened again over the same connection sends them")
    func reopened() throws {
        var talk = ClientTalk.welcomed(kept: [])
        let key = talk.open("ab")
        _ = try talk.type("x", in: key)
        _ = talk.close(key)
        let resume = WirePosition(epoch: "e", revision: 1)
        #expect(talk.open().actions.contains(.send(.open(Open(document: "notes", resume: resume)), 2)))
        let push = Push(
            document: "notes", epoch: "e", base: 1, seq: 1, content: .edits([WireEdit(WireRange(0, 0), "x")]))
        #expect(talk.hear(.opened(.resumed(at: 1)), .number(2)).contains(.send(.push(push), id: nil)))
    }

    @Test("documents are followed anew over each connection, and told from the beginning")
    func follow() {
        var talk = ClientTalk.welcomed()
        let order = [ClientAction.tell(.beginning), .send(.follow(Follow(prefix: nil)), 1)]
        #expect(talk.follow() == order)
        let summary = DocumentSummary(document: "a", epoch: "e", revision: 1, length: 3, updated: 4)
        #expect(talk.hear(.document(summary)) == [.tell(.document(summary))])
        #expect(talk.hear(.done(Done()), .number(1)) == [.tell(.complete)])
        let gone = Gone(document: "a", epoch: "e", reason: .deleted, isFollowed: true)
        #expect(talk.hear(.gone(gone)) == [.tell(.gone(gone))])
        _ = talk.cut()
        _ = talk.wait(250)
        _ = talk.connected()
        #expect(talk.hear(ClientTalk.welcome).dropFirst() == order[...])
    }

    @Test("a follower's end of a document ends no session of that name, and a session's end is no news")
    func twoEnds() throws {
        var talk = ClientTalk.welcomed()
        let key = talk.open("ab")
        _ = talk.follow()
        let news = try talk.hear(
            line: #"{"type":"gone","doc":"notes","epoch":"old","reason":"deleted","followed":true}"#)
        #expect(talk.state.documents[key]?.replica.state == .saved && news.count == 1)
        let end = try talk.hear(line: #"{"type":"gone","doc":"notes","epoch":"e","reason":"deleted"}"#)
        #expect(end == [.update(key, .state(.refused(.notFound)))])
    }
}
