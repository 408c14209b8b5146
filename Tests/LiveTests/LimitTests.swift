import Glibc
import TestSupport
import Testing

@Suite("Limits over a socket", .onOwnThread) struct LimitTests {
    /// Rule L1.
    @Test(
        "a hello of 8 KiB is accepted; one more byte closes the connection",
        arguments: Transport.lines(and: .webSocket))
    func helloLine(transport: Transport) throws {
        let server = try LiveServer(over: transport)
        let begin = #"{"type":"hello","protocol":1,"client":"ann-client","x":""#
        let longest = begin + String(repeating: "x", count: 8_192 - begin.utf8.count - 2) + #""}"#
        let welcome = try server.connect()
        try welcome.send(longest)
        try welcome.expect(#"{"type":"welcome",…"#)
        for isWhole in [true, false] {
            let client = try server.connect()
            try isWhole ? client.send(longest + " ") : client.sendBeginning(of: longest + " ")
            try client.expect(#"{"type":"error","code":"line_too_long",…"#)
            try client.expectEnd()
        }
    }

    /// Rule L1.
    @Test(
        "the longest line is accepted; one more byte closes the connection",
        arguments: Transport.lines(and: .secureLines))
    func line(transport: Transport) throws {
        let server = try LiveServer(["--limit-document": "1 KiB", "--limit-line": "70 KiB"], over: transport)
        let begin = #"{"type":"ping","id":1,"x":""#
        let longest = begin + String(repeating: "x", count: 70 * 1_024 - begin.utf8.count - 2) + #""}"#
        let client = try server.connect()
        try client.greet(as: "ann-client")
        try client.send(longest)
        try client.expect(#"{"type":"pong","id":1}"#)
        try client.send(longest + " ")
        try client.expect(#"{"type":"error","code":"line_too_long",…"#)
        try client.expectEnd()
    }

    @Test(
        "a document of the largest size can be written and read",
        arguments: Transport.lines(and: .secureWebSocket))
    func largestDocument(transport: Transport) throws {
        let count = Seeds.slowed(3 << 18)
        let text = String(repeating: "😀", count: count)
        let escaped = String(repeating: #"\ud83d\ude00"#, count: count)
        let client = try LiveServer(["--limit-document": "\(4 * count)"], over: transport).connect()
        try client.greet(as: "ann-client")
        try client.send(
            #"{"type":"push","doc":"a","base":0,"seq":1,"text":"\#(escaped)","create":true,"want":"text"}"#)
        let line = try client.next() ?? ""
        #expect(
            line.hasPrefix(#"{"type":"ack","doc":"a","seq":1,"epoch":""#)
                && line.contains(#","rev":1,"edits":["#))
        #expect(line.hasSuffix(#""text":"\#(text)"}"#))
        try client.send(
            #"{"type":"push","doc":"b","base":0,"seq":1,"text":"\#(escaped)x","create":true}"#)
        try client.expect(#"{"type":"error","doc":"b","seq":1,"code":"too_large",…"#)
    }

    /// Rule H3.
    @Test(
        "a client without a complete hello in time is disconnected",
        arguments: Transport.lines(and: .webSocket))
    func helloTime(transport: Transport) throws {
        let server = try LiveServer(["--limit-hello-time": "3 s"], over: transport)
        let clients = [try server.connect(), try server.connect()]
        try clients[0].sendBeginning(of: #"{"type":"hello","#)
        for client in clients {
            try client.expect(#"{"type":"error","code":"hello_timeout","message":"…3 s"}"#)
            try client.expectEnd()
        }
    }

    /// Rule L3.
    @Test(
        "a client that takes too long to send a line is disconnected",
        arguments: Transport.lines(and: .secureLines))
    func lineTime(transport: Transport) throws {
        let client = try LiveServer(["--limit-line-time": "1 s"], over: transport).connect()
        try client.greet(as: "ann-client")
        try client.sendBeginning(of: #"{"type":"ping","#)
        try client.expect(#"{"type":"bye","reason":"too_slow"}"#)
        try client.expectEnd()
    }

    /// Rule L4.
    @Test(
        "if incomplete lines exceed the memory budget, a client is disconnected",
        arguments: Transport.lines(and: .secureWebSocket))
    func lineBudget(transport: Transport) throws {
        let limits = ["--limit-document": "1 KiB", "--limit-line": "1 MiB", "--limit-line-budget": "1 MiB"]
        let server = try LiveServer(limits, over: transport)
        let clients = [try server.connect(), try server.connect()]
        for (number, client) in clients.enumerated() {
            try client.greet(as: "client-\(number)")
            let begin = #"{"type":"ping","id":1,"x":""# + String(repeating: "x", count: 1_000_000)
            try client.sendBeginning(of: begin)
        }
        // The lines of both clients together exceed the memory budget for lines. The server refuses the
        // client whose line needs more memory than is left.
        var asked = clients.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        #expect(poll(&asked, 2, 60_000) == 1)
        let refused = asked[0].revents != 0 ? 0 : 1
        try clients[refused].expect(#"{"type":"error","code":"overloaded",…"#)
        try clients[refused].expectEnd()
        try clients[1 - refused].send(#""}"#)
        try clients[1 - refused].expect(#"{"type":"pong","id":1}"#)
    }

    /// Rule O9.
    @Test(
        "a client that reads nothing for too long is disconnected",
        arguments: Transport.lines(and: .webSocket))
    func taking(transport: Transport) throws {
        let server = try LiveServer(
            ["--limit-taking-time": "1 s", "--log-level": "debug"], over: transport)
        let client = try server.connect(.glued)
        try client.greet(as: "deaf-client")
        let text = String(repeating: "a", count: 4 << 20)
        try client.send(#"{"type":"push","doc":"a","base":0,"seq":1,"text":"\#(text)","create":true}"#)
        for _ in 0..<4 { try client.send(#"{"type":"read","doc":"a"}"#) }
        try client.flush()
        try server.waitForLog(#/event=connection_closed connection=\d+ reason=too_slow/#)
    }
}
