import Testing

@Suite("Errors over a socket", .onOwnThread) struct ErrorTests {
    /// Rule L7.
    @Test(
        "an invalid line is refused, and the connection stays open",
        arguments: Transport.lines(and: .secureLines))
    func noMessage(transport: Transport) throws {
        try converse(
            """
            ann> {"type":"ping","id":1}
            ann< {"type":"pong","id":1}
            ann> {"type":"ping",}
            ann< {"type":"error","code":"bad_json","message":"…"}
            ann> {"type":"open","id":2}
            ann< {"type":"error","id":2,"code":"bad_message","message":"…doc…"}
            ann> {"type":"dance","id":3}
            ann< {"type":"error","id":3,"code":"unknown_type","message":"there is no message type \\"dance\\""}
            ann> {"type":"hello","id":4,"protocol":1,"client":"ann-client"}
            ann< {"type":"error","id":4,"code":"already_hello",…
            """, over: transport)
    }

    /// Rule L8.
    @Test(
        "the twentieth invalid line closes the connection", arguments: Transport.lines(and: .secureWebSocket))
    func manyFaults(transport: Transport) throws {
        // The client sends all lines before it reads an answer. So all lines arrive within 10 seconds, and
        // the server counts them together.
        let line = "ann> nonsense\n"
        let answer = #"ann< {"type":"error","code":"bad_json",…"# + "\n"
        try converse(
            """
            ann> {"type":"ping"}
            ann< {"type":"pong"}

            """ + String(repeating: line, count: 20) + String(repeating: answer, count: 20) + "ann<|\n",
            over: transport)
    }

    /// Rule H1.
    @Test(
        "every error before the welcome closes the connection",
        arguments: [
            (line: "{", error: #""code":"bad_json""#),
            (#"{"type":"ping","id":1}"#, #""id":1,"code":"hello_required""#),
            (#"{"type":"hello","id":1,"protocol":1,"client":"short"}"#, #""id":1,"code":"bad_message""#),
            (
                #"{"type":"hello","id":1,"protocol":2,"who":"ann"}"#,
                #""id":1,"code":"unsupported_protocol""#
            ),
        ], Transport.lines(and: .webSocket))
    func beforeWelcome(fault: (line: String, error: String), transport: Transport) throws {
        let client = try LiveServer(over: transport).connect()
        try client.send(fault.line)
        try client.expect(#"{"type":"error",\#(fault.error),…"#)
        try client.expectEnd()
    }

    @Test(
        "requests for documents that are missing or not open are refused",
        arguments: Transport.lines(and: .secureLines))
    func documents(transport: Transport) throws {
        try converse(
            """
            ann> {"type":"open","id":1,"doc":"a"}
            ann< {"type":"error","id":1,"doc":"a","code":"not_found",…
            ann> {"type":"open","id":2,"doc":"a//b","create":true}
            ann< {"type":"error","id":2,"doc":"a//b","code":"bad_name",…
            ann> {"type":"read","id":3,"doc":"a"}
            ann< {"type":"error","id":3,"doc":"a","code":"not_found",…
            ann> {"type":"delete","id":4,"doc":"a"}
            ann< {"type":"error","id":4,"doc":"a","code":"not_found",…
            ann> {"type":"close","id":5,"doc":"a"}
            ann< {"type":"error","id":5,"doc":"a","code":"not_open",…
            ann> {"type":"select","id":6,"doc":"a","rev":0,"selections":[]}
            ann< {"type":"error","id":6,"doc":"a","code":"not_open",…
            ann> {"type":"open","id":7,"doc":"a","create":true}
            ann< {"type":"opened","id":7,"doc":"a",…
            ann> {"type":"open","id":8,"doc":"a"}
            ann< {"type":"error","id":8,"doc":"a","code":"already_open",…
            """, over: transport)
    }

    @Test(
        "a refused push gets the exact reason, and its seq can be used again",
        arguments: Transport.lines(and: .secureWebSocket))
    func pushes(transport: Transport) throws {
        try converse(
            """
            ann> {"type":"open","doc":"a","create":true}
            ann< {"type":"opened","doc":"a","epoch":"⟨e⟩",…
            ann> {"type":"push","doc":"b","epoch":"⟨e⟩","base":0,"seq":1,"edits":[]}
            ann< {"type":"error","doc":"b","seq":1,"code":"not_open",…
            ann> {"type":"push","id":1,"doc":"a","epoch":"⟨e⟩","base":0,"seq":1,"edits":[{"range":[0,1],"text":""}]}
            ann< {"type":"error","id":1,"doc":"a","seq":1,"code":"bad_range","message":"edit 0: range 0..<1 ends past the text's length 0 at revision 0"}
            ann> {"type":"push","doc":"a","epoch":"⟨e⟩","base":0,"seq":1,"edits":[{"range":[0,0],"text":"\\r"}]}
            ann< {"type":"error","doc":"a","seq":1,"code":"bad_text",…
            ann> {"type":"push","doc":"a","epoch":"⟨e⟩","base":1,"seq":1,"edits":[{"range":[0,0],"text":"a"}]}
            ann< {"type":"error","doc":"a","seq":1,"code":"base_ahead","message":"…","epoch":"⟨e⟩","rev":0}
            ann> {"type":"push","doc":"a","epoch":"other","base":0,"seq":1,"edits":[{"range":[0,0],"text":"a"}]}
            ann< {"type":"error","doc":"a","seq":1,"code":"epoch_changed","message":"…","epoch":"⟨e⟩","rev":0}
            ann> {"type":"push","doc":"a","epoch":"⟨e⟩","base":0,"seq":1,"edits":[{"range":[0,0],"text":"😀"}]}
            ann< {"type":"ack","doc":"a","seq":1,…"rev":1}
            ann> {"type":"push","doc":"a","epoch":"⟨e⟩","base":1,"seq":2,"edits":[{"range":[1,1],"text":"a"}]}
            ann< {"type":"error","doc":"a","seq":2,"code":"bad_range",…
            ann> {"type":"push","doc":"a","epoch":"⟨e⟩","base":1,"seq":2,"edits":[{"range":[2,2],"text":"a"},{"range":[0,0],"text":"b"}]}
            ann< {"type":"error","doc":"a","seq":2,"code":"bad_edits",…
            ann> {"type":"push","doc":"a","epoch":"⟨e⟩","base":0,"seq":2,"edits":[{"range":[0,0],"text":"b"}]}
            ann< {"type":"error","doc":"a","seq":2,"code":"base_before_own_push","message":"…","epoch":"⟨e⟩","rev":1}
            ann> {"type":"push","doc":"a","epoch":"⟨e⟩","base":0,"seq":1,"edits":[{"range":[0,0],"text":"b"}]}
            ann< {"type":"error","doc":"a","seq":1,"code":"seq_reused",…
            ann> {"type":"read","id":2,"doc":"a","rev":2}
            ann< {"type":"error","id":2,"doc":"a","code":"base_ahead",…
            """, over: transport)
    }

    /// Rule P12.
    @Test("a push is refused while another one is in flight", arguments: Transport.lines(and: .webSocket))
    func inFlight(transport: Transport) throws {
        let client = try LiveServer(over: transport).connect(.glued)
        try client.greet(as: "ann-client")
        try client.send(#"{"type":"open","doc":"a","create":true}"#)
        try client.expect(#"{"type":"opened",…"#)
        // The pushes arrive faster than any disk can commit them. So some pushes arrive while another is in
        // flight.
        for seq in 1...20 {
            try client.send(
                #"{"type":"push","doc":"a","base":0,"seq":\#(seq),"edits":[{"range":[0,0],"text":"a"}]}"#)
        }
        let answers = try (1...20).compactMap { _ in try client.next() }
        #expect(
            answers.contains { $0.hasPrefix(#"{"type":"ack","doc":"a","seq":1,"epoch":""#) }, "\(answers)")
        #expect(answers.contains { $0.contains(#""code":"push_in_flight""#) }, "\(answers)")
    }

    /// Rule P5.
    @Test(
        "a push is refused only if rebasing it exceeds the work limit",
        arguments: Transport.lines(and: .secureLines))
    func farBase(transport: Transport) throws {
        let edits = { (count: Int) in
            (0..<count).map { #"{"range":[\#(2 * $0),\#(2 * $0 + 1)],"text":"b"}"# }.joined(separator: ",")
        }
        try converse(
            """
            ann> {"type":"push","doc":"a","base":0,"seq":1,"text":"\(String(repeating: "a", count: 2_000))","create":true}
            ann< {"type":"ack","doc":"a","seq":1,…"rev":1,…
            bob> {"type":"open","doc":"a"}
            bob< {"type":"opened","doc":"a","epoch":"⟨e⟩","rev":1,…
            ann> {"type":"push","doc":"a","epoch":"⟨e⟩","base":1,"seq":2,"text":"a"}
            ann< {"type":"ack","doc":"a","seq":2,"rev":2,…
            bob< {"type":"change","doc":"a","rev":2,…
            bob> {"type":"push","doc":"a","epoch":"⟨e⟩","base":1,"seq":1,"edits":[\(edits(1_000))]}
            bob< {"type":"error","doc":"a","seq":1,"code":"base_trimmed","message":"…","epoch":"⟨e⟩","rev":2,"cause":"work"}
            bob> {"type":"push","doc":"a","epoch":"⟨e⟩","base":1,"seq":1,"edits":[\(edits(999))]}
            bob< {"type":"ack","doc":"a","seq":1,"rev":3,…
            """, options: ["--limit-rebase": "1000"], over: transport)
    }

    @Test(
        "values at their limit are accepted, and values above it are refused",
        arguments: Transport.lines(and: .secureWebSocket))
    func tooLarge(transport: Transport) throws {
        let full = String(repeating: "a", count: 1_024)
        try converse(
            """
            ann> {"type":"open","doc":"a","create":true}
            ann< {"type":"opened","doc":"a","epoch":"⟨e⟩",…
            ann> {"type":"open","doc":"b","create":true}
            ann< {"type":"error","doc":"b","code":"too_large",…
            ann> {"type":"push","doc":"a","epoch":"⟨e⟩","base":0,"seq":1,"edits":[{"range":[0,0],"text":"\(full)"}]}
            ann< {"type":"ack","doc":"a","seq":1,…"rev":1}
            ann> {"type":"push","doc":"a","epoch":"⟨e⟩","base":1,"seq":2,"edits":[{"range":[0,0],"text":"a"}]}
            ann< {"type":"error","doc":"a","seq":2,"code":"too_large",…
            ann> {"type":"push","doc":"a","epoch":"⟨e⟩","base":1,"seq":2,"edits":[{"range":[0,1],"text":"b"},{"range":[2,3],"text":"c"},{"range":[4,5],"text":"d"}]}
            ann< {"type":"error","doc":"a","seq":2,"code":"too_large",…
            ann> {"type":"push","doc":"a","epoch":"⟨e⟩","base":1,"seq":2,"edits":[{"range":[0,1],"text":"b"},{"range":[2,3],"text":"c"}]}
            ann< {"type":"ack","doc":"a","seq":2,"rev":2}
            ann> {"type":"select","id":3,"doc":"a","rev":2,"selections":[[0,0],[1,1]]}
            ann< {"type":"error","id":3,"doc":"a","code":"too_large",…
            ann> {"type":"select","id":4,"doc":"a","rev":2,"selections":[[0,0]]}
            """,
            options: [
                "--limit-document": "1 KiB", "--limit-edits": "2", "--limit-documents": "1",
                "--limit-selections": "1",
            ], over: transport)
    }
}
