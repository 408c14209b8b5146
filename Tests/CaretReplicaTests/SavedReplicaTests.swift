import CaretCore
import CaretReplica
import CaretWire
import TestSupport
import Testing

@Suite("Keepsakes") struct KeepsakeTests {
    @Test("nothing needs to be kept where all is saved")
    func saved() throws {
        var talk = try Conversation.opened("a")
        #expect(talk.replica.keepsake == nil)
        _ = try talk.type(edit(1, 1, "b"))
        #expect(talk.replica.keepsake != nil)
        _ = talk.hear(.acked(1, 2))
        #expect(talk.replica.keepsake == nil)
    }

    @Test("a replica that goes on sends what was in flight word for word, and then what was unsent")
    func goesOn() throws {
        var talk = try Conversation.opened("a")
        _ = try talk.type(edit(1, 1, "b"))
        _ = talk.hear(.changed(2, edit(0, 0, "1")))
        _ = try talk.type(edit(3, 3, "c"))
        var later = try Replica(#require(talk.replica.keepsake))
        #expect(later.text.string == "1abc" && later.keepsake == talk.replica.keepsake)
        #expect(later.connected() == [.open(from: 2)])
        #expect(
            try later.received(.resumed(at: 2)) == [.push(1, base: 1, edit(1, 1, "b")), .show(.sending)])
        #expect(
            try later.received(.acked(1, 3, [edit(2, 2, "b")])) == [.push(2, base: 3, edit(3, 3, "c"))])
    }

    @Test("one whose push was committed all the same does not send it again")
    func committed() throws {
        var talk = try Conversation.opened("a")
        _ = try talk.type(edit(1, 1, "b"))
        var later = try Replica(#require(talk.replica.keepsake))
        _ = later.connected()
        let own = OwnPush(1, at: 2)
        _ = try later.received(.opened("ab", at: 2, own: own))
        #expect(later.text.string == "ab" && !later.hasUnsaved && later.nextSeq == 2)
    }

    @Test("what does not fit together is refused")
    func unfit() {
        let change = SampleChange.change([edit(5, 6, "")])
        let keepsake = Keepsake(
            place: nil, committed: Text(), push: nil, inFlight: Change(), unsent: change, nextSeq: 1)
        #expect(throws: ChangeError.self) { try Replica(keepsake) }
    }
}
