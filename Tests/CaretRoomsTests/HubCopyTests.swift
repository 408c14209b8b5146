import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("hub: copies of documents")
struct HubCopyTests {
    /// Rules D18 and D19.
    @Test("a copy has the text and the named revisions, and the source stays as it is")
    func copy() {
        let world = ServerWorld()
        world.document("a", "1", "2", "3")
        let ann = world.connect("ann")
        #expect(ann.asks(#"{"type":"tag","id":1,"doc":"a","name":"two","rev":2}"#).count == 1)
        #expect(ann.asks(#"{"type":"copy","id":2,"doc":"a","to":"b"}"#) == [#"{"type":"done","id":2}"#])
        #expect(
            ann.askedInFull(#"{"type":"read","doc":"b"}"#) == [
                #"{"type":"text","doc":"b","epoch":"1.2","rev":2,"text":"3","newline":"lf"}"#
            ])
        #expect(
            ann.askedInFull(#"{"type":"read","doc":"b","rev":1}"#).first?.contains(#""text":"2""#) == true)
        #expect(
            ann.askedInFull(#"{"type":"list_tags","doc":"b"}"#) == [
                #"{"type":"tags","doc":"b","tags":[{"name":"two","rev":1,"user":"ann","time":10000}]}"#
            ])
        let history = ann.askedInFull(#"{"type":"history","doc":"b"}"#).first
        #expect(history?.contains(#""user":"ann""#) == true && history?.contains("root") == false)
        #expect(
            ann.askedInFull(#"{"type":"read","doc":"a"}"#) == [
                #"{"type":"text","doc":"a","epoch":"1.1","rev":3,"text":"3","newline":"lf"}"#
            ])
    }

    /// Rule D18.
    @Test("a copy contains what the client has pushed before, and a copied document can be edited at once")
    func ownPushes() {
        for seed in 0..<UInt64(50) {
            let world = ServerWorld(seed: seed)
            world.makesRoom = { WholeRoom($0, $1.settings, at: $1.now) }
            world.document("a", "x")
            let ann = world.connect("ann")
            ann.says(#"{"type":"open","doc":"a"}"#)
            _ = ann.heard()
            ann.send([
                #"{"type":"push","doc":"a","epoch":"1.1","base":1,"seq":1,"edits":[{"range":[1,1],"text":"y"}]}"#,
                #"{"type":"copy","id":2,"doc":"a","to":"b"}"#,
                // Waits for the copy, so it does not take its name.
                #"{"type":"push","id":3,"doc":"b","base":0,"seq":1,"text":"z","create":true}"#,
            ])
            world.run()
            #expect(
                Set(ann.hears()).isSuperset(of: [#"{"type":"done","id":2}"#, "epoch_changed"]), "seed \(seed)"
            )
            let text = ann.askedInFull(#"{"type":"read","doc":"b"}"#).first
            #expect(text?.contains(#""rev":1,"text":"xy""#) == true, "seed \(seed)")
            #expect(ann.asks(#"{"type":"open","doc":"b"}"#) == ["opened"])
            #expect(
                ann.asks(
                    #"{"type":"push","doc":"b","epoch":"1.2","base":1,"seq":1,"edits":[{"range":[2,2],"text":"z"}]}"#
                ) == [#"{"type":"ack","doc":"b","seq":1,"rev":2}"#])
        }
    }

    /// Rule D20.
    @Test("a copy needs the right to read the document, and to write the new name")
    func refusals() {
        let world = ServerWorld()
        world.document("a/1", "x")
        world.document("b/1", "y")
        let ann = world.connect("ann")
        for (to, code) in [("a/1", "exists"), ("b/1", "exists"), ("", "bad_name"), ("b\\u200b", "bad_name")] {
            #expect(ann.asks(#"{"type":"copy","doc":"a/1","to":"\#(to)"}"#) == [code])
        }
        #expect(ann.asks(#"{"type":"copy","doc":"c","to":"d"}"#) == ["not_found"])
        let reader = Grants([Grant(.read, to: .prefix("a")), Grant(.write, to: .prefix("own/"))])!
        let eve = world.connect("eve", reader)
        #expect(eve.asks(#"{"type":"copy","doc":"b/1","to":"own/1"}"#) == ["not_found"])
        #expect(eve.asks(#"{"type":"copy","doc":"a/1","to":"a/2"}"#) == ["forbidden"])
        #expect(eve.asks(#"{"type":"copy","doc":"a/1","to":"b/2"}"#) == ["forbidden"])
        #expect(eve.asks(#"{"type":"copy","id":1,"doc":"a/1","to":"own/1"}"#) == [#"{"type":"done","id":1}"#])
        // The second copy finds that of the first one.
        #expect(eve.asks(#"{"type":"copy","doc":"a/1","to":"own/1"}"#) == ["exists"])
    }

    @Test("followers learn of a copy as of a new document")
    func followers() {
        let world = ServerWorld()
        world.document("a", "x")
        let (ann, bob) = (world.connect("ann"), world.connect("bob"))
        #expect(bob.asks(#"{"type":"follow"}"#).types.contains("done"))
        #expect(ann.asks(#"{"type":"copy","id":1,"doc":"a","to":"b"}"#) == [#"{"type":"done","id":1}"#])
        world.pass(milliseconds: 1_000)
        let heard = bob.heard()
        #expect(heard.count == 1 && heard[0].contains(#""doc":"b","epoch":"1.2","rev":1"#), "\(heard)")
    }

    /// Rule D21.
    @Test("all revisions of a copy together have at most as many bytes as a line")
    func size() {
        let most = 300
        // A revision with one edit counts 64 bytes, and its text.
        let (fits, exceeds) = (
            String(repeating: "x", count: most - 64), String(repeating: "x", count: most - 63)
        )
        let world = ServerWorld { $0.announced.line = most }
        world.document("a", fits)
        world.document("b", exceeds)
        let ann = world.connect("ann")
        #expect(ann.asks(#"{"type":"copy","id":1,"doc":"a","to":"c"}"#) == [#"{"type":"done","id":1}"#])
        let refused = ann.askedInFull(#"{"type":"copy","doc":"b","to":"d"}"#)
        #expect(refused.first?.contains(#""code":"too_large""#) == true)
        #expect(refused.first?.contains("301 bytes") == true && refused.first?.contains("300") == true)
        #expect(ann.asks(#"{"type":"open","doc":"d"}"#) == ["not_found"])
    }

    @Test("4 documents can be copied at the same time")
    func atOnce() {
        let world = ServerWorld()
        world.document("a", "x")
        world.holds = { if case .tags(.copy) = $0 { true } else { false } }
        let clients = (0...HubState.mostCopies).map { world.connect("user\($0)") }
        for (index, client) in clients.enumerated() {
            #expect(client.hears() == ["welcome"])
            client.says(#"{"type":"copy","id":1,"doc":"a","to":"b\#(index)"}"#)
        }
        #expect(clients.map { $0.hears() } == Array(repeating: [], count: 4) + [["overloaded"]])
        world.release()
        #expect(clients.map { $0.hears() } == Array(repeating: [#"{"type":"done","id":1}"#], count: 4) + [[]])
        let last = clients[4]
        #expect(last.asks(#"{"type":"copy","id":2,"doc":"a","to":"b4"}"#) == [#"{"type":"done","id":2}"#])
    }

    @Test("a copy that the store cannot finish is refused, and can be repeated")
    func trouble() {
        let world = ServerWorld()
        world.document("a", "x")
        let ann = world.connect("ann")
        world.refuses = { if case .tags(.copy) = $0 { true } else { false } }
        #expect(ann.asks(#"{"type":"copy","doc":"a","to":"b"}"#) == ["storage_failed"])
        world.refuses = { _ in false }
        world.store.trouble = .full
        #expect(ann.asks(#"{"type":"copy","doc":"a","to":"b"}"#) == ["storage_full"])
        world.store.trouble = nil
        #expect(ann.asks(#"{"type":"copy","id":1,"doc":"a","to":"b"}"#) == [#"{"type":"done","id":1}"#])
    }
}
