import CaretCore
import CaretReplica
import CaretWire
import TestSupport
import Testing

@Suite("Presence") struct PresenceTests {
    /// Rule S6.
    @Test("a selection is told at once where nothing is unacked, and else once nothing is")
    func told() throws {
        var talk = try Conversation.opened("abc")
        #expect(try talk.select(Selection(caret: 1)) == [.select(at: 1, [Selection(caret: 1)])])
        #expect(try talk.select(Selection(caret: 1)) == [])
        _ = try talk.type(edit(0, 0, "x"))
        #expect(try talk.select(Selection(anchor: 4, head: 0)) == [])
        #expect(
            talk.hear(.acked(1, 2)) == [.select(at: 2, [Selection(anchor: 4, head: 0)]), .show(.saved)])
    }

    /// Rules S2 and S7.
    @Test("a caret that types on needs no message: the server moves it too")
    func typesOn() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.select(Selection(caret: 1))
        _ = try talk.type(edit(1, 1, "x"))
        #expect(try talk.select(Selection(caret: 2)) == [])
        #expect(talk.hear(.acked(1, 2)) == [.show(.saved)])
        #expect(talk.hear(.changed(3, edit(0, 0, "y"))) == [.edit(edit(0, 0, "y"))])
        #expect(talk.replica.selections == [Selection(caret: 3)])
    }

    /// Rule S7.
    @Test("a selection is told again where the view has it otherwise than the server must")
    func toldAgain() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.select(Selection(caret: 1))
        _ = try talk.type(edit(1, 1, "x"))
        _ = try talk.select(Selection(caret: 1))
        #expect(talk.hear(.acked(1, 2)) == [.select(at: 2, [Selection(caret: 1)]), .show(.saved)])
    }

    /// Rule S1.
    @Test("no selection at all is told too, and makes the session known")
    func none() throws {
        var talk = try Conversation.opened("abc")
        #expect(try talk.select() == [.select(at: 1, [])])
        _ = talk.cutOff()
        _ = talk.connect()
        #expect(talk.hear(.resumed(at: 1)).contains(.select(at: 1, [])))
    }

    @Test("a selection told on the way to the head is told once more there, since it may have been dropped")
    func toldOnTheWay() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.select(Selection(caret: 1))
        _ = talk.hear(.changed(2, edit(3, 3, "d")))
        let text = try Text("abcd")
        #expect(talk.hear(.checked(2, of: text)) == [.select(at: 2, [Selection(caret: 1)])])
        #expect(talk.hear(.checked(2, of: text)) == [])
    }

    /// Rule S3.
    @Test("the others' selections move with every change, one's own unacked ones included")
    func peers() throws {
        var talk = Conversation()
        _ = talk.connect()
        let ann = Peer("ann", [Selection(caret: 1)])
        _ = talk.hear(.opened("abc", at: 1, peers: [ann]))
        #expect(talk.hear(.peer("bob", 1, Selection(anchor: 3, head: 2))) == [.showPeers])
        _ = try talk.type(edit(0, 0, "xy"))
        _ = try talk.type(edit(4, 4, "z"))
        #expect(
            talk.replica.peers.map(\.selections) == [[Selection(caret: 3)], [Selection(anchor: 6, head: 5)]])
        #expect(talk.hear(.changed(2, edit(0, 1, ""))) == [.edit(edit(2, 3, "")), .showPeers])
        #expect(
            talk.replica.peers.map(\.selections) == [[Selection(caret: 2)], [Selection(anchor: 5, head: 4)]])
        #expect(talk.hear(.left("ann")) == [.showPeers])
        #expect(talk.hear(.left("ann")) == [])
        #expect(talk.replica.peers.map(\.session) == ["bob"])
    }

    @Test("selections that have no place, and those at another revision, are not shown")
    func misplacedPeers() throws {
        var talk = try Conversation.opened("a😀")
        _ = talk.hear(.peer("ann", 1, Selection(caret: 2), Selection(caret: 9), Selection(caret: 3)))
        _ = talk.hear(.peer("bob", 2, Selection(caret: 0)))
        #expect(talk.replica.peers == [PeerSelections(session: "ann", selections: [Selection(caret: 3)])])
    }

    /// Rule S11.
    @Test("presence ends with the connection")
    func cutOff() throws {
        var talk = try Conversation.opened("abc")
        _ = talk.hear(.peer("ann", 1, Selection(caret: 1)))
        #expect(talk.cutOff() == [.showPeers, .show(.offline)])
        #expect(talk.replica.peers.isEmpty)
    }

    @Test("one's own selections move with what others do to the view")
    func own() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.select(Selection(anchor: 1, head: 3))
        _ = talk.hear(.changed(2, edit(1, 2, "xyz")))
        #expect(talk.replica.selections == [Selection(anchor: 4, head: 5)])
        _ = talk.hear(.resynced("1axyzbc", at: 5))
        #expect(talk.replica.selections.count == 1)
    }
}
