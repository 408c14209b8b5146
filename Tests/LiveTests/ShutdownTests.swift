import Glibc
import Testing

@Suite("Stopping a server", .onOwnThread) struct ShutdownTests {
    private static let bye = #"{"type":"bye","reason":"shutting_down"}"#

    /// Rule E5.
    @Test(
        "at SIGTERM every client gets bye or an error, and the status is 0",
        arguments: Transport.lines(and: .webSocket))
    func told(transport: Transport) throws {
        let server = try LiveServer(over: transport)
        let nameless = try server.connect()
        let idle = try server.connect()
        try idle.greet(as: "idle-client")
        let open = try server.connect()
        try open.greet(as: "open-client")
        try open.send(#"{"type":"open","doc":"a","create":true}"#)
        try open.expect(#"{"type":"opened","doc":"a",…"#)
        let half = try server.connect()
        try half.greet(as: "half-client")
        try half.sendBeginning(of: #"{"type":"push","doc":"#)

        server.program.kill(SIGTERM)
        try nameless.expect(#"{"type":"error","code":"shutting_down",…"#)
        try nameless.expectEnd()
        try idle.expect(Self.bye)
        try idle.expectEnd()
        try open.expect(Self.bye)
        try open.expectEnd()
        try half.expect(Self.bye)
        try half.expectEnd()
        for client in [nameless, idle, open, half] { try client.endOutput() }
        let end = try server.program.waitForExit()
        #expect(end.status == 0 && end.output == [])
        #expect(
            end.errors.map { $0.split(separator: " ").dropFirst(2) } == [
                ["event=stopping", "signal=15"], ["event=stopped"],
            ])
    }

    /// Rule P8.
    @Test(
        "SIGINT stops the server too, and acked pushes survive the restart",
        arguments: Transport.lines(and: .secureLines))
    func interrupted(transport: Transport) throws {
        let server = try LiveServer(over: transport)
        let client = try server.connect()
        try client.greet(as: "ann-client")
        try client.send(#"{"type":"push","doc":"a","base":0,"seq":1,"text":"kept","create":true}"#)
        try client.expect(#"{"type":"ack","doc":"a","seq":1,…"rev":1,…"#)
        server.program.kill(SIGINT)
        try client.expect(Self.bye)
        try client.endOutput()
        #expect(try server.program.waitForExit().status == 0)

        let next = try server.startAgain().connect()
        try next.greet(as: "ann-client")
        try next.send(#"{"type":"read","doc":"a"}"#)
        try next.expect(#"{"type":"text","doc":"a",…"rev":1,"text":"kept","newline":"lf"}"#)
        try next.send(#"{"type":"push","doc":"a","base":0,"seq":1,"text":"kept"}"#)
        try next.expect(#"{"type":"ack","doc":"a","seq":1,…"rev":1,…,"duplicate":true}"#)
    }

    @Test(
        "a client that reads nothing cannot prevent the exit after SIGTERM", arguments: [1, 2],
        Transport.lines(and: .secureWebSocket))
    func nobodyReads(signals: Int, transport: Transport) throws {
        let server = try LiveServer(over: transport)
        let reader = try server.connect()
        try reader.greet(as: "ann-client")
        let text = String(repeating: "a", count: 4 << 20)
        try reader.send(#"{"type":"push","doc":"a","base":0,"seq":1,"text":"\#(text)","create":true}"#)
        try reader.expect(#"{"type":"ack",…"#)
        // More output waits for this client than the kernel buffers.
        let deaf = try server.connect(.glued)
        try deaf.greet(as: "deaf-client")
        for _ in 0..<4 { try deaf.send(#"{"type":"read","doc":"a"}"#) }
        try deaf.flush()
        try reader.send(#"{"type":"ping"}"#)
        try reader.expect(#"{"type":"pong"}"#)

        let began = ContinuousClock.now
        server.program.kill(SIGTERM)
        try server.waitForLog("event=stopping signal=15")
        try reader.expect(Self.bye)
        if signals == 2 { server.program.kill(SIGTERM) }
        let end = try server.program.waitForExit()
        #expect(end.status == (signals == 1 ? 0 : 128 + SIGTERM))
        print(
            "SIGTERM × \(signals) with a client that reads nothing: ended after \(ContinuousClock.now - began)"
        )
    }
}
