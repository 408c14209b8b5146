import CaretCore
import CaretReplica
import CaretWire
import TestSupport
import Testing

@Suite("Opening a document in a replica") struct OpeningTests {
    @Test("a replica opens its document, and resumes it after a disconnect")
    func opening() throws {
        var talk = Conversation()
        #expect(talk.connect() == [.openFullText])
        #expect(
            talk.receive(.opened("abc", at: 4)) == [.edit(edit(0, 0, "abc")), .show(.saved)])
        #expect(talk.receive(.end) == [.show(.offline)])
        #expect(talk.disconnect() == [])
        #expect(talk.connect() == [.open(from: 4)])
        #expect(talk.receive(.resumed(at: 4)) == [.show(.saved)])
    }

    @Test("edits made before the first open are put after the opened text")
    func typedBefore() throws {
        var talk = Conversation()
        #expect(try talk.type(edit(0, 0, "mine")) == [])
        _ = talk.connect()
        _ = talk.receive(.opened("theirs, ", at: 4))
        #expect(talk.text == "theirs, mine")
    }

    /// Rule B3.
    @Test("a full text keeps unsent edits and replaces only what differs")
    func unsentOverFullText() throws {
        var talk = try Conversation.opened("one\ntwo\nthree\n")
        _ = talk.disconnect()
        _ = try talk.type(edit(7, 7, " and a half"))
        _ = talk.connect()
        let actions = talk.receive(.opened("zero\none\ntwo\n", epoch: "f", at: 7))
        #expect(actions.first == .edit(edit(0, 0, "zero\n"), edit(19, 25, "")))
        #expect(talk.text == "zero\none\ntwo and a half\n")
        #expect(actions.contains(.push(1, base: 7, epoch: "f", edit(12, 12, " and a half"))))
    }

    /// Rule B5.
    @Test(
        "a full text that contains the push in flight does not repeat its edits",
        arguments: ["e", "f"] as [WireString])
    func ownInTheText(epoch: WireString) throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "X"))
        _ = try talk.type(edit(4, 4, "Y"))
        #expect(
            talk.receive(.resynced("1abcX", epoch: epoch, at: 3, own: OwnPush(1, at: 2)))
                == [.edit(edit(0, 0, "1")), .push(2, base: 3, epoch: epoch, edit(5, 5, "Y"))])
        #expect(talk.text == "1abcXY")
        #expect(talk.receive(.acked(1, 2, [edit(3, 3, "X")], kind: .duplicate)) == [])
    }

    /// Rule B5.
    @Test(
        "a push in flight that a full text does not contain is resent"
    )
    func ownNotInTheText() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "X"))
        #expect(
            talk.receive(.resynced("1abc", epoch: "f", at: 3))
                == [.edit(edit(0, 0, "1")), .push(1, base: 1, edit(3, 3, "X"))])
        #expect(talk.receive(.refused(1, .epochChanged)) == [.push(2, base: 3, epoch: "f", edit(4, 4, "X"))])
        #expect(talk.receive(.refused(1, .epochChanged)) == [])
        #expect(talk.text == "1abcX")
    }

    @Test("a push that was resent after its commit is in the text only once")
    func knownRepeat() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "X"))
        _ = talk.receive(.resynced("abcX", epoch: "f", at: 2))
        #expect(talk.text == "abcXX")
        #expect(talk.receive(.acked(1, 2, [edit(3, 3, "X")], kind: .duplicate)).last == .show(.saved))
        #expect(talk.text == "abcX")
    }

    @Test(
        "if client and server rebase a push differently, the server's text wins"
    )
    func rebasedDifferently() throws {
        var talk = try Conversation.opened("ab")
        _ = try talk.type(edit(1, 1, "X"))
        _ = talk.receive(.resynced("b", at: 4))
        #expect(talk.text == "Xb")
        #expect(
            talk.receive(.acked(1, 5, [edit(1, 1, "X")])) == [
                .edit(edit(0, 2, "bX")), .show(.saved),
            ])
        #expect(talk.text == "bX")
    }

    /// Rule C6.
    @Test("if a `check` fails, the replica loads the full text")
    func checked() throws {
        var talk = try Conversation.opened("né😀", at: 4)
        let sum = try TextBuffer("né😀").crc32
        #expect(talk.receive(.checked(4, length: 4, crc32: sum)) == [])
        #expect(
            talk.receive(.checked(4, length: 4, crc32: sum ^ 1)) == [
                .reportDivergence(at: 4), .close, .openFullText, .show(.offline),
            ])
        #expect(talk.receive(.opened("né!", at: 4)).first == .edit(edit(2, 4, "!")))
    }

    @Test("the checksum is the CRC-32 of zlib")
    func checksum() throws {
        #expect(try TextBuffer("123456789").crc32 == 0xcbf4_3926)
        #expect(TextBuffer().crc32 == 0)
    }

    @Test(
        "a document whose checks fail is reopened after growing delays")
    func growingDelays() throws {
        var talk = try Conversation.opened("abc")
        let wrong = ServerMessage.checked(1, length: 9, crc32: 0)
        #expect(talk.receive(wrong).contains(.openFullText))
        for time in [1000, 2000, 4000, 8000, 16000, 30000, 30000] as [Milliseconds] {
            _ = talk.receive(.opened("abc", at: 1))
            #expect(talk.receive(wrong).contains(.retry(after: time)))
            #expect(talk.wait() == [.openFullText])
        }
        _ = talk.receive(.opened("abc", at: 1))
        _ = talk.receive(.checked(1, of: try TextBuffer("abc")))
        #expect(talk.receive(wrong).contains(.openFullText))
    }

    @Test("after a close, messages are ignored until the next open is answered")
    func betweenOpenings() throws {
        var talk = try Conversation.opened("abc")
        _ = talk.receive(.changed(9, edit(0, 0, "x")))
        #expect(talk.receive(.changed(2, edit(0, 0, "x"))) == [])
        #expect(talk.receive(.peer("s", 1, Selection(caret: 0))) == [])
        #expect(talk.receive(.acked(9, 2, [edit(0, 0, "x")])) == [])
        #expect(talk.receive(.resynced("another text", at: 5)) == [])
        #expect(talk.text == "abc")
    }

    /// Rule D9.
    @Test("after a rename the replica opens the new name and resends its push")
    func renamed() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "X"))
        #expect(talk.receive(.refused(1, .notFound)) == [.show(.refused(.notFound))])
        let renamed = talk.receive(.departed(.renamed, to: "new"))
        #expect(renamed == [.rename("new"), .open(from: 1), .show(.offline)])
        #expect(talk.receive(.resumed(at: 1)) == [.push(1, base: 1, edit(3, 3, "X")), .show(.sending)])
    }

    @Test("messages after the end of a connection are ignored")
    func afterDisconnect() throws {
        var talk = try Conversation.opened("abc")
        _ = talk.disconnect()
        for message in [ServerMessage.departed(.renamed, to: "new"), .departed(.deleted), .resumed(at: 1)] {
            #expect(talk.receive(message) == [])
        }
        #expect(talk.connect() == [.open(from: 1)])
    }

    @Test("a deleted or damaged document keeps its text and can be opened again")
    func gone() throws {
        let departures: [(ServerMessage, Refusal)] = [
            (.departed(.deleted), .notFound), (.departed(.damaged), .damaged), (.granted(.none), .notFound),
        ]
        for (message, refusal) in departures {
            var talk = try Conversation.opened("abc")
            #expect(talk.receive(message) == [.show(.refused(refusal))])
            #expect(try talk.type(edit(0, 0, "x")) == [])
            #expect(talk.text == "xabc")
            #expect(talk.retry() == [.open(from: 1), .show(.offline)])
            #expect(talk.refuseOpen(.notFound) == [.show(.refused(.notFound))])
        }
    }

    @Test("an open that the server refuses temporarily is retried later")
    func refusedForNow() throws {
        var talk = Conversation()
        _ = talk.connect()
        #expect(talk.refuseOpen(.overloaded, after: 9) == [.retry(after: 9)])
        #expect(talk.wait() == [.openFullText])
        #expect(talk.refuseOpen(.alreadyOpen) == [.close, .retry(after: 1000)])
    }

    @Test("a reconnect or an ack resets the delay before the next open")
    func delaysStartAgain() throws {
        var talk = Conversation()
        _ = talk.connect()
        #expect(talk.refuseOpen(.overloaded) == [.retry(after: 500)])
        _ = talk.wait()
        #expect(talk.refuseOpen(.overloaded) == [.retry(after: 1_000)])
        _ = talk.disconnect()
        _ = talk.connect()
        #expect(talk.refuseOpen(.overloaded) == [.retry(after: 500)])
        _ = talk.wait()
        _ = talk.receive(.opened("abc", at: 1))
        _ = try talk.type(edit(0, 0, "x"))
        _ = talk.receive(.acked(1, 2))
        // The first reopening is immediate.
        #expect(talk.receive(.checked(2, length: 9, crc32: 0)).contains(.openFullText))
    }

    @Test("a message out of order or with edits that do not fit reloads the text")
    func broken() throws {
        let broken: [ServerMessage] = [
            .changed(1, edit(0, 0, "x")), .changed(3, edit(0, 0, "x")), .changed(0),
            .changed(2, edit(0, 4, "")),
            .changed(2, edit(2, 3, "x")), .changed(2, edit(1, 1, "x"), edit(0, 0, "y")), .changed(3, from: 0),
            .changed(1, from: 1), .changed(Revision(.max), from: 1), .changed(Revision(.min)),
            .acked(9, 2), .acked(9, 2, [edit(0, 9, "")]), .acked(9, Revision(.max)), .acked(9, -1),
            .checked(0, length: 0, crc32: 0), .checked(2, length: 0, crc32: 0),
            .resynced("", at: Revision(.max)), .resynced("", at: -1),
        ]
        for message in broken {
            var talk = try Conversation.opened("a😀")
            #expect(
                talk.receive(message).suffix(3) == [.close, .openFullText, .show(.offline)], "\(message)")
            #expect(talk.text == "a😀")
            #expect(talk.receive(.opened("b", at: 3)).contains(.show(.saved)))
        }
    }

    @Test("if an ack's edits do not fit, the text is reloaded and the push resent")
    func brokenAck() throws {
        for edits in [[edit(0, 9, "")], [edit(1, 1, "x"), edit(0, 0, "y")], [edit(2, 2, "y")]] {
            var talk = try Conversation.opened("a😀")
            _ = try talk.type(edit(1, 1, "x"))
            #expect(talk.receive(.acked(1, 2, edits)) == [.close, .openFullText, .show(.offline)])
            #expect(talk.text == "ax😀")
            let again = [ReplicaAction.push(1, base: 1, edit(1, 1, "x")), .show(.sending)]
            #expect(talk.receive(.opened("a😀", at: 1)) == again)
        }
    }

    @Test("an invalid text or edit throws and changes nothing")
    func invalid() throws {
        let carriageReturn = WireEdit(WireRange(0, 0), "\r")
        let messages: [ServerMessage] = [
            .resynced("a\rb", at: 2),
            .ack(Ack(document: ServerMessage.document, seq: 1, revision: 2, edits: [carriageReturn])),
            .change(
                WireChange(
                    document: ServerMessage.document, revision: 2, origin: .squashed(from: 1),
                    edits: [WireEdit(WireRange(-1, 0), "x")])),
        ]
        for message in messages {
            var replica = try Conversation.opened("abc").replica
            #expect(throws: TextError.self) { try replica.received(message) }
            #expect(replica.revision == 1 && replica.text.string == "abc")
            try replica.checkInvariants()
        }
    }

    @Test("if the answer to `open` has a wrong revision, the full text is loaded")
    func brokenOpenings() throws {
        for message in [
            ServerMessage.resumed(at: 2), .opened("", at: -1), .opened("", at: Revision(.max)),
        ] {
            var talk = try Conversation.opened("abc")
            _ = talk.disconnect()
            _ = talk.connect()
            #expect(talk.receive(message) == [.close, .openFullText], "\(message)")
            #expect(talk.text == "abc")
        }
    }

    @Test("a squashed change is applied; if a push is in flight, a reload follows")
    func squashed() throws {
        var talk = try Conversation.opened("abc", mode: .watch)
        #expect(talk.receive(.changed(4, from: 1, edit(0, 3, "x"))) == [.edit(edit(0, 3, "x"))])
        #expect(talk.replica.revision == 4)
        talk = try Conversation.opened("abc")
        _ = try talk.type(edit(0, 0, "x"))
        #expect(talk.receive(.changed(4, from: 1, edit(0, 3, "x"))).contains(.openFullText))
    }
}
