import CaretCore
import CaretReplica
import CaretWire
import TestSupport
import Testing

@Suite("Saved replicas") struct SavedReplicaTests {
    @Test("without unsaved edits, `savedReplica` is nil")
    func saved() throws {
        var talk = try Conversation.opened("a")
        #expect(talk.replica.savedReplica == nil)
        _ = try talk.type(edit(1, 1, "b"))
        #expect(talk.replica.savedReplica != nil)
        _ = talk.receive(.acked(1, 2))
        #expect(talk.replica.savedReplica == nil)
    }

    @Test("a restored replica resends the push in flight, then the unsent edits")
    func restored() throws {
        var talk = try Conversation.opened("a")
        _ = try talk.type(edit(1, 1, "b"))
        _ = talk.receive(.changed(2, edit(0, 0, "1")))
        _ = try talk.type(edit(3, 3, "c"))
        var later = try Replica(#require(talk.replica.savedReplica))
        #expect(later.text.string == "1abc" && later.savedReplica == talk.replica.savedReplica)
        #expect(later.connected() == [.open(from: 2)])
        #expect(
            try later.received(.resumed(at: 2)) == [.push(1, base: 1, edit(1, 1, "b")), .show(.sending)])
        #expect(
            try later.received(.acked(1, 3, [edit(2, 2, "b")])) == [.push(2, base: 3, edit(3, 3, "c"))])
    }

    @Test("a restored replica does not resend a push that was committed")
    func committed() throws {
        var talk = try Conversation.opened("a")
        _ = try talk.type(edit(1, 1, "b"))
        var later = try Replica(#require(talk.replica.savedReplica))
        _ = later.connected()
        let own = OwnPush(1, at: 2)
        _ = try later.received(.opened("ab", at: 2, own: own))
        #expect(later.text.string == "ab" && !later.hasUnsaved && later.nextSeq == 2)
    }

    @Test("a replica that was saved before its first open is restored offline")
    func neverOpened() throws {
        var talk = Conversation()
        _ = try talk.type(edit(0, 0, "mine"))
        var later = try Replica(#require(talk.replica.savedReplica))
        #expect(later.state == .offline && later.text.string == "mine")
        #expect(later.connected() == [.openFullText])
        try later.checkInvariants()
        #expect(try later.received(.opened("theirs, ", at: 4)).last == .show(.sending))
        #expect(later.text.string == "theirs, mine")
    }

    @Test("an inconsistent saved replica is refused")
    func unfit() {
        let change = SampleChange.change([edit(5, 6, "")])
        let savedReplica = SavedReplica(
            position: nil, committed: TextBuffer(), push: nil, inFlight: Change(), unsent: change, nextSeq: 1)
        #expect(throws: ChangeError.self) { try Replica(savedReplica) }
    }
}
