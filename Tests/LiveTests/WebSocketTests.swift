import Foundation
import Glibc
import TestSupport
import Testing

@Suite("A running server with WebSocket clients", .onOwnThread) struct WebSocketTests {
    @Test("a client over lines and one over WebSocket edit the same document")
    func twoTransports() throws {
        try converse(
            """
            ann> {"type":"open","doc":"a","create":true}
            ann< {"type":"opened","doc":"a","epoch":"⟨e⟩","rev":0,"text":"",…
            web> {"type":"open","doc":"a"}
            web< {"type":"opened","doc":"a","epoch":"⟨e⟩","rev":0,"text":"",…
            ann> {"type":"push","doc":"a","epoch":"⟨e⟩","base":0,"seq":1,"edits":[{"range":[0,0],"text":"Hello"}]}
            ann< {"type":"ack","doc":"a","seq":1,"rev":1}
            web< {"type":"change","doc":"a","rev":1,"edits":[{"range":[0,0],"text":"Hello"}],…
            web> {"type":"push","doc":"a","epoch":"⟨e⟩","base":1,"seq":1,"edits":[{"range":[5,5],"text":" 😀"}]}
            web< {"type":"ack","doc":"a","seq":1,"rev":2}
            ann< {"type":"change","doc":"a","rev":2,"edits":[{"range":[5,5],"text":" 😀"}],…
            # The next two pushes were made before the client received the change of the other one.
            ann> {"type":"push","doc":"a","epoch":"⟨e⟩","base":1,"seq":2,"edits":[{"range":[5,5],"text":"!"}]}
            ann< {"type":"ack","doc":"a","seq":2,"rev":3,"edits":[{"range":[8,8],"text":"!"}]}
            web< {"type":"change","doc":"a","rev":3,"edits":[{"range":[8,8],"text":"!"}],…
            web> {"type":"push","doc":"a","epoch":"⟨e⟩","base":2,"seq":2,"edits":[{"range":[8,8],"text":"?"}]}
            web< {"type":"ack","doc":"a","seq":2,"rev":4,"edits":[{"range":[9,9],"text":"?"}]}
            ann< {"type":"change","doc":"a","rev":4,"edits":[{"range":[9,9],"text":"?"}],…
            ann> {"type":"read","doc":"a"}
            ann< {"type":"text","doc":"a","epoch":"⟨e⟩","rev":4,"text":"Hello 😀!?",…
            web> {"type":"read","doc":"a"}
            web< {"type":"text","doc":"a","epoch":"⟨e⟩","rev":4,"text":"Hello 😀!?",…
            """, webSockets: ["web"])
    }

    @Test("random clients over lines and WebSocket get equal texts")
    func convergence() throws {
        let group = EditorGroup(16, documents: 1, webSockets: 8)
        let server = try LiveServer()
        try group.connect(to: server)
        try group.work { $0.acks >= 200 }
        try group.waitForChanges()
        #expect(group.connectedCount == 16)
        let texts = Set(group.editors.map { String(decoding: $0.text, as: UTF8.self) })
        let text = try #require(texts.first)
        #expect(texts == [text])
        #expect(try HistoryComparison.onAll(of: group, at: server) == group.acks)
        let reader = try WebSocketClient(server)
        try reader.greet(as: "the-reader")
        try reader.send(#"{"type":"read","doc":"doc-0"}"#)
        try reader.expect(#"{"type":"text","doc":"doc-0",…"rev":\#(group.acks),"text":"\#(text)",…"#)
    }

    @Test(
        "hello and open are both answered, however their bytes are split",
        arguments: LineClient.WriteStyle.allCases)
    func helloAndOpen(style: LineClient.WriteStyle) throws {
        let client = try WebSocketClient(try LiveServer(), style)
        try client.send(#"{"type":"hello","protocol":1,"client":"ann-client"}"#)
        try client.send(#"{"type":"open","id":1,"doc":"a","create":true}"#)
        try client.expect(#"{"type":"welcome",…"#)
        try client.expect(#"{"type":"opened","id":1,"doc":"a",…"#)
        try client.endOutput()
        try client.expectClose(1000, "")
    }

    @Test("a message may be an object that is written on several lines")
    func severalLines() throws {
        let client = try WebSocketClient(try LiveServer())
        try client.greet(as: "ann-client")
        try client.send("{\n  \"type\": \"ping\",\r\n  \"id\": 1\n}\n")
        try client.expect(#"{"type":"pong","id":1}"#)
    }

    // MARK: The end

    /// Rule H3.
    @Test("a WebSocket without hello in time is closed with code 4408")
    func helloTime() throws {
        let client = try WebSocketClient(try LiveServer(["--limit-hello-time": "1 s"]))
        try client.expect(#"{"type":"error","code":"hello_timeout","message":"…1 s"}"#)
        try client.expectClose(4408, "hello_timeout")
    }

    /// Rule E3.
    @Test("a newer connection ends a WebSocket with bye and close code 4002")
    func replaced() throws {
        let server = try LiveServer()
        let old = try WebSocketClient(server)
        try old.greet(as: "ann-client")
        try LineClient(server).greet(as: "ann-client")
        try old.expect(#"{"type":"bye","reason":"replaced"}"#)
        try old.expectClose(4002, "replaced")
    }

    /// Rule E5.
    @Test("at SIGTERM each WebSocket gets bye or an error, then close code 1001")
    func stopped() throws {
        let server = try LiveServer()
        let nameless = try WebSocketClient(server)
        let ann = try WebSocketClient(server)
        try ann.greet(as: "ann-client")
        server.program.kill(SIGTERM)
        try nameless.expect(#"{"type":"error","code":"shutting_down",…"#)
        try nameless.expectClose(1001, "shutting_down")
        try ann.expect(#"{"type":"bye","reason":"shutting_down"}"#)
        try ann.expectClose(1001, "shutting_down")
        #expect(try server.program.waitForExit().status == 0)
    }

    /// Rule P8.
    @Test("after kill -9, a push that was acked over WebSocket is still there")
    func killed() throws {
        let server = try LiveServer(in: .onDisk())
        let client = try WebSocketClient(server)
        try client.greet(as: "ann-client")
        try client.send(#"{"type":"push","doc":"a","base":0,"seq":1,"text":"kept","create":true}"#)
        try client.expect(#"{"type":"ack","doc":"a","seq":1,"rev":1,…"#)
        try server.kill()
        let next = try WebSocketClient(server.startAgain())
        try next.greet(as: "ann-client")
        try next.send(#"{"type":"read","doc":"a"}"#)
        try next.expect(#"{"type":"text","doc":"a",…"rev":1,"text":"kept",…"#)
    }

    // MARK: Limits

    /// Rule L1.
    @Test("a message over the limit of a line gets an error and code 1009")
    func tooLong() throws {
        let client = try WebSocketClient(
            try LiveServer(["--limit-document": "1 KiB", "--limit-line": "70 KiB"]))
        try client.greet(as: "ann-client")
        let begin = #"{"type":"ping","id":1,"x":""#
        let longest = begin + String(repeating: "x", count: 70 * 1_024 - begin.utf8.count - 2) + #""}"#
        try client.send(longest)
        try client.expect(#"{"type":"pong","id":1}"#)
        try client.send(longest + " ")
        try client.expect(#"{"type":"error","code":"line_too_long",…"#)
        try client.expectClose(1009, "line_too_long")
    }

    /// Rule O8.
    @Test("a WebSocket that reads nothing does not delay others, and catches up")
    func slowReader() throws {
        let server = try LiveServer([
            "--limit-window": "16 KiB", "--limit-credit": "1 KiB", "--limit-taking-time": "1 h",
        ])
        let writer = try LineClient(server)
        try writer.greet(as: "the-writer")
        try writer.send(#"{"type":"open","doc":"a","create":true}"#)
        let opened = try #require(try writer.next())
        let epoch = try #require(
            Pattern(#"{"type":"opened","doc":"a","epoch":"⟨e⟩",…"#).matches(opened)?["e"])
        let slow = try WebSocketClient(server)
        try slow.greet(as: "slow-client")
        try slow.send(#"{"type":"open","doc":"a"}"#)
        try slow.expect(#"{"type":"opened","doc":"a",…"#)
        // All revisions together have more bytes than the kernel buffers for a client that does not read.
        let (revisions, length) = (24, 256 << 10)
        let text = String(repeating: "a", count: length)
        for revision in 1...revisions {
            let edit = #"{"range":[0,\#(revision == 1 ? 0 : length)],"text":"\#(text)"}"#
            try writer.send(
                #"{"type":"push","doc":"a","epoch":"\#(epoch)","base":\#(revision - 1),"seq":\#(revision),"edits":[\#(edit)]}"#
            )
            try writer.expect(#"{"type":"ack","doc":"a","seq":\#(revision),"rev":\#(revision)}"#)
        }
        for revision in 1...revisions {
            try slow.expect(#"{"type":"change","doc":"a","rev":\#(revision),…"#)
        }
        try slow.send(#"{"type":"ping","id":1}"#)
        try slow.expect(#"{"type":"pong","id":1}"#)
    }

    @Test("a client that sends many pings and reads nothing gets few pongs")
    func manyPings() throws {
        let server = try LiveServer(["--limit-taking-time": "1 h"])
        let client = try WebSocketClient(server)
        try client.greet(as: "ann-client")
        let before = try residentKilobytes(of: server)
        // All pongs together would have more bytes than the kernel buffers for a client that does not read.
        let (bursts, pings) = (100, 1_000)
        let ping = WebSocketFrame.ping(Array(repeating: 0x61, count: 125)).masked
        let burst = Array(repeatElement(ping, count: pings).joined())
        for _ in 0..<bursts { try client.send(bytes: burst) }
        try client.send(#"{"type":"ping","id":1}"#)
        let grown = try residentKilobytes(of: server) - before
        try client.expect(#"{"type":"pong","id":1}"#)
        #expect(client.pongs < bursts * pings / 2)
        // A sanitizer keeps memory that was freed.
        if !Seeds.isSanitized { #expect(grown < 8 << 10) }
    }

    private func residentKilobytes(of server: LiveServer) throws -> Int {
        let status = try String(
            contentsOfFile: "/proc/\(server.program.process)/status", encoding: .utf8)
        let line = try #require(status.firstMatch(of: /VmRSS:\s+(\d+) kB/))
        return try #require(Int(line.1))
    }

    // MARK: Other libraries

    @Test(
        "clients with other WebSocket libraries edit a document",
        arguments: ["websockets-peer.py", "wsproto-peer.py"])
    func peers(program: String) throws {
        let server = try LiveServer()
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/websocket")
        // The libraries are Debian packages, so another Python would not find them.
        let command = ["/usr/bin/python3", folder.appending(path: program).path, "\(server.port)"]
        let end = try Program(command).waitForExit()
        #expect(end.status == 0, "\(end.errors)")
    }
}
