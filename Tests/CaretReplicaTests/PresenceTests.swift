import CaretCore
import CaretReplica
import CaretWire
import TestSupport
import Testing

@Suite("Selections and peers in a replica") struct PresenceTests {
    /// Rule S6.
    @Test("a selection is sent as soon as all edits are acked")
    func sent() throws {
        var talk = try Conversation.opened("abc")
        #expect(try talk.select(Selection(caret: 1)) == [.select(at: 1, [Selection(caret: 1)])])
        #expect(try talk.select(Selection(caret: 1)) == [])
        _ = try talk.type(edit(0, 0, "x"))
        #expect(try talk.select(Selection(anchor: 4, head: 0)) == [])
        #expect(
            talk.receive(.acked(1, 2)) == [.select(at: 2, [Selection(anchor: 4, head: 0)]), .show(.saved)])
    }

    /// Rules S2 and S7.
    @Test("a caret moved by typing is not sent, because the server moves it too")
    func typesOn() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.select(Selection(caret: 1))
        _ = try talk.type(edit(1, 1, "x"))
        #expect(try talk.select(Selection(caret: 2)) == [])
        #expect(talk.receive(.acked(1, 2)) == [.show(.saved)])
        #expect(talk.receive(.changed(3, edit(0, 0, "y"))) == [.edit(edit(0, 0, "y"))])
        #expect(talk.replica.selections == [Selection(caret: 3)])
    }

    /// Rule S7.
    @Test("a selection is sent again if it differs from the server's")
    func sentAgain() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.select(Selection(caret: 1))
        _ = try talk.type(edit(1, 1, "x"))
        _ = try talk.select(Selection(caret: 1))
        #expect(talk.receive(.acked(1, 2)) == [.select(at: 2, [Selection(caret: 1)]), .show(.saved)])
    }

    /// Rule S1.
    @Test("an empty list of selections is sent like any other list")
    func none() throws {
        var talk = try Conversation.opened("abc")
        #expect(try talk.select() == [.select(at: 1, [])])
        _ = talk.disconnect()
        _ = talk.connect()
        #expect(talk.receive(.resumed(at: 1)).contains(.select(at: 1, [])))
    }

    @Test("a selection sent at an older revision is sent again at the head")
    func sentBeforeHead() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.select(Selection(caret: 1))
        _ = talk.receive(.changed(2, edit(3, 3, "d")))
        let text = try TextBuffer("abcd")
        #expect(talk.receive(.checked(2, of: text)) == [.select(at: 2, [Selection(caret: 1)])])
        #expect(talk.receive(.checked(2, of: text)) == [])
    }

    @Test("selections are sent again after a resync or a squashed change")
    func sentAfterJump() throws {
        for message in [ServerMessage.resynced("1abc", at: 3), .changed(3, from: 1, edit(0, 0, "1"))] {
            var talk = try Conversation.opened("abc")
            _ = try talk.select(Selection(caret: 1))
            let again = ReplicaAction.select(at: 3, [Selection(caret: 2)])
            #expect(talk.receive(message) == [.edit(edit(0, 0, "1")), again], "\(message)")
        }
    }

    /// Rule S3.
    @Test("peers' selections move with every change, even with unacked changes")
    func peers() throws {
        var talk = Conversation()
        _ = talk.connect()
        let ann = Peer("ann", [Selection(caret: 1)])
        let opened = talk.receive(.opened("abc", at: 1, peers: [ann]))
        #expect(opened == [.edit(edit(0, 0, "abc")), .showPeers, .show(.saved)])
        #expect(talk.receive(.peer("bob", 1, Selection(anchor: 3, head: 2))) == [.showPeers])
        let typed = try talk.type(edit(0, 0, "xy"))
        #expect(typed == [.push(1, base: 1, edit(0, 0, "xy")), .showPeers, .show(.sending)])
        #expect(try talk.type(edit(4, 4, "z")) == [.showPeers])
        #expect(
            talk.replica.peers.map(\.selections) == [[Selection(caret: 3)], [Selection(anchor: 6, head: 5)]])
        #expect(talk.receive(.changed(2, edit(0, 1, ""))) == [.edit(edit(2, 3, "")), .showPeers])
        #expect(
            talk.replica.peers.map(\.selections) == [[Selection(caret: 2)], [Selection(anchor: 5, head: 4)]])
        #expect(talk.receive(.left("ann")) == [.showPeers])
        #expect(talk.receive(.left("ann")) == [])
        #expect(talk.replica.peers.map(\.session) == ["bob"])
    }

    @Test("peers' selections with a wrong offset or revision are not shown")
    func misplacedPeers() throws {
        var talk = try Conversation.opened("a😀")
        _ = talk.receive(.peer("ann", 1, Selection(caret: 2), Selection(caret: 9), Selection(caret: 3)))
        _ = talk.receive(.peer("bob", 2, Selection(caret: 0)))
        #expect(talk.replica.peers == [PeerSelections(session: "ann", selections: [Selection(caret: 3)])])
    }

    @Test("a peer that is not in the answer to a new `open` disappears")
    func reopened() throws {
        var talk = try Conversation.opened("abc")
        _ = talk.receive(.peer("ann", 1, Selection(caret: 1)))
        _ = try talk.type(edit(3, 3, "d"))
        _ = talk.receive(.refused(1, .notOpen))
        let again = ReplicaAction.push(1, base: 1, edit(3, 3, "d"))
        #expect(talk.receive(.resumed(at: 1)) == [again, .showPeers, .show(.sending)])
        #expect(talk.replica.peers.isEmpty)
    }

    /// Rule S11.
    @Test("peers disappear when the connection ends")
    func disconnect() throws {
        var talk = try Conversation.opened("abc")
        _ = talk.receive(.peer("ann", 1, Selection(caret: 1)))
        #expect(talk.disconnect() == [.showPeers, .show(.offline)])
        #expect(talk.replica.peers.isEmpty)
    }

    @Test("the user's selections move with changes by others")
    func own() throws {
        var talk = try Conversation.opened("abc")
        _ = try talk.select(Selection(anchor: 1, head: 3))
        _ = talk.receive(.changed(2, edit(1, 2, "xyz")))
        #expect(talk.replica.selections == [Selection(anchor: 4, head: 5)])
        _ = talk.receive(.resynced("1axyzbc", at: 5))
        #expect(talk.replica.selections.count == 1)
    }
}
