import CaretCore
import CaretReplica
import CaretWire
import TestSupport
import Testing

@Suite("Pushing edits from a replica") struct PushTests {
    /// Rule P19.
    @Test("an edit is sent at once, and counts as saved after its ack")
    func typedAndAcked() throws {
        var talk = try Conversation.opened("ab")
        #expect(try talk.type(edit(1, 1, "x")) == [.push(1, base: 1, edit(1, 1, "x")), .show(.sending)])
        #expect(talk.text == "axb")
        #expect(talk.committed == "ab")
        #expect(talk.receive(.acked(1, 2)) == [.show(.saved)])
        #expect(talk.committed == "axb")
        #expect(talk.replica.revision == 2)
    }

    @Test("edits made during a push are sent together after its ack")
    func unsentIsComposed() throws {
        var talk = try Conversation.opened("ab")
        _ = try talk.type(edit(2, 2, "c"))
        #expect(try talk.type(edit(3, 3, "d")) == [])
        #expect(try talk.type(edit(4, 4, "e")) == [])
        #expect(talk.receive(.acked(1, 2)) == [.push(2, base: 2, edit(3, 3, "de"))])
        #expect(talk.replica.nextSeq == 3)
    }

    @Test("unsent edits that cancel each other are not sent")
    func nothingIsNotSent() throws {
        var talk = try Conversation.opened("ab")
        _ = talk.disconnect()
        _ = try talk.type(edit(1, 1, "x"))
        _ = try talk.type(edit(1, 2, ""))
        _ = talk.connect()
        #expect(talk.receive(.resumed(at: 1)) == [.show(.saved)])
    }

    @Test("a change that does not fit the shown text throws and changes nothing")
    func misplacedTyping() throws {
        var talk = try Conversation.opened("a😀")
        #expect(throws: ChangeError.self) { try talk.type(edit(2, 2, "x")) }
        for (anchor, head) in [(4, 0), (0, 4), (2, 0), (0, 2)] as [(Offset, Offset)] {
            #expect(throws: TextError.self) { try talk.select(Selection(anchor: anchor, head: head)) }
        }
        #expect(talk.replica.selections.isEmpty)
        #expect(talk.text == "a😀")
        #expect(!talk.replica.hasUnsaved)
    }

    @Test("others' changes are rebased over the push in flight and unsent edits")
    func remoteChange() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "X"))
        _ = try talk.type(edit(0, 0, "Y"))
        #expect(
            talk.receive(.changed(2, edit(0, 1, ""), edit(3, 3, "z"))) == [
                .edit(edit(1, 2, ""), edit(4, 4, "z"))
            ])
        #expect(talk.text == "YbczX")
        #expect(talk.receive(.acked(1, 3, [edit(3, 3, "X")])) == [.push(2, base: 3, edit(0, 0, "Y"))])
        #expect(talk.committed == "bczX")
    }

    /// Rule P8.
    @Test("a push is resent byte for byte after a disconnect")
    func resent() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "X"))
        _ = talk.receive(.changed(2, edit(0, 0, "12")))
        #expect(talk.disconnect() == [.show(.offline)])
        #expect(try talk.type(edit(6, 6, "Y")) == [])
        #expect(talk.connect() == [.open(from: 2)])
        #expect(talk.receive(.resumed(at: 2)) == [.push(1, base: 1, edit(3, 3, "X")), .show(.sending)])
        #expect(talk.receive(.acked(1, 3, [edit(5, 5, "X")])) == [.push(2, base: 3, edit(6, 6, "Y"))])
    }

    @Test("a committed push is not resent after a resume")
    func ownOnResume() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "X"))
        _ = talk.disconnect()
        _ = talk.connect()
        #expect(talk.receive(.resumed(at: 1, own: OwnPush(1, at: 3))) == [.show(.sending)])
        #expect(talk.receive(.changed(2, edit(0, 0, "1"))) == [.edit(edit(0, 0, "1"))])
        #expect(talk.receive(.acked(1, 3, [edit(4, 4, "X")])) == [.show(.saved)])
        #expect(talk.text == "1abcX")
    }

    /// Rule C3.
    @Test("an ack advances the revision, but a duplicate ack does not")
    func duplicateBeforeTheStream() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "X"))
        #expect(talk.receive(.acked(1, 2, [edit(3, 3, "X")], kind: .duplicate)) == [])
        #expect(talk.replica.revision == 1)
        #expect(talk.receive(.acked(1, 2, [edit(3, 3, "X")])) == [.show(.saved)])
        #expect(talk.receive(.acked(1, 2, [edit(3, 3, "X")], kind: .duplicate)) == [])
        #expect(talk.text == "abcX")
        #expect(talk.replica.revision == 2)
    }

    /// Rule C3.
    @Test("an ack that skips a revision does not advance the text")
    func ackAheadOfTheStream() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "X"))
        #expect(talk.receive(.acked(1, 3, [edit(4, 4, "X")])) == [])
        #expect(talk.replica.revision == 1)
        #expect(talk.receive(.changed(2, edit(0, 0, "1"))) == [.edit(edit(0, 0, "1"))])
        #expect(talk.receive(.acked(1, 3, [edit(4, 4, "X")])) == [.show(.saved)])
        #expect(talk.text == "1abcX")
    }

    /// Rule C3.
    @Test(
        "a push acked as `unchanged` is saved once the ack's revision arrives"
    )
    func unchanged() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(0, 2, ""))
        #expect(talk.receive(.acked(1, 2, kind: .unchanged)) == [])
        #expect(talk.text == "c")
        #expect(talk.receive(.changed(2, edit(0, 2, ""))) == [.show(.saved)])
        #expect(talk.text == "c")
        #expect(try talk.type(edit(0, 0, "x")) == [.push(2, base: 2, edit(0, 0, "x")), .show(.sending)])
    }

    @Test("if a push is wrongly acked as `unchanged`, its edits are removed")
    func unchangedButNot() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "X"))
        _ = try talk.type(edit(4, 4, "Y"))
        #expect(
            talk.receive(.acked(1, 1, kind: .unchanged))
                == [.edit(edit(3, 4, "")), .push(2, base: 1, edit(3, 3, "Y"))])
        #expect(talk.text == "abcY")
    }

    @Test("if an ack's edits differ from the push, the replica uses the ack's")
    func ackWithOtherEdits() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.type(edit(3, 3, "X"))
        #expect(
            talk.receive(.acked(1, 2, [edit(0, 0, "X")])) == [
                .edit(edit(0, 0, "X"), edit(3, 4, "")), .show(.saved),
            ])
        #expect(talk.text == "Xabc")
    }

    @Test("an ack for a push of an earlier process is applied like any change")
    func earlierProcess() throws {
        var talk = try Conversation.opened("abc")
        #expect(talk.receive(.acked(7, 2, [edit(0, 0, "X")])) == [.edit(edit(0, 0, "X"))])
        #expect(talk.receive(.acked(8, 3)) == [.close, .openFullText, .show(.offline)])
    }

    @Test(
        "new pushes are numbered above the highest number the server knows",
        arguments: [1, 2, 40] as [Seq])
    func nextNumber(known: Seq) throws {
        let next = max(known.next, 2)
        var talk = Conversation(firstSeq: 2)
        _ = talk.connect()
        _ = talk.receive(.opened("abc", at: 9, own: OwnPush(known, at: 8)))
        var other = talk
        #expect(try talk.type(edit(0, 0, "x")).first == .push(next, base: 9, edit(0, 0, "x")))
        _ = other.receive(.resynced("abc", at: 12, own: OwnPush(70, at: 11)))
        #expect(try other.type(edit(0, 0, "x")).first == .push(71, base: 12, edit(0, 0, "x")))
    }

    @Test("the number of a push does not overflow")
    func lastNumber() throws {
        var talk = Conversation(firstSeq: .last)
        _ = talk.connect()
        _ = talk.receive(.opened("", at: 0, own: OwnPush(Seq(.max), at: 0)))
        #expect(try talk.type(edit(0, 0, "x")).first == .push(.last, base: 0, edit(0, 0, "x")))
        #expect(talk.replica.nextSeq == .last)
        // The largest integer that the wire allows.
        #expect(Seq.last.value == 9_007_199_254_740_991)
    }

    @Test(
        "without the right to write, or in watch mode, edits are not sent",
        arguments: [DocumentMode.edit, .watch])
    func readers(mode: DocumentMode) throws {
        var talk = try Conversation.opened("abc", rights: mode == .edit ? .read : .write, mode: mode)
        #expect(try talk.type(edit(0, 0, "x")) == [.show(.refused(.forbidden))])
        #expect(talk.receive(.changed(2, edit(3, 3, "d"))) == [.edit(edit(4, 4, "d"))])
        #expect(talk.text == "xabcd")
        let now = talk.receive(.granted(.write))
        #expect(now == (mode == .edit ? [.push(1, base: 2, edit(0, 0, "x")), .show(.sending)] : []))
    }
}
