import TestSupport
import Testing

@Suite("What a server logs", .onOwnThread) struct LogTests {
    @Test(
        "the debug log shows why each connection and each room ended",
        arguments: Transport.lines(and: .webSocket))
    func everything(transport: Transport) throws {
        let began = ContinuousClock.now
        let server = try LiveServer(["--log-level": "debug"], over: transport)
        let client = try server.connect()
        try client.greet(as: "ann-client")
        try server.waitForLog(#/ debug event=connection_opened connection=\d+ peer=127\.0\.0\.1:\d+$/#)
        try client.send(#"{"type":"open","doc":"secret name","create":true}"#)
        try client.expect(#"{"type":"opened",…"#)
        try server.waitForLog(#/ debug event=room_opened document=1$/#)
        try client.send(#"{"type":"diverged","doc":"secret name","rev":0}"#)
        try server.waitForLog(#/ warning event=text_diverged connection=\d+ document=1 revision=0$/#)
        let second = try server.connect()
        try second.greet(as: "ann-client")
        try client.expect(#"{"type":"bye","reason":"replaced"}"#)
        try client.endOutput()
        try server.waitForLog(#/ debug event=connection_closed connection=\d+ reason=replaced ms=\d+$/#)
        try second.endOutput()
        try server.waitForLog(#/ debug event=connection_closed connection=\d+ reason=left ms=\d+$/#)
        let third = try LineClient(server, at: .adminSocket)
        try third.send("this is no JSON")
        try third.expect(#"{"type":"error","code":"bad_json",…"#)
        try third.endOutput()
        try server.waitForLog(#/ debug event=connection_opened connection=\d+ transport=unix$/#)
        try server.waitForLog(#/ debug event=connection_closed connection=\d+ code=bad_json ms=\d+$/#)
        let end = try server.stop()
        let all = server.logLines + end.errors
        #expect(all.contains { $0.contains("event=text_diverged") })
        #expect(!all.contains { $0.contains("secret") })
        // No connection lasted longer than the test.
        let longest = (ContinuousClock.now - began) / .milliseconds(1)
        let lasted = all.compactMap { $0.firstMatch(of: #/ event=connection_closed .* ms=(\d+)$/#) }
        #expect(lasted.count >= 3 && lasted.allSatisfy { Double($0.1) ?? .infinity <= longest })
    }

    @Test(
        "a server returns unused memory to the system, and logs how much",
        .disabled(if: Seeds.isSanitized, "a sanitizer uses its own heap"))
    func memory() throws {
        let server = try LiveServer(["--log-level": "debug"])
        let clients = try (0..<8).map { _ in try LineClient(server) }
        let text = String(repeating: "a line of a text that is long\\n", count: 1 << 17)
        // On a busy machine, the pushes take longer than a client may wait with its hello.
        for (number, client) in clients.enumerated() { try client.greet(as: "client-\(number)") }
        // How much the C library keeps after a push differs, and sometimes it is less than the server returns.
        for round in 1...3 {
            for (number, client) in clients.enumerated() {
                try client.send(
                    #"{"type":"push","doc":"\#(round)/\#(number)","base":0,"seq":1,"text":"\#(text)","create":true}"#
                )
            }
            for client in clients { try client.expect(#"{"type":"ack",…"#) }
            do { return try server.waitForLog(#/ debug event=memory_returned bytes=\d{7,}$/#) } catch {
                if round == 3 { throw error }
            }
        }
    }

    @Test("the log names added and revoked tokens by number")
    func tokens() throws {
        let server = try LiveServer()
        let admin = try LineClient(server, at: .adminSocket)
        try admin.greet(as: "the-admin")
        try admin.send(#"{"type":"add_token","user":"ann","grants":[]}"#)
        try admin.expect(#"{"type":"token_added","number":1,…"#)
        try server.waitForLog(" info event=token_added token=1")
        try admin.send(#"{"type":"revoke_token","number":1}"#)
        try admin.expect(#"{"type":"done"}"#)
        try server.waitForLog(" info event=token_revoked token=1")
    }
}
