import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import Testing

@Suite("GET and HEAD of a document whose text is in memory") struct MemoryReadingTests {
    private let server = WebConversation()

    /// A connection that has a member. The server has the text of revision 7 in memory, but not of revision 6.
    init() throws {
        server.answers = [Self.line(6)]
        try server.request("GET /docs/agenda")
        server.forget()
        server.world.texts["agenda"] = try Self.text(7)
    }

    private static func line(_ revision: Int) -> String {
        #"{"type":"text","doc":"agenda","epoch":"k2v9.1","rev":\#(revision),"text":"one\ntwo\n","newline":"crlf"}"#
    }

    private static func text(_ revision: Int, bytes: Int? = nil) throws -> ReadText {
        let content = bytes.map { String(repeating: "x", count: $0) } ?? "one\ntwo\n"
        let text = WireText(
            document: "agenda", epoch: "k2v9.1", revision: Revision(revision), text: WireString(content),
            newline: .crlf)
        return ReadText(
            text, Payload(Array(text.text.utf8)), of: DocumentID(1), as: try DocumentName("agenda"),
            asOf: StoreTime(0))
    }

    @Test(
        "the response is the same as after a message of the server",
        arguments: [
            ("GET", "/docs/agenda", "Accept: text/plain"), ("HEAD", "/docs/agenda", "Accept: */*"),
            ("GET", "/docs/agenda?newline=kept", "Accept: text/plain"),
            ("GET", "/docs/agenda", "Accept: application/json"),
            ("GET", "/docs/agenda", #"If-None-Match: "k2v9.1/7""#),
            ("HEAD", "/docs/agenda", #"If-None-Match: "k2v9.1/7""#),
            ("GET", "/docs/agenda", #"If-None-Match: "k2v9.1/6""#),
        ])
    func sameResponse(method: String, target: String, field: String) throws {
        let found = try server.request("\(method) \(target)", [field])
        #expect(server.messages == [])
        server.world.texts = [:]
        server.answers = [Self.line(7)]
        let answered = try server.request("\(method) \(target)", [field])
        #expect(server.messages == [#"{"type":"read","doc":"agenda"}"#])
        #expect(found == answered)
    }

    @Test("without a text in memory, the request becomes a message")
    func missing() throws {
        server.world.texts = [:]
        server.answers = [Self.line(8)]
        #expect(try server.request("GET /docs/agenda")["Caret-Revision"] == "8")
        #expect(server.world.lookups == ["agenda", "agenda"])
        #expect(server.messages == [#"{"type":"read","doc":"agenda"}"#])
    }

    @Test(
        "a long text whose form must be made becomes a message",
        arguments: [
            ("GET /docs/agenda", "Accept: application/json", true),
            ("GET /docs/agenda?newline=kept", "Accept: text/plain", true),
            ("GET /docs/agenda", "Accept: text/plain", false),
        ])
    func longForm(line: String, field: String, isMade: Bool) throws {
        for (bytes, isLong) in [(20, false), (21, true)] {
            let server = WebConversation(WebWorld { $0.textEncodedAtOnce = 20 })
            server.answers = [Self.line(6)]
            try server.request("GET /docs/agenda")
            server.forget()
            server.world.texts["agenda"] = try Self.text(7, bytes: bytes)
            server.send(WebConversation.bytes(of: line, [field]))
            #expect(server.messages.isEmpty == !(isLong && isMade))
        }
    }

    @Test("a long body is sent after its head, without being copied into it")
    func longBody() throws {
        for bytes in [2_047, 2_048, 100_000] {
            server.world.texts["agenda"] = try Self.text(7, bytes: bytes)
            let response = try server.request("GET /docs/agenda")
            #expect(response.body.utf8.count == bytes && response.status == "200 OK")
        }
    }

    @Test(
        "only a read of the newest text by a client without a name looks into memory",
        arguments: [
            ("GET /docs/agenda?rev=7", "X: 1"), ("GET /docs/agenda?at=1790000000000", "X: 1"),
            ("GET /docs/agenda", "Caret-Client: ann-phone"), ("GET /history/agenda", "X: 1"),
        ])
    func others(line: String, field: String) throws {
        let before = server.world.lookups.count
        server.send(WebConversation.bytes(of: line, [field]))
        #expect(server.world.lookups.count == before && server.responses.isEmpty)
        #expect(server.messages.count == 1)
    }

    @Test("after a push to an open document, the connection's reads are messages")
    func pushed() throws {
        server.answers = [
            #"{"type":"opened","doc":"agenda","epoch":"k2v9.1","rev":7,"resumed":true,"rights":"write","#
                + #""newline":"lf","peers":[]}"#,
            #"{"type":"ack","doc":"agenda","seq":1,"rev":8}"#, #"{"type":"closed","doc":"agenda"}"#,
        ]
        let pushed = try server.request(
            "POST /docs/agenda?base=k2v9.1/7", body: #"{"edits":[{"range":[0,1],"text":"x"}]}"#)
        try #require(pushed.status == "200 OK" && server.messages.count == 3)
        let before = server.world.lookups.count
        server.send("GET /docs/agenda HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(server.world.lookups.count == before)
    }

    // MARK: The same request again

    @Test("the same request is answered again, whole and in pieces, with the text of that moment")
    func again() throws {
        let request = WebConversation.bytes(of: "GET /docs/agenda", ["Accept: */*"])
        for revision in 7...9 {
            server.world.texts["agenda"] = try Self.text(revision)
            server.forget()
            server.send(request)
            #expect(try server.response()["Caret-Revision"] == "\(revision)")
        }
        for cut in 1..<request.count {
            server.forget()
            server.send(Array(request[..<cut]))
            server.send(Array(request[cut...]))
            #expect(try server.response()["Caret-Revision"] == "9")
        }
        server.forget()
        server.send(request + request + WebConversation.bytes(of: "GET /healthz") + request)
        #expect(server.responses.map(\.status) == Array(repeating: "200 OK", count: 4))
        #expect(server.messages == [])
    }

    @Test("a request that only begins like the last one is another request")
    func longerRequest() throws {
        try server.request("GET /docs/agenda")
        server.world.texts["agenda2"] = try Self.text(3)
        #expect(try server.request("GET /docs/agenda2")["Caret-Revision"] == "3")
        #expect(try server.request("GET /docs/agenda", ["Host: b"]).status == "400 Bad Request")
    }

    @Test("a repeated request keeps its other rules: the end of the connection, and a stop")
    func closing() throws {
        try server.request("GET /docs/agenda")
        #expect(try server.request("GET /docs/agenda").closes == false)
        server.shutDown()
        server.forget()
        server.send("GET /docs/agenda HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(server.responses.isEmpty)
        let last = WebConversation()
        last.world.texts["agenda"] = try Self.text(7)
        let response = try last.request("GET /docs/agenda", ["Connection: close"])
        #expect(response.closes && response["Caret-Revision"] == "7")
    }
}
