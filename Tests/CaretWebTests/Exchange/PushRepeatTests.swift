import Testing

@Suite("Repeated pushes of edits and of text to append") struct PushRepeatTests {
    private static let fields = ["Caret-Client: client-7f21", "Caret-Seq: 4"]
    private static let closed = #"{"type":"closed","doc":"agenda"}"#
    private static let page =
        #"{"type":"revisions","doc":"agenda","revisions":[{"rev":6,"user":"ann","client":"p-1","time":5,"#
        + #""inserted":6,"deleted":0,"edits":[{"range":[1,1],"text":"\nmore\n"}]}]}"#

    private let server = WebConversation()

    /// An `opened` message that has a later change, and that says that the client's last push has this
    /// number.
    private static func opened(own seq: Int) -> String {
        #"{"type":"opened","doc":"agenda","epoch":"k2v9.1","rev":7,"text":"a\nmore\nx","rights":"write","#
            + #""newline":"lf","own":{"seq":\#(seq),"rev":6}}"#
    }

    private func append(_ body: String, own seq: Int, answers: String...) throws -> WebResponse {
        server.answers = [Self.opened(own: seq)] + answers
        return try server.request("POST /append/agenda", Self.fields, body: body)
    }

    @Test("a repeated append is compared with what it inserted", arguments: ["more\n", "\r\nmore\r\n"])
    func sameText(body: String) throws {
        let response = try append(body, own: 4, answers: Self.page, Self.closed)
        #expect(
            server.messages == [
                #"{"type":"open","doc":"agenda"}"#,
                #"{"type":"history","doc":"agenda","after":5,"limit":1,"edits":true}"#,
                #"{"type":"close"}"#,
            ])
        #expect(response.status == "200 OK" && response["ETag"] == #""k2v9.1/6""#)
        #expect(response.body == #"{"type":"ack","doc":"agenda","seq":4,"rev":6,"duplicate":true}"# + "\n")
    }

    @Test(
        "another text with the same number is refused",
        arguments: ["", "more", "more\n\n", "More\n", "\n\nmore\n", "x"])
    func otherText(body: String) throws {
        let response = try append(body, own: 4, answers: Self.page, Self.closed)
        #expect(response.summary == "409 seq_reused" && !response.closes)
        #expect(server.messages.count == 3 && server.messages.last == #"{"type":"close"}"#)
    }

    @Test("an append whose revision the server does not have gets its error")
    func trimmed() throws {
        let response = try append(
            "more\n", own: 4, answers: #"{"type":"error","code":"base_trimmed","message":"x"}"#, Self.closed)
        #expect(response.summary == "409 base_trimmed" && response.closes)
    }

    @Test("an append with another number than the last push is pushed")
    func newNumber() throws {
        let ack = #"{"type":"ack","doc":"agenda","seq":4,"rev":8}"#
        let response = try append("end", own: 3, answers: ack, Self.closed)
        #expect(response.body == ack + "\n" && server.messages[1].hasPrefix(#"{"type":"push""#))
    }

    @Test(
        "a repeated append waits until the first one is committed",
        arguments: [(3, "push_in_flight"), (5, "seq_reused")])
    func uncommitted(own seq: Int, code: String) throws {
        let refusal = #"{"type":"error","code":"seq_reused","message":"x","doc":"agenda","seq":4}"#
        let response = try append("more", own: seq, answers: refusal, Self.closed)
        #expect(response.summary == "409 \(code)" && !response.closes)
        #expect(server.messages.last == #"{"type":"close"}"#)
    }

    @Test("if the session is so far behind that it gets the whole text, its push is answered")
    func resync() throws {
        func resync(own: String) -> String {
            #"{"type":"resync","doc":"agenda","epoch":"k2v9.1","rev":9,"text":"a","reason":"behind"\#(own)}"#
        }
        server.answers = [
            Self.opened(own: 3), resync(own: "") + "\n" + resync(own: #","own":{"seq":4,"rev":8}"#),
            Self.closed,
        ]
        let response = try server.request("POST /append/agenda", Self.fields, body: "end")
        #expect(response.status == "200 OK" && response["ETag"] == #""k2v9.1/8""#)
        #expect(response.body == #"{"type":"ack","doc":"agenda","seq":4,"rev":8}"# + "\n")
        #expect(server.messages.last == #"{"type":"close"}"#)
    }

    @Test("a repeated push of edits waits for the answer to the repeat")
    func edits() throws {
        let ack = #"{"type":"ack","doc":"agenda","seq":4,"rev":6}"#
        let duplicate = #"{"type":"ack","doc":"agenda","seq":4,"rev":6,"duplicate":true}"#
        server.answers = [Self.opened(own: 4) + "\n" + ack, ack + "\n" + duplicate, Self.closed]
        let response = try server.request(
            "POST /docs/agenda?base=k2v9.1/5", Self.fields, body: #"{"edits":[]}"#)
        #expect(response.body == duplicate + "\n" && response["ETag"] == #""k2v9.1/6""#)
    }

    @Test("a repeated append with another text is refused before its body ends")
    func endlessBody() throws {
        server.answers = [Self.opened(own: 4), Self.page, Self.closed]
        server.send(
            WebConversation.bytes(of: "POST /append/agenda", Self.fields + ["Transfer-Encoding: chunked"]))
        server.send("4\r\nmore\r\n")
        #expect(server.responses.isEmpty)
        server.send("4\r\n and\r\n")
        let response = try server.response()
        #expect(response.summary == "409 seq_reused" && response.closes)
    }

    @Test("the body of a repeated append may arrive slowly")
    func slowBody() throws {
        server.answers = [Self.opened(own: 4), Self.page, Self.closed]
        server.send(WebConversation.bytes(of: "POST /append/agenda", Self.fields + ["Content-Length: 5"]))
        for byte in "more" {
            server.pass(seconds: 15)
            server.send(String(byte))
        }
        server.send("\n")
        #expect(try server.response().status == "200 OK")
    }
}
