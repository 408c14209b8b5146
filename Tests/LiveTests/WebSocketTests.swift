import Foundation
import Glibc
import TestSupport
import Testing

@Suite("A running server with WebSocket clients", .onOwnThread) struct WebSocketTests {
    @Test("a client over lines and one over WebSocket edit the same document")
    func twoTransports() throws {
        let conversation = Conversation(with: try LiveServer(), transports: ["web": .webSocket])
        try conversation.run(
            """
            ann> {"type":"open","doc":"a","create":true}
            ann< {"type":"opened","doc":"a","epoch":"⟨e⟩","rev":0,"text":"",…
            web> {"type":"open","doc":"a"}
            web< {"type":"opened","doc":"a","epoch":"⟨e⟩","rev":0,"text":"",…
            ann> {"type":"push","doc":"a","epoch":"⟨e⟩","base":0,"seq":1,"edits":[{"range":[0,0],"text":"Hello"}]}
            ann< {"type":"ack","doc":"a","seq":1,…"rev":1}
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
            """)
        try conversation.end()
    }

    @Test("random clients over all transports get equal texts")
    func convergence() throws {
        let group = EditorGroup(16, documents: 1, over: Transport.allCases)
        let server = try LiveServer(over: .secureLines)
        try group.connect(to: server)
        try group.work { $0.acks >= 200 }
        try group.waitForChanges()
        #expect(group.connectedCount == 16)
        let texts = Set(group.editors.map { String(decoding: $0.text, as: UTF8.self) })
        let text = try #require(texts.first)
        #expect(texts == [text])
        #expect(try HistoryComparison.onAll(of: group, at: server) == group.acks)
        let reader = try server.connect(over: .secureWebSocket)
        try reader.greet(as: "the-reader")
        try reader.send(#"{"type":"read","doc":"doc-0"}"#)
        try reader.expect(#"{"type":"text","doc":"doc-0",…"rev":\#(group.acks),"text":"\#(text)",…"#)
    }

    @Test(
        "hello and open are both answered, however their bytes are split",
        arguments: LineClient.WriteStyle.allCases, Transport.webSockets)
    func helloAndOpen(style: LineClient.WriteStyle, transport: Transport) throws {
        let client = try LiveServer(over: transport).connect(style)
        try client.send(#"{"type":"hello","protocol":1,"client":"ann-client"}"#)
        try client.send(#"{"type":"open","id":1,"doc":"a","create":true}"#)
        try client.expect(#"{"type":"welcome",…"#)
        try client.expect(#"{"type":"opened","id":1,"doc":"a",…"#)
        try client.endOutput()
        try client.expectEnd()
    }

    @Test("a message may be an object that is written on several lines", arguments: Transport.webSockets)
    func severalLines(transport: Transport) throws {
        let client = try LiveServer(over: transport).connect()
        try client.greet(as: "ann-client")
        try client.send("{\n  \"type\": \"ping\",\r\n  \"id\": 1\n}\n")
        try client.expect(#"{"type":"pong","id":1}"#)
    }

    // MARK: Limits

    @Test(
        "a client that sends many pings and reads nothing gets few pongs", arguments: Transport.webSockets)
    func manyPings(transport: Transport) throws {
        let server = try LiveServer(["--limit-taking-time": "1 h"], over: transport)
        let client = try WebSocketClient(over: server.openConnection())
        try client.greet(as: "ann-client")
        let before = try server.program.kilobytes("VmRSS")
        // All pongs together would have more bytes than the kernel buffers for a client that does not read.
        let (bursts, pings) = (100, 1_000)
        let ping = WebSocketFrame.ping(Array(repeating: 0x61, count: 125)).masked
        let burst = Array(repeatElement(ping, count: pings).joined())
        for _ in 0..<bursts { try client.send(bytes: burst) }
        try client.send(#"{"type":"ping","id":1}"#)
        let grown = try server.program.kilobytes("VmRSS") - before
        try client.expect(#"{"type":"pong","id":1}"#)
        #expect(client.pongs < bursts * pings / 2)
        // A sanitizer keeps memory that was freed.
        if !Seeds.isSanitized { #expect(grown < 8 << 10) }
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

    @Test("the echo program sends text and binary messages back unchanged")
    func echo() throws {
        let echo = try Program([ChildProgram.path(of: "websocket-echo"), "0"])
        defer { echo.kill(SIGKILL) }
        let address = try #require(try echo.output.next())
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/websocket")
        let peer = try Program(["/usr/bin/python3", folder.appending(path: "echo-peer.py").path, address])
        let end = try peer.waitForExit()
        #expect(end.status == 0, "\(end.errors)")
    }
}
