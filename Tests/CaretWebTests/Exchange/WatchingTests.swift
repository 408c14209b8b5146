import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import Testing

@Suite("Event streams") struct WatchingTests {
    private static let opened =
        #"{"type":"opened","doc":"agenda","epoch":"k2v9.1","rev":7,"text":"one","rights":"read","newline":"lf","peers":[]}"#
    private static let change =
        #"{"type":"change","doc":"agenda","rev":8,"edits":[],"user":"bob","client":"q8","time":1}"#
    private static let peer =
        #"{"type":"peer","doc":"agenda","session":"s9","left":true}"#

    private let server = WebConversation()

    /// What was sent to the client after the response began.
    private var sent: [String] {
        server.actions.filter { !$0.hasPrefix("[") || ["[endOutput]", "[close]"].contains($0) }
    }

    /// Begins a stream, and forgets what was sent so far.
    private func watch(_ target: String = "/events/agenda", _ fields: String...) throws {
        server.answers = [Self.opened]
        _ = try server.request("GET \(target)", fields)
        server.forget()
    }

    @Test("a stream begins with the text, and each change is an event with its version")
    func whole() throws {
        server.answers = [Self.opened]
        let response = try server.request("GET /events/agenda")
        #expect(response.status == "200 OK" && response.body == "retry: 1000\n\n")
        #expect(
            response.fields == [
                "Content-Type: text/event-stream", "Cache-Control: no-store", "X-Accel-Buffering: no",
                "Connection: close",
            ])
        #expect(server.messages == [#"{"type":"open","doc":"agenda","mode":"watch"}"#])
        server.room(Self.change, to: 1)
        #expect(
            sent == [
                "id: k2v9.1/7\ndata: \(Self.opened)\n\n", "id: k2v9.1/8\ndata: \(Self.change)\n\n",
            ])
    }

    @Test(
        "a client continues from the version that it has",
        arguments: [
            ("/events/agenda?from=k2v9.1/5", nil, 5), ("/events/agenda", "k2v9.1/6", 6),
            // A browser that reconnects repeats its first query, so the revision in the field `Last-Event-ID`
            // is newer.
            ("/events/agenda?from=k2v9.1/5", "k2v9.1/6", 6),
        ] as [(String, String?, Int)])
    func resumed(target: String, last: String?, revision: Int) throws {
        server.answers = [Self.opened]
        try server.request("GET \(target)", last.map { ["Last-Event-ID: \($0)"] } ?? [])
        #expect(
            server.messages == [
                #"{"type":"open","doc":"agenda","epoch":"k2v9.1","rev":\#(revision),"mode":"watch"}"#
            ])
    }

    @Test("without a right or a document, the request is refused like any other")
    func refused() throws {
        server.answers = [#"{"type":"error","doc":"agenda","code":"not_found","message":"no"}"#]
        let response = try server.request("GET /events/agenda")
        #expect(response.summary == "404 not_found" && !response.closes)
        #expect(try server.request("GET /events/agenda?from=7").summary == "400 bad_request")
        #expect(try server.request("HEAD /events/agenda").summary == "405")
    }

    @Test("a resync changes the epoch of later versions")
    func resync() throws {
        try watch()
        let resync =
            #"{"type":"resync","doc":"agenda","epoch":"k2v9.2","rev":3,"text":"two","reason":"epoch"}"#
        server.room(resync, to: 1)
        server.room(Self.change.replacing(#""rev":8"#, with: #""rev":4"#), to: 1)
        #expect(server.actions[0] == "id: k2v9.2/3\ndata: \(resync)\n\n")
        #expect(server.actions[1].hasPrefix("id: k2v9.2/4\n"))
    }

    @Test("carets of others are events only if the client asks for them")
    func peers() throws {
        try watch()
        server.room(Self.peer, to: 1)
        #expect(server.actions == [])
        let other = WebConversation()
        other.answers = [Self.opened]
        _ = try other.request("GET /events/agenda?peers=1")
        other.forget()
        other.room(Self.peer, to: 1)
        #expect(other.actions == ["data: \(Self.peer)\n\n"])
    }

    @Test("a deleted document ends the stream after its last event")
    func gone() throws {
        try watch()
        let gone = #"{"type":"gone","doc":"agenda","epoch":"k2v9.1","reason":"deleted"}"#
        server.room(gone, to: 1)
        server.end(1)
        #expect(sent == ["data: \(gone)\n\n", "[endOutput]", "[close]"])
        #expect(server.log == ["leave"])
    }

    @Test("a stream that ends while its client reads slowly ends the output, and closes after the last byte")
    func goneSlowly() throws {
        try watch()
        server.world.takesAll = false
        server.room(#"{"type":"gone","doc":"agenda","epoch":"k2v9.1","reason":"deleted"}"#, to: 1)
        server.end(1)
        #expect(sent.last == "[endOutput]")
        server.deliver(bytes: server.world.waiting - 1)
        #expect(sent.last == "[endOutput]")
        server.deliver(bytes: 1)
        server.endInput()
        #expect(sent.last == "[close]")
    }

    @Test("while nothing changes, a comment shows that the connection works")
    func comments() throws {
        try watch()
        for _ in 0..<5 { server.pass(seconds: 20) }
        #expect(server.actions == [String](repeating: ":\n\n", count: 5))
        #expect(server.log == [])
    }

    @Test("a client that reads nothing is disconnected")
    func slow() throws {
        try watch()
        server.world.takesAll = false
        server.room(Self.change, to: 1)
        server.pass(seconds: 29.999)
        #expect(!server.actions.contains("[close]"))
        server.pass(seconds: 0.001)
        #expect(server.log == ["leave"])
        #expect(server.actions.last == "[close]")
    }

    @Test("a client that does not read the first text is disconnected after 30 seconds, too")
    func slowFromTheStart() throws {
        server.world.takesAll = false
        server.answers = [Self.opened]
        server.send(WebConversation.bytes(of: "GET /events/agenda"))
        for _ in 0..<2 { server.pass(seconds: 14.999) }
        server.world.written(1)
        for _ in 0..<2 { server.pass(seconds: 14.999) }
        #expect(!server.actions.contains("[close]"))
        server.pass(seconds: 0.002)
        #expect(server.log.last == "leave" && server.actions.last == "[close]")
    }

    @Test("a client that leaves one byte of a long text unread is disconnected after 30 seconds")
    func slowLongText() throws {
        try watch()
        server.world.takesAll = false
        let resync = Resync(document: "agenda", epoch: "k2v9.2", revision: 3, text: "", reason: .epoch)
        let text = EncodedText(try TextBuffer(String(repeating: "x", count: 70_000)), .lf)
        server.happens {
            $0.sent(TextLine(.resync(resync), text), to: SessionID(ConnectionID(1), number: 1))
        }
        server.deliver(bytes: server.world.waiting - 1)
        for _ in 0..<2 { server.pass(seconds: 14.999) }
        #expect(!server.actions.contains("[close]"))
        server.pass(seconds: 0.002)
        #expect(server.log.last == "leave" && server.actions.last == "[close]")
    }

    @Test("a stream ends when the client stops sending, breaks off or sends too much")
    func left() throws {
        let ends: [(WebConversation) -> Void] = [
            { $0.endInput() }, { $0.lose() },
            { $0.send([UInt8](repeating: 0x41, count: Limits().closingBytes + 1)) },
        ]
        for end in ends {
            let server = WebConversation()
            server.answers = [Self.opened]
            _ = try server.request("GET /events/agenda")
            server.forget()
            server.send("ignored")
            #expect(server.log == [])
            end(server)
            #expect(server.log == ["leave"])
        }
    }

    @Test("a server that stops sends `bye`, and ends the stream")
    func stopping() throws {
        try watch()
        server.shutDown(retryAfterMilliseconds: 900)
        server.end(1)
        #expect(
            sent == [
                #"data: {"type":"bye","reason":"shutting_down","retry_after_ms":900}"# + "\n\n",
                "[endOutput]", "[close]",
            ])
    }

    @Test("the stream of all documents has their states, and no versions")
    func documents() throws {
        let document = #"{"type":"document","doc":"a","epoch":"k2v9.1","rev":1,"length":2,"updated":3}"#
        server.answers = [#"{"type":"done"}"#]
        try server.request("GET /events?prefix=notes/")
        #expect(server.messages == [#"{"type":"follow","prefix":"notes/"}"#])
        var decoder = MessageDecoder()
        let message = try #require(try decoder.serverMessage(Array(document.utf8))).message
        server.happens { $0.hubSent(.documents([message])) }
        #expect(sent == [#"data: {"type":"done"}"# + "\n\n", "data: \(document)\n\n"])
    }
}
