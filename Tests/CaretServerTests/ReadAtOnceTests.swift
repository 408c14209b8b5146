import CaretConfig
import CaretLog
import CaretRooms
import CaretServer
import CaretWire
import TestSupport
import Testing

@Suite("Reads over HTTP that a loop answers itself, step by step")
struct ReadAtOnceTests {
    private let world: ReadWorld
    private let reader: HandPort
    private var server: HandServer { world.server }
    private var writer: HandPort { world.writer }

    /// A reader has read the document.
    init() throws {
        world = try ReadWorld()
        reader = world.server.connected(to: 1)
        read()
    }

    private func count(_ counter: Counter) -> UInt64 { world.count(counter) }

    /// Requests the document.
    @discardableResult
    private func read(_ fields: String..., as method: String = "GET") -> String {
        world.answer(over: reader) { reader.request("\(method) /docs/a", fields.first ?? "Accept: */*") }
    }

    @Test("the second read needs neither the hub nor the store")
    func second() {
        #expect(count(.readsFromStore) == 1 && count(.readsFromMemory) == 0)
        server.store.isHeld.change { $0 = true }
        let before = server.hub.enqueued.value
        for _ in 0..<3 {
            let response = read()
            #expect(response.hasPrefix("HTTP/1.1 200 OK") && response.hasSuffix("\r\n\r\none"))
        }
        #expect(read(#"If-None-Match: "1.1/1""#).hasPrefix("HTTP/1.1 304 Not Modified"))
        let head = read(as: "HEAD")
        #expect(head.contains("Content-Length: 3\r\n") && head.hasSuffix("\r\n\r\n"))
        #expect(server.hub.enqueued.value == before)
        #expect(count(.readsFromStore) == 1 && count(.readsFromMemory) == 5)
        server.close()
    }

    @Test("while a push is being committed, and after its ack, no older text is sent")
    func push() {
        world.commitSecond { reader.request("GET /docs/a") }
        #expect(reader.output.hasSuffix("\r\n\r\ntwoone"))
        // The first read began before the commit, so its text was not kept. The text of the second one is.
        for _ in 0..<2 { #expect(read().hasSuffix("\r\n\r\ntwoone")) }
        #expect(count(.readsFromMemory) == 1 && count(.readsFromStore) == 3)
        server.close()
    }

    @Test("a read that the store answered before a push is not kept")
    func outdatedRead() {
        writer.push(2, "two")
        server.run()
        server.store.isHeld.change { $0 = true }
        reader.request("GET /docs/a")
        server.run()
        // The store looks up the name, and then reads the text.
        server.store.turn()
        server.run()
        writer.push(3, "three")
        server.run()
        #expect(server.store.waitingCalls == 2)
        server.store.isHeld.change { $0 = false }
        server.run()
        #expect(reader.output.hasSuffix("\r\n\r\ntwoone"))
        #expect(read().hasSuffix("\r\n\r\nthreetwoone"))
        server.close()
    }

    @Test("a renamed or deleted document is not found under its old name")
    func namesChange() {
        writer.receive(#"{"type":"rename","doc":"a","to":"b","id":7}"#)
        server.run()
        #expect(writer.output.contains(#""id":7"#))
        #expect(read().hasPrefix("HTTP/1.1 404 "))
        writer.receive(#"{"type":"rename","doc":"b","to":"a"}"#)
        server.run()
        for _ in 0..<2 { #expect(read().hasSuffix("one")) }
        writer.receive(#"{"type":"delete","doc":"a"}"#)
        server.run()
        #expect(read().hasPrefix("HTTP/1.1 404 "))
        server.close()
    }

    @Test("after a token is revoked, its connections read nothing, even before they know it")
    func revoked() {
        #expect(read().hasSuffix("one"))
        world.revoke()
        // The request arrives in the turn in which the loop would read the hub's message.
        let before = reader.output.utf8.count
        reader.request("GET /docs/a")
        server.run()
        let output = String(reader.output.utf8.dropFirst(before)) ?? ""
        #expect(!output.contains("200 OK") && count(.readsFromMemory) == 1, "\(output)")
        server.close()
    }

    @Test("a connection without the right to read gets nothing from memory")
    func noRight() throws {
        let grants = try #require(Grants([Grant(.read, to: .prefix("b"))]))
        world.setGrants(grants)
        server.run()
        #expect(read().hasPrefix("HTTP/1.1 404 "))
        world.setGrants(.all)
        server.run()
        #expect(read().hasSuffix("one") && count(.readsFromMemory) == 1)
        server.close()
    }

    @Test("once a token has ended, reads go to the hub")
    func tokenEnds() {
        server.clock.advance(milliseconds: 59_999)
        #expect(read().hasSuffix("one") && count(.readsFromMemory) == 1)
        server.clock.advance(milliseconds: 1)
        #expect(!read().contains("200 OK") && count(.readsFromMemory) == 1)
        server.close()
    }

    @Test("a read that names its client waits for this client's pushes")
    func namedClient() {
        for _ in 0..<2 { #expect(read("Caret-Client: ann-phone").hasSuffix("one")) }
        #expect(count(.readsFromMemory) == 0 && count(.readsFromStore) == 3)
        server.close()
    }

    @Test("with the limit 0, no text is kept")
    func noCache() throws {
        var limits = Limits()
        limits.textCache = 0
        let server = try HandServer(limits: limits)
        defer { server.close() }
        let port = server.greeted("ann-client")
        port.open()
        server.run()
        let reader = server.connected()
        for _ in 0..<2 {
            reader.request("GET /docs/a")
            server.run()
        }
        #expect(reader.output.contains("200 OK"))
        #expect(server.board.counts[.readsFromMemory] == 0 && server.board.counts[.readsFromStore] == 2)
    }
}
