import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import Testing

@Suite("Requests of a client that wait for answers") struct PendingRequestsTests {
    private let list = ClientMessage.list(List())
    private let rename = ClientMessage.rename(Rename(document: "a", to: "b"))
    private let listed = ServerMessage.listed(Listed(documents: []))

    @Test("requests wait for the welcome, and each gets its own answer")
    func answers() {
        var talk = ClientConversation()
        _ = talk.start()
        #expect(talk.request(list) == [])
        #expect(talk.request(rename) == [])
        _ = talk.connected()
        #expect(talk.receive(ClientConversation.welcome).dropFirst() == [.send(list, 1), .send(rename, 2)])
        #expect(talk.receive(.done(Done()), .number(2)) == [.answer(RequestNumber(value: 2), .done(Done()))])
        #expect(talk.receive(listed, .number(1)) == [.answer(RequestNumber(value: 1), listed)])
        #expect(talk.receive(listed, .number(1)) == [])
    }

    @Test("progress is reported and does not end the request")
    func progress() {
        var talk = ClientConversation.welcomed()
        _ = talk.request(.admin(.verify(Verify())))
        let progress = ServerMessage.admin(.progress(MaintenanceProgress(done: 4, of: 9)))
        #expect(
            talk.receive(progress, .number(1)) == [
                .reportProgress(RequestNumber(value: 1), RequestProgress(done: 4, of: 9))
            ]
        )
        #expect(talk.receive(progress, .number(2)) == [])
        let verified = ServerMessage.admin(.verified(Verified(documents: 9, revisions: 9, findings: [])))
        #expect(talk.receive(verified, .number(1)) == [.answer(RequestNumber(value: 1), verified)])
        #expect(talk.receive(progress, .number(1)) == [])
    }

    @Test("a refusal ends the request")
    func refusal() {
        var talk = ClientConversation.welcomed()
        _ = talk.request(list)
        let error = ErrorReport(.overloaded, "later", retryAfterMilliseconds: 500)
        #expect(
            talk.receive(.error(error), .number(1))
                == [.fail(RequestNumber(value: 1), .refused(ServerRefusal(error)))])
        #expect(ServerRefusal(error).retryAfter == .milliseconds(500))
    }

    @Test("after a disconnect, only idempotent requests are sent again")
    func disconnected() {
        var talk = ClientConversation.welcomed()
        _ = talk.request(list)
        _ = talk.request(rename)
        #expect(talk.disconnect() == [.disconnect, .lost(2), .wake(250)])
        #expect(talk.wait(250) == [.attempt, .wake(10_250)])
        _ = talk.connected()
        #expect(talk.receive(ClientConversation.welcome).dropFirst() == [.send(list, 1)])
    }

    @Test(
        "after a disconnect, a request is sent again only if this does no harm",
        arguments: [
            (.list(List()), true), (.read(Read(document: "a")), true),
            (.history(History(document: "a")), true), (.blame(BlameRequest(document: "a")), true),
            (.ping(Ping()), true),
            (.push(Push(document: "a", epoch: "e", base: 1, seq: 1, content: .text("b"))), true),
            (.restore(Restore(document: "a", epoch: "e", revision: 1, seq: 1)), true),
            (.admin(.listTokens(ListTokens())), true), (.admin(.counters(ReadCounters())), true),
            (.admin(.who(Who())), true), (.admin(.listNodes(ListNodes())), true),
            (.listDeleted(ListDeleted()), true),
            (.admin(.trim(Trim(document: "a", revision: 1))), true), (.admin(.verify(Verify())), true),
            (.rename(Rename(document: "a", to: "b")), false), (.delete(Delete(document: "a")), false),
            (.admin(.addToken(AddToken(user: "ann", grants: []))), false),
            (.admin(.revokeToken(RevokeToken(number: 1))), false),
            (.undelete(Undelete(number: 1)), false), (.admin(.backUp(BackUp())), false),
        ] as [(ClientMessage, Bool)])
    func idempotent(message: ClientMessage, isSentAgain: Bool) {
        var talk = ClientConversation.welcomed()
        _ = talk.request(message)
        let lost: [ClientAction] = isSentAgain ? [] : [.lost(1)]
        #expect(talk.disconnect() == [.disconnect] + lost + [.wake(250)])
        _ = talk.wait(250)
        _ = talk.connected()
        let sent: [ClientAction] = isSentAgain ? [.send(message, 1)] : []
        #expect(Array(talk.receive(ClientConversation.welcome).dropFirst()) == sent)
    }

    @Test("unsent requests are sent over the next connection")
    func unsent() {
        var talk = ClientConversation.welcomed()
        for number in 1...PendingRequests.maxInFlight { #expect(talk.request(list) == [.send(list, number)]) }
        #expect(talk.request(rename) == [])
        #expect(talk.disconnect() == [.disconnect, .wake(250)])
        #expect(talk.receive(listed, .number(1)) == [])
        _ = talk.wait(250)
        _ = talk.connected()
        #expect(talk.receive(ClientConversation.welcome).count == 1 + PendingRequests.maxInFlight)
        let number = PendingRequests.maxInFlight + 1
        #expect(
            talk.receive(listed, .number(1)) == [
                .answer(RequestNumber(value: 1), listed), .send(rename, number),
            ])
    }

    @Test("a request refused by a server that shuts down is sent again")
    func shuttingDown() {
        var talk = ClientConversation.welcomed()
        _ = talk.request(rename)
        #expect(talk.receive(.error(ErrorReport(.shuttingDown, "bye")), .number(1)) == [.wake(500)])
        #expect(talk.disconnect() == [.disconnect, .wake(250)])
        _ = talk.wait(250)
        _ = talk.connected()
        #expect(talk.receive(ClientConversation.welcome).dropFirst() == [.send(rename, 1)])
    }

    @Test("requests that are refused for a while are sent again in their order, over any connection")
    func refusedInOrder() {
        let later = ServerMessage.error(ErrorReport(.shuttingDown, "bye", retryAfterMilliseconds: 700))
        for isCut in [false, true] {
            var talk = ClientConversation.welcomed()
            for number in 1...3 { #expect(talk.request(list) == [.send(list, number)]) }
            for number in [1, 3] { _ = talk.receive(later, .number(number)) }
            #expect(talk.request(list) == [])
            let sent = (1...4).map { ClientAction.send(list, $0) }
            if isCut {
                _ = talk.disconnect()
                _ = talk.wait(700)
                _ = talk.connected()
                #expect(Array(talk.receive(ClientConversation.welcome).dropFirst()) == sent)
            } else {
                _ = talk.receive(later, .number(2))
                #expect(talk.wait(699) == [])
                #expect(Array(talk.wait(1).prefix(4)) == sent)
            }
        }
    }

    @Test("more requests than can be in flight do not stall after all were refused for a while")
    func refusedAll() {
        var talk = ClientConversation.welcomed()
        let count = PendingRequests.maxInFlight + 4
        for _ in 1...count { _ = talk.request(list) }
        for number in 1...PendingRequests.maxInFlight {
            _ = talk.receive(.error(ErrorReport(.shuttingDown, "bye")), .number(number))
        }
        var sent: [ClientAction] = []
        for action in talk.wait(500) {
            if case .send = action { sent.append(action) }
        }
        #expect(sent == (1...PendingRequests.maxInFlight).map { .send(list, $0) })
        for number in 1...count { sent += talk.receive(listed, .number(number)) }
        #expect(Array(sent.suffix(1)) == [.answer(RequestNumber(value: count), listed)])
    }

    @Test("if reconnects are off, all requests fail when the connection ends")
    func oneShot() {
        var talk = ClientConversation.welcomed(reconnects: false)
        _ = talk.request(list)
        let fault = ConnectionFault.lost(
            ClientConversation.address, reason: DisconnectReason.ended.explanation)
        #expect(talk.disconnect() == [.disconnect, .lost(1), .end(fault)])
    }

    @Test("a cancelled request fails once, and its answer is ignored")
    func cancelled() {
        var talk = ClientConversation.welcomed()
        _ = talk.request(list)
        #expect(talk.cancel(1) == [.fail(RequestNumber(value: 1), .cancelled)])
        #expect(talk.cancel(1) == [])
        #expect(talk.receive(listed, .number(1)) == [])
    }

    @Test("an offline client queues requests up to its limit")
    func limit() throws {
        var state = ClientConversation().state
        for _ in 1..<PendingRequests.maxUnanswered { _ = state.requested(list, as: state.nextNumber()) }
        #expect(state.requested(list, as: state.nextNumber()) == [])
        let refused = state.nextNumber()
        #expect(
            state.requested(list, as: refused) == [
                .fail(refused, .tooMany(limit: PendingRequests.maxUnanswered))
            ])
        try state.checkInvariants()
        // After a request is cancelled, another request can be added.
        let first = RequestNumber(value: 1)
        #expect(state.cancelled(first) == [.fail(first, .cancelled)])
        #expect(state.requested(list, as: state.nextNumber()) == [])
        try state.checkInvariants()
    }

    @Test("requests in flight also count towards the limit on requests")
    func limitWhileConnected() {
        var state = ClientConversation.welcomed().state
        for _ in 1..<PendingRequests.maxUnanswered { _ = state.requested(list, as: state.nextNumber()) }
        #expect(state.requested(list, as: state.nextNumber()) == [])
        let refused = state.nextNumber()
        #expect(
            state.requested(list, as: refused) == [
                .fail(refused, .tooMany(limit: PendingRequests.maxUnanswered))
            ])
        // The cancelled request was in flight, so a waiting request is sent in its place.
        let first = RequestNumber(value: 1)
        let next = ClientAction.send(list, PendingRequests.maxInFlight + 1)
        #expect(state.cancelled(first) == [.fail(first, .cancelled), next])
        #expect(state.cancelled(first) == [])
        let last = RequestNumber(value: PendingRequests.maxUnanswered)
        #expect(state.cancelled(last) == [.fail(last, .cancelled)])
        #expect(state.cancelled(last) == [])
    }

    @Test("if a push is too long for a line, only its document is refused")
    func pushTooLong() throws {
        var talk = ClientConversation.welcomed()
        let key = talk.open("ab")
        _ = talk.open(named: "other")
        guard case .send(let push, nil) = try talk.type("x", in: key).first else {
            Issue.record("the edit is not pushed")
            return
        }
        var state = talk.state
        #expect(
            state.lineTooLong(push, nil, bytes: 9, limit: 8, at: Moment(milliseconds: 0))
                == [.update(key, .state(.refused(.lineTooLong)))])
    }

    @Test("a retry that has to wait schedules the client's next wake-up")
    func waitingRetry() throws {
        var talk = ClientConversation.welcomed()
        let key = talk.open("ab")
        // After a failed check, the client opens the document again. If the client must soon open the
        // document once more, it waits first.
        _ = talk.receive(.check(Check(document: "notes", revision: 1, length: 9, crc32: 0)))
        _ = talk.receive(.opened(.text("ab", at: 1)), .number(2))
        _ = try talk.type("x", in: key)
        let later = ErrorReport(.overloaded, "no", document: "notes", seq: 1, retryAfterMilliseconds: 70)
        _ = talk.receive(.error(later))
        _ = talk.wait(70)
        _ = talk.receive(.error(ErrorReport(.tooLarge, "no", document: "notes", seq: 1)))
        #expect(talk.retry(key).last == .wake(1_070))
    }

    @Test("a request that is too long for a line is refused")
    func lineTooLong() {
        var talk = ClientConversation.welcomed()
        _ = talk.request(list)
        var state = talk.state
        guard
            case .fail(_, .refused(let refusal)) = state.lineTooLong(
                list, .number(1), bytes: 9, limit: 8, at: Moment(milliseconds: 0)
            ).first
        else {
            Issue.record("the request is not refused")
            return
        }
        #expect(refusal.word == "line_too_long")
    }

    @Test("closing a client fails its requests")
    func closed() {
        var talk = ClientConversation.welcomed()
        _ = talk.request(list)
        #expect(
            talk.close() == [
                .disconnect, .fail(RequestNumber(value: 1), .connection(.closed)), .end(.closed),
            ])
        #expect(talk.close() == [])
    }

    @Test(
        "closing a client takes its documents offline before the client ends"
    )
    func closedWithDocument() throws {
        var talk = ClientConversation.welcomed()
        let key = talk.open("ab")
        #expect(talk.close() == [.disconnect, .update(key, .state(.offline)), .end(.closed)])
        #expect(try talk.type("x", in: key) == [])
        #expect(talk.state.documents[key]?.replica.state == .offline)
    }

    @Test("if reconnects are off, a disconnect takes open documents offline")
    func oneShotWithDocument() throws {
        var talk = ClientConversation.welcomed(reconnects: false)
        let key = talk.open("ab")
        _ = try talk.type("x", in: key)
        #expect(talk.state.documents[key]?.replica.state == .sending)
        let fault = ConnectionFault.lost(
            ClientConversation.address, reason: DisconnectReason.ended.explanation)
        #expect(talk.disconnect() == [.disconnect, .update(key, .state(.offline)), .end(fault)])
    }

    @Test("a document that was opened twice is opened once, and closed with the second close")
    func openedTwice() throws {
        var talk = ClientConversation.welcomed()
        let key = talk.open("ab")
        let again = talk.open()
        #expect(again.key == key && again.actions == [])
        #expect(talk.close(key) == [])
        #expect(try talk.type("x", in: key).isEmpty == false)
        #expect(talk.close(key) == [.send(.close(Close(document: "notes")), id: nil)])
        #expect(talk.close(key) == [])
    }

    @Test("a document that is not open on the server is closed without a message to the server")
    func closedByName() {
        var talk = ClientConversation.welcomed()
        let key = talk.open().key
        _ = talk.receive(.error(ErrorReport(.notFound, "there is no such document")), .number(1))
        #expect(talk.close(key) == [])
    }

    @Test("a document closed with unsaved edits sends them when opened again")
    func reopened() throws {
        var talk = ClientConversation.welcomed(unsaved: [])
        let key = talk.open("ab")
        _ = try talk.type("x", in: key)
        _ = talk.close(key)
        let resume = WirePosition(epoch: "e", revision: 1)
        #expect(talk.open().actions.contains(.send(.open(Open(document: "notes", resume: resume)), 2)))
        let push = Push(
            document: "notes", epoch: "e", base: 1, seq: 1, content: .edits([WireEdit(WireRange(0, 0), "x")]))
        #expect(talk.receive(.opened(.resumed(at: 1)), .number(2)).contains(.send(.push(push), id: nil)))
    }

    @Test("on each new connection, the client follows the document list again")
    func follow() {
        var talk = ClientConversation.welcomed()
        let order = [ClientAction.deliver(.restarted), .send(.follow(Follow(prefix: nil)), 1)]
        #expect(talk.follow() == order)
        let summary = DocumentSummary(document: "a", epoch: "e", revision: 1, length: 3, updated: 4)
        #expect(talk.receive(.document(summary)) == [.deliver(.document(summary))])
        #expect(talk.receive(.done(Done()), .number(1)) == [.deliver(.complete)])
        let gone = Gone(document: "a", epoch: "e", reason: .deleted, isFollowed: true)
        #expect(talk.receive(.gone(gone)) == [.deliver(.gone(gone))])
        _ = talk.disconnect()
        _ = talk.wait(250)
        _ = talk.connected()
        #expect(talk.receive(ClientConversation.welcome).dropFirst() == order[...])
        #expect(talk.close() == [.disconnect, .end(.closed)])
    }

    /// Rule D8.
    @Test("`gone` to a session closes its document; `gone` to followers does not")
    func twoKindsOfGone() throws {
        var talk = ClientConversation.welcomed()
        let key = talk.open("ab")
        _ = talk.follow()
        let events = try talk.receive(
            line: #"{"type":"gone","doc":"notes","epoch":"old","reason":"deleted","followed":true}"#)
        #expect(talk.state.documents[key]?.replica.state == .saved && events.count == 1)
        let end = try talk.receive(line: #"{"type":"gone","doc":"notes","epoch":"e","reason":"deleted"}"#)
        #expect(end == [.update(key, .state(.refused(.notFound)))])
    }
}
