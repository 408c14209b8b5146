import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("Redacting an open document") struct RoomRedactionTests {
    /// Rule A18.
    @Test("a redaction sends every session the new text in a new epoch")
    func sessions() throws {
        var world = try RoomWorld("my secret is secret")
        world.openQuietly(.ann, .bob)
        world.push(.bob, [(0, 2, "our")], base: 1, seq: 1)
        world.forget()
        try world.redact("secret", by: .orderer, id: .number(4))
        let answer = world.lines(.orderer)
        #expect(answer.count == 1 && answer.line(0).contains(#""type":"redacted","id":4,"doc":"notes""#))
        #expect(answer.line(0).contains(#""containing":2,"in_head":2,"changed":1"#))
        let epoch = world.room.log.epoch
        #expect(world.notices == [.redacted(epoch)] && epoch != Epoch(generation: 1, document: 1))
        #expect(world.text == "our ****** is ******")
        for person in [Person.ann, .bob] {
            let lines = world.lines(person)
            #expect(lines.count == 1 && lines.line(0).hasPrefix(#"{"type":"resync","doc":"notes","epoch":""#))
            #expect(lines.line(0).contains(#""rev":2,"text":"our ****** is ******","reason":"epoch""#))
        }
        #expect(world.lines(.bob).isEmpty)
    }

    /// Rules A19 and P8.
    @Test("pushes during a redaction wait; known repeats are acked, and others refused")
    func pushes() throws {
        var world = try RoomWorld("my secret")
        world.openQuietly(.ann, .bob)
        world.push(.bob, [(0, 0, "x")], base: 1, seq: 1)
        world.forget()
        world.holds = \.isRedact
        try world.redact("secret", by: .orderer)
        world.push(.ann, [(0, 0, "y")], base: 2, seq: 1)
        world.push(.bob, [(0, 0, "x")], base: 1, seq: 1)
        #expect(world.lines(.ann).isEmpty && world.lines(.bob).isEmpty)
        world.release()
        #expect(world.text == "xmy ******")
        let (ann, bob) = (world.lines(.ann), world.lines(.bob))
        #expect(ann.count(where: { $0.contains(#""code":"epoch_changed""#) }) == 1)
        #expect(ann.count(where: { $0.contains(#""type":"resync""#) }) == 1 && ann.count == 2)
        #expect(bob.count(where: { $0.contains(#""duplicate":true"#) }) == 1)
        #expect(bob.count(where: { $0.contains(#""own":{"seq":1,"rev":2}"#) }) == 1 && bob.count == 2)
        #expect(try world.store.entry(of: world.document).get().head == 2)
        let epoch = try world.store.entry(of: world.document).get().epoch.wire.string
        world.push(.ann, [(0, 0, "y")], base: 2, seq: 1, epoch: epoch)
        #expect(world.text == "yxmy ******")
    }

    @Test("a push whose text is still being read waits, and is refused after the redaction")
    func preparing() throws {
        var limits = Limits()
        limits.windowBytes = 1
        var world = try RoomWorld("my secret", limits: limits)
        world.openQuietly(.ann, .bob)
        for seq in Int64(1)...3 { world.push(.bob, [(0, 0, "x")], base: Revision(Int(seq)), seq: seq) }
        world.holds = \.isReadText
        world.push(.ann, [(0, 0, "y")], base: 1, seq: 1)
        try world.redact("secret", by: .orderer)
        world.forget()
        world.holds = { _ in false }
        world.release()
        #expect(
            world.text == "xxxmy ******" || world.text == "xxxymy ******" || world.text == "yxxxmy ******")
        let head = try world.store.entry(of: world.document).get().head
        #expect(world.room.head == head && world.room.text.string.contains("******"))
    }

    @Test("a slow session gets no revisions of two histories")
    func slow() throws {
        var limits = Limits()
        (limits.creditBytes, limits.windowBytes) = (1, 1)
        var world = try RoomWorld("my secret", limits: limits)
        world.openQuietly(.ann, .bob)
        world.isWrittenAtOnce = false
        for seq in Int64(1)...4 {
            world.push(.bob, [(0, 0, "x")], base: Revision(Int(seq)), seq: seq)
            world.reportWritten(.bob)
        }
        world.forget()
        world.holds = \.isRedact
        try world.redact("secret", by: .orderer)
        var reads = 0
        world.holds = { action in
            if action.isRead || action.isReadText { reads += 1 }
            return action.isRedact
        }
        for _ in 0..<3 { world.reportWritten(.ann) }
        #expect(reads == 0 && world.lines(.ann).isEmpty)
        world.release()
        world.reportWritten(.ann)
        #expect(reads == 0)
        let lines = world.lines(.ann)
        #expect(lines.count == 1 && lines.line(0).contains(#""text":"xxxxmy ******""#))
    }

    @Test("if the store refuses a redaction, the room continues with the old history")
    func refused() throws {
        var world = try RoomWorld("my secret")
        world.openQuietly(.ann)
        for (result, code) in [
            (RedactResult.tooFrequent, "too_large"), (.refused(.full), "storage_full"),
            (.refused(.failed), "storage_failed"),
        ] {
            world.holds = \.isRedact
            try world.redact("secret", by: .orderer)
            world.answer(\.isRedact, .redacted(result))
            #expect(world.lines(.orderer).codes == [code])
        }
        world.holds = { _ in false }
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        #expect(world.text == "xmy secret" && world.lines(.ann).codes.isEmpty)
    }

    @Test("a redaction that names an old name of the document is refused")
    func renamed() throws {
        var world = try RoomWorld("my secret")
        try world.rename(to: "other", by: .orderer)
        world.forget()
        try world.redact("secret", by: .orderer)
        #expect(world.lines(.orderer).codes == ["not_found"] && world.text == "my secret")
    }
}
