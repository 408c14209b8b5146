import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("hub: pushes that create their document")
struct HubFirstPushTests {
    private static let push = #"{"type":"push","doc":"a","base":0,"seq":1,"text":"one\r\n","create":true}"#

    private static func isCreation(_ call: StoreCall) -> Bool {
        if case .create = call { true } else { false }
    }

    private func exists(_ world: ServerWorld) throws -> Bool {
        if case .success = world.store.find(try DocumentName("a")) { true } else { false }
    }

    /// Rules P1 and P3.
    @Test("the document and its text are one call of the store, and no room is made")
    func oneCall() throws {
        let world = ServerWorld()
        world.holdsAnswer = HubFirstPushTests.isCreation
        let (ann, bob) = (world.connect("ann"), world.connect("bob"))
        ann.says(HubFirstPushTests.push)
        #expect(ann.hears() == ["welcome"])
        // Nobody sees the document without its text.
        #expect(
            try world.store.text(of: DocumentID(1), at: nil).get()
                == Snapshot(revision: 1, text: TextBuffer("one\n")))
        bob.says(#"{"type":"read","doc":"a"}"#)
        #expect(bob.heard().last?.contains(#""text":"one\n""#) == true)
        world.release()
        #expect(
            ann.hears() == [
                #"{"type":"ack","doc":"a","seq":1,"epoch":"1.1","rev":1,"edits":[{"range":[0,0],"text":"one\n"}]}"#
            ])
        #expect(world.hub.roomCount == 0)
        #expect(try world.store.find(DocumentName("a")).get().lineBreak == .crlf)
    }

    /// Rule P20.
    @Test(
        "a refused push creates nothing",
        arguments: [
            (#""base":1,"text":"x","create":true"#, "base_ahead"),
            (#""base":0,"text":"123456789","create":true"#, "too_large"),
            (#""epoch":"1.1","base":0,"text":"x","create":true"#, "not_found"),
        ])
    func refused(push: String, code: String) throws {
        let world = ServerWorld { $0.announced.document = 8 }
        let ann = world.connect("ann")
        #expect(ann.asks(#"{"type":"push","doc":"a","seq":1,\#(push)}"#) == [code])
        #expect(try !exists(world))
        #expect(!world.calls.contains(where: HubFirstPushTests.isCreation))
        // The limit itself is allowed.
        let largest =
            #"{"type":"push","doc":"a","base":0,"seq":1,"text":"12345678","create":true,"want":"text"}"#
        let ack = ann.asks(largest)
        #expect(ack.count == 1 && ack[0].contains(#""rev":1"#) && ack[0].contains(#","text":"12345678"}"#))
    }

    @Test("an empty text creates an empty document")
    func empty() throws {
        let world = ServerWorld()
        let ann = world.connect("ann")
        let push = #"{"type":"push","doc":"a","base":0,"seq":1,"text":"","create":true,"want":"text"}"#
        #expect(
            ann.asks(push) == [
                #"{"type":"ack","doc":"a","seq":1,"epoch":"1.1","rev":0,"text":"","unchanged":true}"#
            ])
        #expect(try exists(world))
    }

    /// Rules P3 and P8.
    @Test("of two pushes that create the same document, the second one is refused; a repeat is recognised")
    func twoAtOnce() {
        let world = ServerWorld()
        world.holds = HubFirstPushTests.isCreation
        let (ann, bob) = (world.connect("ann"), world.connect("bob"))
        ann.says(HubFirstPushTests.push)
        bob.says(#"{"type":"push","doc":"a","base":0,"seq":1,"text":"two","create":true}"#)
        world.release()
        #expect(ann.hears().count == 2 && bob.hears() == ["welcome", "epoch_changed"])
        let again = ann.asks(HubFirstPushTests.push)
        #expect(again.count == 1 && again[0].contains(#""epoch":"1.1","rev":1"#))
        #expect(again[0].contains(#""duplicate":true"#))
    }

    /// Rule R5.
    @Test("a push whose user loses the rights before it is committed creates nothing")
    func revoked() throws {
        let world = ServerWorld()
        world.holds = { if case .open = $0 { true } else { false } }
        let ann = world.connect("ann")
        ann.says(HubFirstPushTests.push)
        world.hubEvent(.grantsChanged(nil, TokenID(1)))
        world.release()
        #expect(ann.hears().first == "welcome" && ann.heard().isEmpty)
        #expect(try !exists(world))
    }

    @Test(
        "a push that is committed is acked, even if its user loses the rights or the server stops",
        arguments: [true, false])
    func endsMeanwhile(isRevoked: Bool) throws {
        let world = ServerWorld()
        world.holdsAnswer = HubFirstPushTests.isCreation
        let ann = world.connect("ann")
        ann.says(HubFirstPushTests.push)
        world.hubEvent(isRevoked ? .grantsChanged(nil, TokenID(1)) : .shutDown(retryAfterMilliseconds: nil))
        world.release()
        let lines = ann.hears()
        #expect(
            lines.count == 3 && lines[1].contains(#""type":"ack""#) && lines[2].contains(#""type":"bye""#))
    }
}
