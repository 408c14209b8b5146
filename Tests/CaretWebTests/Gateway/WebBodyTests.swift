import CaretRooms
import CaretWeb
import CaretWire
import Testing

@Suite("Bodies of requests") struct WebBodyTests {
    private static let ack = #"{"type":"ack","doc":"a","seq":1,"rev":2}"#
    private static let opened =
        #"{"type":"opened","doc":"a","epoch":"k","rev":1,"text":"x","rights":"write","newline":"lf"}"#
    private static let text = #"{"type":"text","doc":"a","epoch":"k","rev":1,"text":"x","newline":"lf"}"#
    private static let closed = #"{"type":"closed","doc":"a"}"#
    private static let chunks = "3\r\none\r\n4;x=y\r\n two\r\n0\r\nTrailer: x\r\n\r\n"

    private static func conversation(_ answers: [String] = [ack]) -> WebConversation {
        let server = WebConversation()
        server.answers = answers
        return server
    }

    // MARK: Text

    @Test(
        "a text that is not UTF-8 gets the byte of the body that is wrong, wherever the body is cut",
        arguments: [
            ([0x41, 0xFF, 0x42], 1), ([0xC3, 0x28], 1), ([0x41, 0x42, 0xE2, 0x82], 4),
            ([0xED, 0xA0, 0x80], 1),
            ([0x0D, 0x0A, 0xC3, 0xA9, 0x80], 4),
        ] as [([UInt8], Int)])
    func notUTF8(body: [UInt8], byte: Int) throws {
        for (line, answers) in [("PUT /docs/a?base=k/1", []), ("POST /append/a", [Self.opened])] {
            for cut in 0..<body.count {
                let server = Self.conversation(answers)
                let length = "Content-Length: \(body.count)"
                server.send(WebConversation.bytes(of: line, [length]) + body[..<cut])
                server.send(Array(body[cut...]))
                let response = try server.response()
                #expect(response.summary == "400 bad_text")
                #expect(response.body.contains("byte \(byte) of the body"), "\(response.body)")
                #expect(server.log.last == "leave" && !server.messages.contains { $0.contains("push") })
            }
        }
    }

    // MARK: Pieces

    /// Requests with all kinds of bodies, and the server's answers.
    private static let requests: [(bytes: [UInt8], answers: [String])] = [
        (WebConversation.bytes(of: "PUT /docs/a?base=k/1", body: "one \"two\"\r\n\u{1F600}"), [ack]),
        (WebConversation.bytes(of: "PUT /docs/a", ["If-Match: *"], body: "one"), [text, ack]),
        (
            WebConversation.bytes(of: "PUT /docs/a?base=k/1", ["Transfer-Encoding: chunked"])
                + Array(chunks.utf8), [ack]
        ),
        (WebConversation.bytes(of: "POST /append/a", body: "one\r\ntwo"), [opened, ack, closed]),
        (
            WebConversation.bytes(
                of: "POST /docs/a?base=k/1", ["Expect: 100-continue"],
                body: #"{"edits":[{"range":[0,1],"text":"}"}]} "#), [opened, ack, closed]
        ),
        (WebConversation.bytes(of: "GET /docs/a?rev=1"), [text]),
        (
            WebConversation.bytes(of: "PUT /docs/a?base=k/1", ["Transfer-Encoding: chunked"])
                + Array("x\r\n".utf8), []
        ),
        (WebConversation.bytes(of: "PUT /docs/a", body: "one"), []),
    ]

    @Test("a request gives the same response wherever its bytes are cut", arguments: requests.indices)
    func cuts(index: Int) {
        let (bytes, answers) = Self.requests[index]
        let whole = Self.conversation(answers)
        whole.send(bytes)
        #expect(!whole.responses.isEmpty)
        let cuts = bytes.indices.dropFirst().map { [$0] } + [Array(bytes.indices.dropFirst())]
        for cuts in cuts {
            let server = Self.conversation(answers)
            var start = 0
            for end in cuts + [bytes.count] {
                server.send(Array(bytes[start..<end]))
                start = end
            }
            #expect(server.responses == whole.responses, "cut at \(cuts.prefix(3))")
            #expect(server.log == whole.log && server.actions == whole.actions, "cut at \(cuts.prefix(3))")
        }
    }

    @Test("a chunked body gives the same text as one with Content-Length")
    func chunked() {
        let server = Self.conversation()
        server.send(
            WebConversation.bytes(of: "PUT /docs/a?base=k/1", ["Transfer-Encoding: chunked"])
                + Array(Self.chunks.utf8))
        #expect(
            server.messages == [
                #"{"type":"push","doc":"a","epoch":"k","base":1,"seq":1,"text":"one two"}"#
            ])
        #expect(server.responses.map(\.status) == ["204 No Content"] && !server.responses[0].closes)
    }

    @Test("a request without a length has an empty body")
    func empty() throws {
        for fields in [[], ["Content-Length: 0"]] {
            let server = Self.conversation()
            #expect(try server.request("PUT /docs/a?base=k/1", fields).status == "204 No Content")
            #expect(server.messages[0].hasSuffix(#""text":""}"#))
        }
    }

    @Test("requests that were sent at once are answered in order")
    func pipelined() {
        let server = Self.conversation([
            Self.text, Self.ack, Self.opened, Self.ack, Self.closed, #"{"type":"listed","docs":[]}"#,
        ])
        let fields = ["Caret-Client: client-7f21"]
        let push = fields + ["Caret-Seq: 1"]
        server.send(
            WebConversation.bytes(of: "GET /docs/a", fields)
                + WebConversation.bytes(of: "PUT /docs/a?base=k/1", push, body: "one")
                + WebConversation.bytes(of: "GET /healthz", fields)
                + WebConversation.bytes(of: "POST /append/a", push, body: "two")
                + WebConversation.bytes(of: "DELETE /nothing", fields)
                + WebConversation.bytes(of: "GET /docs", fields))
        #expect(server.responses.map { $0.status.prefix(3) } == ["200", "204", "200", "200", "404", "200"])
        #expect(server.log.filter { !$0.hasPrefix("{") } == ["join client-7f21 utf-16"])
        #expect(server.world.unread.isEmpty && !server.world.isPaused)
    }

    @Test("an unneeded body is not read, and the connection closes")
    func unwanted() throws {
        let listed = #"{"type":"listed","docs":[]}"#
        for (line, answer) in [
            ("GET /docs", listed), ("HEAD /docs", listed), ("DELETE /docs/a", #"{"type":"done"}"#),
        ] {
            let server = Self.conversation([answer])
            let response = try server.request(line, body: "GET /healthz HTTP/1.1\r\n\r\n")
            #expect(response.status.hasPrefix("20") && response.closes)
            #expect(server.actions.last == "[endOutput]" && server.messages.count == 1)
        }
    }

    // MARK: 100 Continue

    @Test("100 Continue is sent when the server needs the body, and not earlier")
    func expectation() throws {
        let fields = ["Expect: 100-continue", "Content-Length: 3"]
        let server = Self.conversation()
        server.admits = false
        server.send(WebConversation.bytes(of: "PUT /docs/a?base=k/1", fields))
        #expect(server.responses == [])
        server.happens { $0.hubSent(.admitted(expiresIn: nil)) }
        #expect(server.responses.map(\.status) == ["100 Continue"] && server.responses[0].fields == [])
        server.send("one")
        #expect(server.responses.map(\.status) == ["100 Continue", "204 No Content"])
    }

    @Test(
        "a request that is refused or has no body gets no 100 Continue",
        arguments: [
            ("PUT /docs/a", ["Content-Length: 3"], "428 condition_required"),
            ("PUT /docs/a?base=k/1", ["Content-Length: 3", "Authorization: x"], "401 unauthorized"),
            ("PUT /docs/a?base=k/1", ["Content-Length: 99999999"], "413 too_large"),
            ("PUT /docs/a", ["If-Match: *", "Content-Length: 3"], "404 not_found"),
            ("POST /docs/a?base=k/1", ["Content-Length: 3"], "404 not_found"),
            ("PUT /docs/a?base=k/1", ["Content-Length: 0"], "404 not_found"),
            ("PUT /docs/a?base=k/1", [], "404 not_found"),
            ("GET /docs/a", ["Content-Length: 3"], "404 not_found"),
        ])
    func noExpectation(line: String, fields: [String], summary: String) throws {
        let server = Self.conversation([#"{"type":"error","code":"not_found","message":"x"}"#])
        #expect(try server.request(line, fields + ["Expect: 100-continue"]).summary == summary)
    }

    @Test("a client of HTTP/1.0 gets no 100 Continue, and the connection closes")
    func oldVersion() throws {
        let server = Self.conversation()
        server.send(
            "PUT /docs/a?base=k/1 HTTP/1.0\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                + "Content-Length: 3\r\n\r\n"
        )
        #expect(server.responses == [])
        server.send("one")
        #expect(try server.response().status == "204 No Content" && server.response().closes)
        #expect(server.actions.last == "[endOutput]")
    }
}
