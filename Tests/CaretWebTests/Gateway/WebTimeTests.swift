import CaretRooms
import CaretWeb
import CaretWire
import Testing

@Suite("Deadlines of requests") struct WebTimeTests {
    private static let listed = #"{"type":"listed","docs":[]}"#

    private let server = WebConversation()

    private func startBody(_ fields: String...) {
        server.send(WebConversation.bytes(of: "PUT /docs/a?base=k/1", ["Content-Length: 999999"] + fields))
        #expect(server.responses.allSatisfy { $0.status == "100 Continue" })
    }

    private func pass(_ seconds: Double...) { for time in seconds { server.pass(seconds: time) } }

    @Test("a connection with a member closes after 60 seconds without a request")
    func idle() throws {
        server.answers = [Self.listed]
        try server.request("GET /docs")
        // The server's pings are answered meanwhile.
        pass(20, 20, 19.999)
        #expect(server.actions == ["[authenticate]", "[join]", "[ask]"])
        pass(0.001)
        #expect(server.actions.suffix(2) == ["[leave]", "[close]"])
    }

    @Test("a request may be answered long after its head arrived")
    func longAnswer() throws {
        server.send(WebConversation.bytes(of: "GET /docs"))
        for _ in 0..<20 { pass(19) }
        server.hub(Self.listed)
        #expect(try server.response().status == "200 OK")
    }

    @Test("while the hub lets a member wait, no wake is due")
    func waiting() {
        server.admits = false
        server.send(WebConversation.bytes(of: "GET /docs"))
        for _ in 0..<3 { pass(10) }
        #expect(server.world.wake > server.world.now)
    }

    @Test("a body that stops arriving gets 408 after 30 seconds")
    func slowBody() throws {
        startBody()
        pass(20, 9.999)
        #expect(server.responses == [])
        pass(0.001)
        let response = try server.response()
        #expect(response.summary == "408 bad_request" && response.closes && server.log.last == "leave")
    }

    @Test("a body gets one more second for each 64 KiB")
    func longBody() throws {
        startBody()
        for _ in 0..<4 { server.send(String(repeating: "x", count: 64 << 10)) }
        pass(20)
        server.send("x")
        pass(13.999)
        #expect(server.responses == [])
        pass(0.001)
        #expect(try server.response().summary == "408 bad_request")
    }

    @Test("a long body that stops arriving gets 408 after two pings")
    func silentBody() throws {
        startBody()
        for _ in 0..<15 { server.send(String(repeating: "x", count: 64 << 10)) }
        pass(20, 19.999)
        #expect(server.responses == [])
        pass(0.001)
        #expect(try server.response().summary == "408 bad_request")
    }

    @Test("bytes that arrive after a deadline keep later deadlines")
    func bytesBeforeTimer() throws {
        startBody()
        for _ in 0..<15 { server.send(String(repeating: "x", count: 64 << 10)) }
        pass(5)
        // The timer of the first ping is late, and bytes are read first.
        server.world.now += 16_000
        server.send("x")
        // The time limit for this body is 45 seconds: 30 as for any body, and 15 more for its length.
        pass(0, 20, 3.999)
        #expect(server.responses == [])
        pass(0.001)
        #expect(try server.response().summary == "408 bad_request")
    }

    @Test("the silence of a client begins at its welcome")
    func lateWelcome() throws {
        server.admits = false
        startBody("Expect: 100-continue")
        pass(60)
        server.happens { $0.hubSent(.admitted(expiresIn: nil)) }
        #expect(server.responses.map(\.status) == ["100 Continue"])
        // No byte of the body arrives, so its time limit is 30 seconds. Two unanswered pings would take
        // longer.
        pass(0, 20, 9.999)
        #expect(server.responses.count == 1)
        pass(0.001)
        #expect(server.responses.count == 2)
    }

    @Test("a client that does not read `100 Continue` is disconnected after 30 s")
    func unreadContinue() {
        server.world.takesAll = false
        startBody("Expect: 100-continue")
        pass(20)
        server.send("x")
        pass(9.999)
        #expect(!server.actions.contains("[close]"))
        pass(0.001)
        #expect(server.actions.suffix(2) == ["[leave]", "[close]"])
    }

    @Test("the last response may take long, as long as the client reads", arguments: [true, false])
    func slowReader(reads: Bool) throws {
        server.world.takesAll = false
        server.answers = [Self.listed]
        let response = try server.request("GET /docs", ["Connection: close"])
        #expect(response.closes && server.actions.last == "[endOutput]")
        pass(20)
        if reads {
            server.world.written(1)
            pass(20)
            server.world.written(server.world.waiting)
            pass(0.999)
        } else {
            pass(9.999)
        }
        #expect(server.actions.last == "[endOutput]")
        pass(0.001)
        #expect(server.actions.last == "[close]")
    }

    @Test("the close frame of a WebSocket may take long, as a last response")
    func closeFrame() {
        let world = WebWorld.welcomed()
        for _ in 0..<2 {
            world.pass(seconds: 19)
            world.receive(ClientFrames.message(#"{"type":"pong"}"#))
        }
        world.takesAll = false
        world.receive(ClientFrames.frame(2, []))
        #expect(world.pass(seconds: 20) == [])
        world.written(1)
        #expect(world.pass(seconds: 20) == [])
        world.written(world.waiting)
        #expect(world.pass(seconds: 0.999) == [])
        #expect(world.pass(seconds: 0.001) == ["[close]"])
    }
}
