import CaretCore
import CaretReplica
import CaretWire
import TestSupport
import Testing

@Suite("Pushing") struct PushTests {
    /// Rule P19.
    @Test("what is typed goes out at once, and is saved with its ack")
    func typedAndAcked() throws {
        var talk = try Conversation.opened("ab")
        #expect(try talk.type(edit(1, 1, "x")) == [.push(1, base: 1, edit(1, 1, "x")), .show(.sending)])
        #expect(talk.text == "axb")
        #expect(talk.committed == "ab")
        #expect(talk.hear(.acked(1, 2)) == [.show(.saved)])
        #expect(talk.committed == "axb")
        #expect(talk.replica.revision == 2)
    }

    @Test("what is typed behind a push in flight goes out in one, with the next number, after the ack")
    func unsentIsComposed() throws {
        var talk = try Conversation.opened("ab")
        _ = try talk.type(edit(2, 2, "c"))
        #expect(try talk.type(edit(3, 3, "d")) == [])
        #expect(try talk.type(edit(4, 4, "e")) == [])
        #expect(talk.hear(.acked(1, 2)) == [.push(2, base: 2, edit(3, 3, "de"))])
        #expect(talk.replica.nextSeq == 3)
    }

    @Test("what comes to nothing before it is sent is not sent")
    func nothingIsNotSent() throws {
        var talk = try Conversation.opened("ab")
        _ = talk.cutOff()
        _ = try talk.type(edit(1, 1, "x"))
        _ = try talk.type(edit(1, 2, ""))
        _ = talk.connect()
        #expect(talk.hear(.resumed(at: 1)) == [.show(.saved)])
    }

    @Test("a change that does not fit the view is refused and changes nothing")
    func misplacedTyping() throws {
        var talk = try Conversation.opened("a😀")
        #expect(throws: ChangeError.self) { try talk.type(edit(2, 2, "x")) }
        #expect(throws: TextError.self) { try talk.select(Selection(caret: 4)) }
        #expect(talk.text == "a😀")
        #expect(!talk.replica.hasUnsaved)
    }

    @Test("somebody else's change is moved over what is in flight and unsent, and edits the view around it")
    func remoteChange() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "X"))
        _ = try talk.type(edit(0, 0, "Y"))
        #expect(
            talk.hear(.changed(2, edit(0, 1, ""), edit(3, 3, "z"))) == [
                .edit(edit(1, 2, ""), edit(4, 4, "z"))
            ])
        #expect(talk.text == "YbczX")
        #expect(talk.hear(.acked(1, 3, [edit(3, 3, "X")])) == [.push(2, base: 3, edit(0, 0, "Y"))])
        #expect(talk.committed == "bczX")
    }

    /// Rule P8.
    @Test("a push is sent again word for word after a cut, whatever was committed since")
    func sentAgain() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "X"))
        _ = talk.hear(.changed(2, edit(0, 0, "12")))
        #expect(talk.cutOff() == [.show(.offline)])
        #expect(try talk.type(edit(6, 6, "Y")) == [])
        #expect(talk.connect() == [.open(from: 2)])
        #expect(talk.hear(.resumed(at: 2)) == [.push(1, base: 1, edit(3, 3, "X")), .show(.sending)])
        #expect(talk.hear(.acked(1, 3, [edit(5, 5, "X")])) == [.push(2, base: 3, edit(6, 6, "Y"))])
    }

    @Test("a known push is not sent again after a resume, and its ack comes with the stream")
    func ownOnResume() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "X"))
        _ = talk.cutOff()
        _ = talk.connect()
        #expect(talk.hear(.resumed(at: 1, own: OwnPush(1, at: 3))) == [.show(.sending)])
        #expect(talk.hear(.changed(2, edit(0, 0, "1"))) == [.edit(edit(0, 0, "1"))])
        #expect(talk.hear(.acked(1, 3, [edit(4, 4, "X")])) == [.show(.saved)])
        #expect(talk.text == "1abcX")
    }

    /// Rule C3.
    @Test("a duplicate is only a reply: the stream brings the revision")
    func duplicateBeforeTheStream() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "X"))
        #expect(talk.hear(.acked(1, 2, [edit(3, 3, "X")], kind: .duplicate)) == [])
        #expect(talk.replica.revision == 1)
        #expect(talk.hear(.acked(1, 2, [edit(3, 3, "X")])) == [.show(.saved)])
        #expect(talk.hear(.acked(1, 2, [edit(3, 3, "X")], kind: .duplicate)) == [])
        #expect(talk.text == "abcX")
        #expect(talk.replica.revision == 2)
    }

    /// Rule C3.
    @Test("an ack whose revision is not the next one is only a reply")
    func ackAheadOfTheStream() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "X"))
        #expect(talk.hear(.acked(1, 3, [edit(4, 4, "X")])) == [])
        #expect(talk.replica.revision == 1)
        #expect(talk.hear(.changed(2, edit(0, 0, "1"))) == [.edit(edit(0, 0, "1"))])
        #expect(talk.hear(.acked(1, 3, [edit(4, 4, "X")])) == [.show(.saved)])
        #expect(talk.text == "1abcX")
    }

    /// Rule C3.
    @Test(
        "a push that came to nothing waits for the stream to come to where it was judged, and makes no revision"
    )
    func unchanged() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(0, 2, ""))
        #expect(talk.hear(.acked(1, 2, kind: .unchanged)) == [])
        #expect(talk.text == "c")
        #expect(talk.hear(.changed(2, edit(0, 2, ""))) == [.show(.saved)])
        #expect(talk.text == "c")
        #expect(try talk.type(edit(0, 0, "x")) == [.push(2, base: 2, edit(0, 0, "x")), .show(.sending)])
    }

    @Test("what a server calls unchanged and is not goes from the view")
    func unchangedButNot() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "X"))
        _ = try talk.type(edit(4, 4, "Y"))
        #expect(
            talk.hear(.acked(1, 1, kind: .unchanged))
                == [.edit(edit(3, 4, "")), .push(2, base: 1, edit(3, 3, "Y"))])
        #expect(talk.text == "abcY")
    }

    @Test("an ack tells what was committed, and the view follows where it had it otherwise")
    func ackWithOtherEdits() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "X"))
        #expect(
            talk.hear(.acked(1, 2, [edit(0, 0, "X")])) == [
                .edit(edit(0, 0, "X"), edit(3, 4, "")), .show(.saved),
            ])
        #expect(talk.text == "Xabc")
    }

    @Test("an own revision of an earlier life is taken in like anybody's")
    func earlierLife() throws {
        var talk = try Conversation.opened("abc")
        #expect(talk.hear(.acked(7, 2, [edit(0, 0, "X")])) == [.edit(edit(0, 0, "X"))])
        #expect(talk.hear(.acked(8, 3)) == [.close, .openWhole, .show(.offline)])
    }

    @Test("numbers go on above the highest that the server knows")
    func numbersGoOn() throws {
        var talk = Conversation(firstSeq: 2)
        _ = talk.connect()
        _ = talk.hear(.opened("abc", at: 9, own: OwnPush(40, at: 8)))
        #expect(try talk.type(edit(0, 0, "x")).first == .push(41, base: 9, edit(0, 0, "x")))
    }

    @Test("the last number there is does not overflow")
    func lastNumber() throws {
        var talk = Conversation(firstSeq: .last)
        _ = talk.connect()
        _ = talk.hear(.opened("", at: 0, own: OwnPush(Seq(.max), at: 0)))
        #expect(try talk.type(edit(0, 0, "x")).first == .push(.last, base: 0, edit(0, 0, "x")))
        #expect(talk.replica.nextSeq == .last)
    }

    @Test(
        "who may only read, or only watches, keeps what is typed to themselves",
        arguments: [DocumentMode.edit, .watch])
    func readers(mode: DocumentMode) throws {
        var talk = try Conversation.opened("abc", rights: mode == .edit ? .read : .write, mode: mode)
        #expect(try talk.type(edit(0, 0, "x")) == [.show(.refused(.forbidden))])
        #expect(talk.hear(.changed(2, edit(3, 3, "d"))) == [.edit(edit(4, 4, "d"))])
        #expect(talk.text == "xabcd")
        let now = talk.hear(.granted(.write))
        #expect(now == (mode == .edit ? [.push(1, base: 2, edit(0, 0, "x")), .show(.sending)] : []))
    }
}
