import CaretLog
import CaretRooms
import CaretWeb
import CaretWire
import Testing

@Suite("The protocol over a WebSocket connection") struct WebSocketTests {
    @Test("each message is a line, and each line a message")
    func messages() throws {
        let world = WebWorld()
        world.receive(WebWorld.upgrade)
        #expect(
            world.receive(ClientFrames.message(#"{"type":"hello","protocol":1,"client":"alice-7f21"}"#)) == [
                "[authenticate]", "[pauseReading]",
            ])
        #expect(world.happens { $0.authenticated(.known(.anonymous)) } == ["[join]"])
        let welcome = world.happens { $0.hubSent(.admitted(expiresIn: nil)) }
        #expect(welcome[0].hasPrefix(#"<{"type":"welcome","#) && welcome[0].hasSuffix("}>"))
        #expect(welcome[1] == "[resumeReading]")
        #expect(
            world.receive(ClientFrames.message(#"{"type":"ping","id":7}"#)) == [#"<{"type":"pong","id":7}>"#])
    }

    @Test("line ends inside a message become spaces; an empty message is ignored")
    func lineEnds() {
        let world = WebWorld.welcomed()
        #expect(
            world.receive(ClientFrames.message("{\n \"type\": \"ping\",\r\n \"id\": 7\n}\n")) == [
                #"<{"type":"pong","id":7}>"#
            ])
        #expect(world.receive(ClientFrames.message("")) == [])
    }

    @Test("two objects in one message are an error")
    func twoObjects() {
        let world = WebWorld.welcomed()
        let answer = world.receive(ClientFrames.message("{\"type\":\"ping\"}\n{\"type\":\"ping\"}"))
        #expect(answer.count == 1 && answer[0].hasPrefix(#"<{"type":"error","code":"bad_json""#))
    }

    @Test("a message after hello waits while the server checks the user")
    func waiting() {
        let world = WebWorld()
        world.receive(WebWorld.upgrade)
        let hello = ClientFrames.message(#"{"type":"hello","protocol":1,"client":"alice-7f21"}"#)
        let ping = ClientFrames.message(#"{"type":"ping","id":7}"#)
        world.receive(hello + ping)
        #expect(world.unread == ping)
        world.happens { $0.authenticated(.known(.anonymous)) }
        #expect(world.happens { $0.hubSent(.admitted(expiresIn: nil)) }.last == "[resumeReading]")
        #expect(world.receive([]) == [#"<{"type":"pong","id":7}>"#])
    }

    @Test("a message over the limit gets an error and close code 1009")
    func tooLong() {
        let world = WebWorld()
        world.receive(WebWorld.upgrade)
        world.takesAll = false
        let answer = world.receive(ClientFrames.message(String(repeating: " ", count: 8_193)))
        #expect(answer[0].hasPrefix(#"<{"type":"error","code":"line_too_long""#))
        #expect(answer[1...] == ["<close 1009 line_too_long>", "[endOutput]"])
    }

    // MARK: Pings and faults

    @Test("a ping gets a pong with its content")
    func ping() {
        let world = WebWorld.welcomed()
        #expect(
            world.receive(ClientFrames.frame(ClientFrames.ping, Array("are you there".utf8))) == [
                "<pong are you there>"
            ])
        #expect(world.receive(ClientFrames.frame(ClientFrames.pong, [])) == [])
    }

    @Test("one pong is queued; of later pings, only the last is answered")
    func manyPings() {
        let world = WebWorld.welcomed()
        world.takesAll = false
        world.receive(ClientFrames.message(#"{"type":"ping"}"#))
        let output = world.waiting
        #expect(ping("1", world) == ["<pong 1>"])
        #expect(ping("2", world) == [] && ping("3", world) == [])
        #expect(world.written(output) == [])
        #expect(world.written(world.waiting - 1) == [])
        #expect(world.written(1) == ["<pong 3>"])
        #expect(world.written(world.waiting) == [])
        #expect(ping("4", world) == ["<pong 4>"])
    }

    private func ping(_ content: String, _ world: WebWorld) -> [String] {
        world.receive(ClientFrames.frame(ClientFrames.ping, Array(content.utf8)))
    }

    @Test("memory is claimed for a message only if its end has not arrived yet")
    func claims() {
        let world = WebWorld.welcomed()
        let long = ClientFrames.frame(1, [UInt8](repeating: 0x20, count: 200_000))
        #expect(world.receive(Array(long.prefix(70_000))) == ["[claimLine]"])
        #expect(world.receive(Array(long[70_000..<90_000])) == [])
        let ping = ClientFrames.message(#"{"type":"ping","id":7}"#)
        let answers = world.receive(long[90_000...] + ping)
        #expect(answers.contains("[releaseLine]") && answers.contains(#"<{"type":"pong","id":7}>"#))
        // A message that arrives complete in one read is never stored as incomplete, so the connection claims
        // no memory.
        #expect(!world.receive(long + ping).contains("[claimLine]"))
    }

    @Test("a client that gets no memory for its message is disconnected")
    func refusedClaim() {
        let world = WebWorld.welcomed()
        let long = ClientFrames.frame(1, [UInt8](repeating: 0x20, count: 200_000))
        #expect(world.receive(Array(long.prefix(70_000))) == ["[claimLine]"])
        let actions = world.happens { $0.lineRefused() }
        #expect(actions[0].hasPrefix(#"<{"type":"error","code":"overloaded""#))
        #expect(actions[1...] == ["[leave]", "<close 1013 overloaded>", "[endOutput]"])
        #expect(world.receive(Array(long[70_000...])) == [])
    }

    @Test("a wrong frame closes the WebSocket with the matching close code")
    func fault() {
        let world = WebWorld.welcomed()
        #expect(
            world.receive(ClientFrames.frame(2, [1])) == [
                "[leave]", "<close 1003 messages must be text, not binary>", "[endOutput]",
            ])
        #expect(world.receive(ClientFrames.message(#"{"type":"ping"}"#)) == [])
        #expect(world.pass(seconds: 0.999) == [])
        #expect(world.pass(seconds: 0.001) == ["[close]"])
    }

    // MARK: The end

    @Test("a close frame is answered with its own code, and the connection ends")
    func clientCloses() {
        let world = WebWorld.welcomed()
        #expect(
            world.receive(ClientFrames.closing(1001, "bye")) == [
                "[leave]", "<close 1001 >", "[endOutput]", "[close]",
            ])
    }

    @Test("a client that closes without a code gets a close frame without one")
    func clientClosesWithoutCode() {
        let world = WebWorld.welcomed()
        #expect(world.receive(ClientFrames.frame(8, []))[1] == "<close 0 >")
    }

    @Test("a client that stops sending gets a close frame and is disconnected")
    func inputEnded() {
        let world = WebWorld.welcomed()
        #expect(world.inputEnded() == ["[leave]", "<close 0 >", "[endOutput]", "[close]"])
    }

    @Test(
        "each reason for which the server ends a WebSocket has its close code",
        arguments: [
            (ByeReason.idle, 4000), (.tooSlow, 4001), (.replaced, 4002), (.revoked, 4003),
            (.tokenEnded, 4004), (.shuttingDown, 1001),
        ])
    func serverEnds(reason: ByeReason, code: Int) {
        let world = WebWorld.welcomed()
        let actions = world.happens { $0.hubSent(.ended(reason)) }
        #expect(actions.first == #"<{"type":"bye","reason":"\#(reason.rawValue)"}>"#)
        #expect(actions.contains("<close \(code) \(reason.rawValue)>"))
        #expect(actions.last == "[endOutput]")
        // The peer confirms.
        #expect(world.receive(ClientFrames.closing(code)) == ["[close]"])
    }

    @Test(
        "a refused hello closes the WebSocket with the code of the reason",
        arguments: [
            (Authentication.unknown, 4401, "unauthorized"),
            (.tooOften(retryAfterMilliseconds: 1), 1008, "rate_limited"),
        ])
    func refusedHello(result: Authentication, code: Int, word: String) {
        let world = WebWorld()
        world.receive(WebWorld.upgrade)
        world.receive(ClientFrames.message(#"{"type":"hello","protocol":1,"client":"alice-7f21"}"#))
        let actions = world.happens { $0.authenticated(result) }
        #expect(actions[1] == "<close \(code) \(word)>")
    }

    @Test("a WebSocket without hello is closed after 10 seconds with 4408")
    func helloTimeout() {
        let world = WebWorld()
        world.receive(WebWorld.upgrade)
        #expect(world.pass(seconds: 9.999) == [])
        #expect(world.pass(seconds: 0.001)[1...] == ["<close 4408 hello_timeout>", "[endOutput]"])
    }

    @Test("a peer that ignores the close frame is disconnected after one second")
    func silentPeer() {
        let world = WebWorld.welcomed()
        world.happens { $0.hubSent(.ended(.replaced)) }
        #expect(world.pass(seconds: 0.999) == [])
        #expect(world.pass(seconds: 0.001) == ["[close]"])
    }
}
