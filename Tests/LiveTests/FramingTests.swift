import Testing

@Suite("Lines over a socket, however their bytes are split", .onOwnThread) struct FramingTests {
    /// All lines that the client sends before it reads, with CR LF at their ends.
    private static let session =
        #"""
        {"type":"hello","protocol":1,"client":"ann-client","units":["utf-8"]}
        {"type":"open","id":1,"doc":"a","create":true}

        {"type":"push","id":2,"doc":"a","base":0,"seq":1,"edits":[{"range":[0,0],"text":"a😀ẞ\ud83d\ude00"}]}
        {"type":"select","doc":"a","rev":0,"selections":[[0,0]]}
        {"type":"read","id":3,"doc":"b"}
        {"type":"ping","id":4}
        nonsense
        {"type":"push","id":6,"doc":"c","base":0,"seq":1,"text":"a\r\nb","create":true}
        {"type":"read","id":7,"doc":"c"}
        {"type":"history","id":5,"doc":"c","edits":true}
        {"type":"dance","id":8}

        """#.replacing("\n", with: "\r\n")

    /// Answers about one document come in the order of the requests. Answers to requests about different
    /// documents come as soon as they are ready.
    private static let answers = [
        #"{"type":"welcome",…"unit":"utf-8",…"#,
        #"{"type":"opened","id":1,"doc":"a",…"#,
        #"{"type":"ack","id":2,"doc":"a","seq":1,…"rev":1}"#,
        #"{"type":"error","id":3,"doc":"b","code":"not_found",…"#,
        #"{"type":"pong","id":4}"#,
        #"{"type":"revisions","id":5,"doc":"c","revisions":[{"rev":1,…,"inserted":3,"deleted":0,"edits":[{"range":[0,0],"text":"a\nb"}]}]}"#,
        #"{"type":"error","code":"bad_json","message":"byte 0: …"}"#,
        #"{"type":"ack","id":6,"doc":"c","seq":1,…"rev":1,"edits":[{"range":[0,0],"text":"a\nb"}]}"#,
        #"{"type":"text","id":7,"doc":"c",…"rev":1,"text":"a\nb","newline":"crlf"}"#,
        #"{"type":"error","id":8,"code":"unknown_type",…"#,
    ]

    /// Rules O7 and T5.
    @Test(
        "a client that stops sending gets all answers, however input is split",
        arguments: LineClient.WriteStyle.allCases, Transport.ofLines)
    func session(way: LineClient.WriteStyle, transport: Transport) throws {
        let client = try LiveServer(over: transport).openConnection(way)
        for line in Self.session.split(separator: "\n") { try client.send(bytes: line.utf8 + [0x0A]) }
        try client.endOutput()
        var received = try client.remainingMessages()
        for answer in Self.answers {
            let place = received.firstIndex { Pattern(answer).matches($0) != nil }
            received.remove(at: try #require(place, "\(answer) is not among \(received)"))
        }
        #expect(received == [])
    }

    @Test("an unfinished hello is ignored when the connection ends", arguments: Transport.ofLines)
    func halfLine(transport: Transport) throws {
        let client = try LiveServer(over: transport).openConnection()
        try client.send(bytes: Array(#"{"type":"hello","protocol":1,"client":"ann-client"}"#.utf8))
        try client.endOutput()
        try client.expectEnd()
    }
}
