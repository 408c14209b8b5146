import CaretCore
import CaretReplica
import CaretWire
import TestSupport
import Testing

@Suite("Opening") struct OpeningTests {
    @Test("a replica opens once it is connected, and goes on from where it is after a cut")
    func opening() throws {
        var talk = Conversation()
        #expect(talk.connect() == [.openWhole])
        #expect(
            talk.hear(.opened("abc", at: 4)) == [.edit(edit(0, 0, "abc")), .show(.saved)])
        #expect(talk.hear(.end) == [.show(.offline)])
        #expect(talk.cutOff() == [])
        #expect(talk.connect() == [.open(from: 4)])
        #expect(talk.hear(.resumed(at: 4)) == [.show(.saved)])
    }

    @Test("what is typed before the first opening is put behind the text")
    func typedBefore() throws {
        var talk = Conversation()
        #expect(try talk.type(edit(0, 0, "mine")) == [])
        _ = talk.connect()
        _ = talk.hear(.opened("theirs, ", at: 4))
        #expect(talk.text == "theirs, mine")
    }

    /// Rule B3.
    @Test("unsent edits survive a whole text, and the view changes only where the text did")
    func unsentOverAText() throws {
        var talk = try Conversation.opened("one\ntwo\nthree\n")
        _ = talk.cutOff()
        _ = try talk.type(edit(7, 7, " and a half"))
        _ = talk.connect()
        let actions = talk.hear(.opened("zero\none\ntwo\n", epoch: "f", at: 7))
        #expect(actions.first == .edit(edit(0, 0, "zero\n"), edit(19, 25, "")))
        #expect(talk.text == "zero\none\ntwo and a half\n")
        #expect(actions.contains(.push(1, base: 7, epoch: "f", edit(12, 12, " and a half"))))
    }

    /// Rule B5.
    @Test(
        "a push in flight that a whole text holds already is not doubled",
        arguments: ["e", "f"] as [WireString])
    func ownInTheText(epoch: WireString) throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "X"))
        _ = try talk.type(edit(4, 4, "Y"))
        #expect(
            talk.hear(.resynced("1abcX", epoch: epoch, at: 3, own: OwnPush(1, at: 2)))
                == [.edit(edit(0, 0, "1")), .push(2, base: 3, epoch: epoch, edit(5, 5, "Y"))])
        #expect(talk.text == "1abcXY")
        #expect(talk.hear(.acked(1, 2, [edit(3, 3, "X")], kind: .duplicate)) == [])
    }

    /// Rule B5.
    @Test(
        "a push in flight that a whole text does not hold is sent again word for word, and its answer decides"
    )
    func ownNotInTheText() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "X"))
        #expect(
            talk.hear(.resynced("1abc", epoch: "f", at: 3))
                == [.edit(edit(0, 0, "1")), .push(1, base: 1, edit(3, 3, "X"))])
        #expect(talk.hear(.refused(1, .epochChanged)) == [.push(2, base: 3, epoch: "f", edit(4, 4, "X"))])
        #expect(talk.hear(.refused(1, .epochChanged)) == [])
        #expect(talk.text == "1abcX")
    }

    @Test("a repeat that turns out to be known is in the text, and stands there once")
    func knownRepeat() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "X"))
        _ = talk.hear(.resynced("abcX", epoch: "f", at: 2))
        #expect(talk.text == "abcXX")
        #expect(talk.hear(.acked(1, 2, [edit(3, 3, "X")], kind: .duplicate)).last == .show(.saved))
        #expect(talk.text == "abcX")
    }

    @Test(
        "a push that the server moved over each revision and the replica over a whole text ends where the server says"
    )
    func movedOtherwise() throws {
        var talk = try Conversation.opened("ab")
        _ = try talk.type(edit(1, 1, "X"))
        _ = talk.hear(.resynced("b", at: 4))
        #expect(talk.text == "Xb")
        #expect(
            talk.hear(.acked(1, 5, [edit(1, 1, "X")])) == [
                .edit(edit(0, 2, "bX")), .show(.saved),
            ])
        #expect(talk.text == "bX")
    }

    /// Rule C6.
    @Test("a check that holds changes nothing, and one that does not leads to the whole text")
    func checked() throws {
        var talk = try Conversation.opened("né😀", at: 4)
        let sum = try Text("né😀").crc32
        #expect(talk.hear(.checked(4, length: 4, crc32: sum)) == [])
        #expect(
            talk.hear(.checked(4, length: 4, crc32: sum ^ 1)) == [
                .reportDivergence(at: 4), .close, .openWhole, .show(.offline),
            ])
        #expect(talk.hear(.opened("né!", at: 4)).first == .edit(edit(2, 4, "!")))
    }

    @Test("the sum of a check is the CRC-32 of zlib")
    func sum() throws {
        #expect(try Text("123456789").crc32 == 0xcbf4_3926)
        #expect(Text().crc32 == 0)
    }

    @Test(
        "one document that cannot be agreed on is opened after longer and longer waits, until a check holds")
    func growingWaits() throws {
        var talk = try Conversation.opened("abc")
        let wrong = ServerMessage.checked(1, length: 9, crc32: 0)
        #expect(talk.hear(wrong).contains(.openWhole))
        for time in [1000, 2000, 4000, 8000, 16000, 30000, 30000] as [Milliseconds] {
            _ = talk.hear(.opened("abc", at: 1))
            #expect(talk.hear(wrong).contains(.retry(after: time)))
            #expect(talk.wait() == [.openWhole])
        }
        _ = talk.hear(.opened("abc", at: 1))
        _ = talk.hear(.checked(1, of: try Text("abc")))
        #expect(talk.hear(wrong).contains(.openWhole))
    }

    @Test("what is said between closing and opening again is about an earlier opening")
    func betweenOpenings() throws {
        var talk = try Conversation.opened("abc")
        _ = talk.hear(.changed(9, edit(0, 0, "x")))
        #expect(talk.hear(.changed(2, edit(0, 0, "x"))) == [])
        #expect(talk.hear(.peer("s", 1, Selection(caret: 0))) == [])
        #expect(talk.text == "abc")
    }

    /// Rule D9.
    @Test("a renamed document is opened under its new name, and its push sent again")
    func renamed() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "X"))
        #expect(talk.hear(.refused(1, .notFound)) == [.show(.refused(.notFound))])
        let renamed = talk.hear(.departed(.renamed, to: "new"))
        #expect(renamed == [.rename("new"), .open(from: 1), .show(.offline)])
        #expect(talk.hear(.resumed(at: 1)) == [.push(1, base: 1, edit(3, 3, "X")), .show(.sending)])
    }

    @Test("what is said of a connection that is gone means nothing")
    func saidBefore() throws {
        var talk = try Conversation.opened("abc")
        _ = talk.cutOff()
        for message in [ServerMessage.departed(.renamed, to: "new"), .departed(.deleted), .resumed(at: 1)] {
            #expect(talk.hear(message) == [])
        }
        #expect(talk.connect() == [.open(from: 1)])
    }

    @Test("the text of a document that is gone is kept, and may be opened again")
    func gone() throws {
        let departures: [(ServerMessage, Refusal)] = [
            (.departed(.deleted), .notFound), (.departed(.damaged), .damaged), (.granted(.none), .notFound),
        ]
        for (message, refusal) in departures {
            var talk = try Conversation.opened("abc")
            #expect(talk.hear(message) == [.show(.refused(refusal))])
            #expect(try talk.type(edit(0, 0, "x")) == [])
            #expect(talk.text == "xabc")
            #expect(talk.retry() == [.open(from: 1), .show(.offline)])
            #expect(talk.refuseOpen(.notFound) == [.show(.refused(.notFound))])
        }
    }

    @Test("an opening that is refused for now is tried again")
    func refusedForNow() throws {
        var talk = Conversation()
        _ = talk.connect()
        #expect(talk.refuseOpen(.overloaded, after: 9) == [.retry(after: 9)])
        #expect(talk.wait() == [.openWhole])
        #expect(talk.refuseOpen(.alreadyOpen) == [.close, .retry(after: 1000)])
    }

    @Test("messages that break the order or do not fit lead to the whole text, and change nothing")
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
            #expect(talk.hear(message).suffix(3) == [.close, .openWhole, .show(.offline)], "\(message)")
            #expect(talk.text == "a😀")
            #expect(talk.hear(.opened("b", at: 3)).contains(.show(.saved)))
        }
    }

    @Test("an ack whose edits do not fit leads to the whole text, and the push is sent again")
    func brokenAck() throws {
        for edits in [[edit(0, 9, "")], [edit(1, 1, "x"), edit(0, 0, "y")], [edit(2, 2, "y")]] {
            var talk = try Conversation.opened("a😀")
            _ = try talk.type(edit(1, 1, "x"))
            #expect(talk.hear(.acked(1, 2, edits)) == [.close, .openWhole, .show(.offline)])
            #expect(talk.text == "ax😀")
            let again = [Action.push(1, base: 1, edit(1, 1, "x")), .show(.sending)]
            #expect(talk.hear(.opened("a😀", at: 1)) == again)
        }
    }

    @Test("a text or an edit that cannot be is an error, and changes nothing")
    func impossible() throws {
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

    @Test("a resumption at another place, and an opening at no place, are not taken")
    func brokenOpenings() throws {
        for message in [
            ServerMessage.resumed(at: 2), .opened("", at: -1), .opened("", at: Revision(.max)),
        ] {
            var talk = try Conversation.opened("abc")
            _ = talk.cutOff()
            _ = talk.connect()
            #expect(talk.hear(message) == [.close, .openWhole], "\(message)")
            #expect(talk.text == "abc")
        }
    }

    @Test("several revisions in one are taken in, and with a push in flight the whole text is asked for")
    func joined() throws {
        var talk = try Conversation.opened("abc", mode: .watch)
        #expect(talk.hear(.changed(4, from: 1, edit(0, 3, "x"))) == [.edit(edit(0, 3, "x"))])
        #expect(talk.replica.revision == 4)
        talk = try Conversation.opened("abc")
        _ = try talk.type(edit(0, 0, "x"))
        #expect(talk.hear(.changed(4, from: 1, edit(0, 3, "x"))).contains(.openWhole))
    }
}
