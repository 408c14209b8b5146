import Testing

@Suite("Limits over a socket", .onOwnThread) struct LimitTests {
    @Test("a hello of the longest line is taken, and one byte more closes, with its end or without")
    func helloLine() throws {
        let server = try LiveServer()
        let begin = #"{"type":"hello","protocol":1,"client":"ann-client","x":""#
        let longest = begin + String(repeating: "x", count: 8_192 - begin.utf8.count - 2) + #""}"#
        let welcome = try LineClient(server)
        try welcome.send(longest)
        try welcome.expect(#"{"type":"welcome",…"#)
        for end in ["\n", ""] {
            let client = try LineClient(server)
            try client.send(bytes: Array((longest + " " + end).utf8))
            try client.expect(#"{"type":"error","code":"line_too_long",…"#)
            try client.expectEnd()
        }
    }

    @Test("a line of the longest kind is taken, and one byte more closes")
    func line() throws {
        let server = try LiveServer(["--limit-document": "1 KiB", "--limit-line": "70 KiB"])
        let begin = #"{"type":"ping","id":1,"x":""#
        let longest = begin + String(repeating: "x", count: 70 * 1_024 - begin.utf8.count - 2) + #""}"#
        let client = try LineClient(server)
        try client.greet(as: "ann-client")
        try client.send(longest)
        try client.expect(#"{"type":"pong","id":1}"#)
        try client.send(longest + " ")
        try client.expect(#"{"type":"error","code":"line_too_long",…"#)
        try client.expectEnd()
    }

    @Test("a whole text of the largest document goes in and comes out")
    func largestDocument() throws {
        let text = String(repeating: "😀", count: 1 << 20)
        let escaped = String(repeating: #"\ud83d\ude00"#, count: 1 << 20)
        let client = try LineClient(try LiveServer())
        try client.greet(as: "ann-client")
        try client.send(
            #"{"type":"push","doc":"a","base":0,"seq":1,"text":"\#(escaped)","create":true,"want":"text"}"#)
        let line = try client.next() ?? ""
        #expect(line.hasPrefix(#"{"type":"ack","doc":"a","seq":1,"rev":1,"edits":["#))
        #expect(line.hasSuffix(#""text":"\#(text)"}"#))
    }

    @Test("a hello that does not come in its time closes, begun or not")
    func helloTime() throws {
        let server = try LiveServer(["--limit-hello-time": "1 s"])
        let clients = [try LineClient(server), try LineClient(server)]
        try clients[0].send(bytes: Array(#"{"type":"hello","#.utf8))
        for client in clients {
            try client.expect(#"{"type":"error","code":"hello_timeout","message":"…1 s"}"#)
            try client.expectEnd()
        }
    }

    @Test("a line that does not come through in its time closes")
    func lineTime() throws {
        let client = try LineClient(try LiveServer(["--limit-line-time": "1 s"]))
        try client.greet(as: "ann-client")
        try client.send(bytes: Array(#"{"type":"ping","#.utf8))
        try client.expect(#"{"type":"bye","reason":"too_slow"}"#)
        try client.expectEnd()
    }
}
