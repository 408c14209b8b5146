import CaretConfig
import CaretLog
import CaretRooms
import CaretServer
import CaretWire
import TestSupport
import Testing

@Suite("Reads over lines that a loop answers itself, step by step")
struct ReadOverLinesTests {
    private let world: ReadWorld
    private let reader: HandPort
    private var server: HandServer { world.server }
    private var writer: HandPort { world.writer }

    /// A reader with a name has read the document.
    init() throws {
        world = try ReadWorld()
        reader = world.server.greeted("ann-reader")
        read()
    }

    private func count(_ counter: Counter) -> UInt64 { world.count(counter) }

    /// Reads the document.
    @discardableResult
    private func read(over port: HandPort? = nil) -> String {
        let port = port ?? reader
        return world.answer(over: port) { port.receive(#"{"type":"read","doc":"a","id":5}"#) }
    }

    private func answer(_ text: String, _ revision: Int, epoch: String = "1.1") -> String {
        let start = #"{"type":"text","id":5,"doc":"a","epoch":"\#(epoch)","rev":\#(revision),"#
        return start + #""text":"\#(text)","newline":"lf"}"# + "\n"
    }

    @Test("the second read of a named client needs neither the hub nor the store")
    func second() {
        #expect(count(.readsFromStore) == 1 && count(.readsFromMemory) == 0)
        let before = server.hub.enqueued.value
        for _ in 0..<3 { #expect(read() == answer("one", 1)) }
        #expect(server.hub.enqueued.value == before)
        #expect(count(.readsFromStore) == 1 && count(.readsFromMemory) == 3)
        server.close()
    }

    @Test("its first read asks the hub, even if the text is in memory")
    func first() {
        #expect(read() == answer("one", 1) && count(.readsFromMemory) == 1)
        let other = server.greeted("ann-other")
        #expect(read(over: other) == answer("one", 1) && count(.readsFromMemory) == 1)
        #expect(read(over: other) == answer("one", 1) && count(.readsFromMemory) == 2)
        server.close()
    }

    @Test("an old revision is read from the store")
    func oldRevision() {
        writer.push(2, "two")
        server.run()
        for _ in 0..<2 {
            let before = reader.output.utf8.count
            reader.receive(#"{"type":"read","doc":"a","id":5,"rev":1}"#)
            server.run()
            #expect(String(reader.output.utf8.dropFirst(before)) == answer("one", 1))
        }
        #expect(count(.readsFromMemory) == 0)
        #expect(read() == answer("twoone", 2))
        server.close()
    }

    @Test("a client that has pushed to an open document gets nothing from memory")
    func pusher() {
        for _ in 0..<2 { #expect(read(over: writer) == answer("one", 1)) }
        #expect(count(.readsFromMemory) == 0)
        server.store.isHeld.change { $0 = true }
        writer.push(2, "two")
        writer.receive(#"{"type":"read","doc":"a","id":5}"#)
        server.run()
        #expect(!writer.output.hasSuffix(answer("twoone", 2)))
        server.store.isHeld.change { $0 = false }
        server.run()
        #expect(writer.output.hasSuffix(answer("twoone", 2)))
        server.close()
    }

    @Test("while a push is being committed, and after its ack, no older text is sent")
    func push() {
        world.commitSecond { reader.receive(#"{"type":"read","doc":"a","id":5}"#) }
        #expect(reader.output.hasSuffix(answer("twoone", 2)))
        for _ in 0..<2 { #expect(read() == answer("twoone", 2)) }
        #expect(count(.readsFromMemory) > 0)
        server.close()
    }

    @Test("another document that gets the name is read through the hub first")
    func otherDocument() {
        writer.receive(#"{"type":"push","doc":"b","base":0,"seq":2,"text":"other","create":true}"#)
        server.run()
        for line in [#"{"type":"delete","doc":"a"}"#, #"{"type":"rename","doc":"b","to":"a"}"#] {
            writer.receive(line)
            server.run()
        }
        // This read is of another client, and puts the text into memory.
        let other = server.greeted("ann-other")
        #expect(read(over: other) == answer("other", 1, epoch: "1.2"))
        #expect(read() == answer("other", 1, epoch: "1.2") && count(.readsFromMemory) == 0)
        #expect(read() == answer("other", 1, epoch: "1.2") && count(.readsFromMemory) == 1)
        server.close()
    }

    @Test("after a token is revoked, its connections read nothing, even before they know it")
    func revoked() {
        world.revoke()
        let before = reader.output.utf8.count
        reader.receive(#"{"type":"read","doc":"a","id":5}"#)
        server.run()
        let output = String(reader.output.utf8.dropFirst(before)) ?? ""
        #expect(!output.contains(#""type":"text""#) && count(.readsFromMemory) == 0, "\(output)")
        server.close()
    }

    @Test("once a token has ended, or without the right to read, reads go to the hub")
    func rights() throws {
        let grants = try #require(Grants([Grant(.read, to: .prefix("b"))]))
        world.setGrants(grants)
        server.run()
        #expect(read().contains(#""code":"not_found""#))
        world.setGrants(.all)
        server.run()
        #expect(read() == answer("one", 1) && count(.readsFromMemory) == 1)
        server.clock.advance(milliseconds: 60_000)
        #expect(!read().contains(#""type":"text""#) && count(.readsFromMemory) == 1)
        server.close()
    }

    @Test("of many reads in one piece, a loop answers 15 and then lets the hub answer one")
    func many() {
        let before = server.hub.enqueued.value
        reader.receive(
            Array(repeating: #"{"type":"read","doc":"a","id":5}"#, count: 20).joined(separator: "\n"))
        #expect(count(.readsFromMemory) == 15 && server.hub.enqueued.value == before + 1)
        server.run()
        #expect(reader.output.hasSuffix(String(repeating: answer("one", 1), count: 20)))
        server.close()
    }

    @Test("a text over 64 KiB is encoded beside the loops")
    func longText() {
        for (seq, length) in [(2, (64 << 10) - 3), (3, 1)] {
            writer.push(seq, String(repeating: "x", count: length))
            server.run()
            let before = count(.readsFromMemory)
            for _ in 0..<2 { #expect(read().contains(#""rev":\#(seq),"#)) }
            #expect(count(.readsFromMemory) - before == (length > 1 ? 1 : 0))
        }
        server.close()
    }
}
