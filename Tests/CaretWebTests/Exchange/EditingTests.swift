import CaretWeb
import Testing

@Suite("POST of edits and of text to append") struct EditingTests {
    private let server = WebConversation()

    private static func opened(_ text: String, rev: Int = 7) -> String {
        #"{"type":"opened","doc":"agenda","epoch":"k2v9.1","rev":\#(rev),\#(text)"#
            + #""rights":"write","newline":"lf","peers":[]}"#
    }

    private static let resumed = opened(#""resumed":true,"#)
    private static let ack = #"{"type":"ack","doc":"agenda","seq":1,"rev":9}"#
    private static let closed = #"{"type":"closed","doc":"agenda"}"#
    private static let edits = #"{"edits":[{"range":[0,1],"text":"x"}]}"#

    private static func error(_ code: String, _ others: String = "") -> String {
        #"{"type":"error","doc":"agenda","seq":1,"code":"\#(code)","message":"x"\#(others)}"#
    }

    private func post(_ answers: String..., fields: [String] = [], body: String = edits) throws -> WebResponse
    {
        server.answers = answers
        let target = fields.isEmpty ? "/docs/agenda?base=k2v9.1/7" : "/docs/agenda"
        return try server.request("POST \(target)", fields, body: body)
    }

    @Test("a request with edits opens the document, pushes, and closes it")
    func edits() throws {
        let response = try post(Self.resumed, Self.ack, Self.closed)
        #expect(
            server.messages == [
                #"{"type":"open","doc":"agenda","epoch":"k2v9.1","rev":7}"#,
                #"{"type":"push","doc":"agenda","epoch":"k2v9.1","base":7,"seq":1,"#
                    + #""edits":[{"range":[0,1],"text":"x"}]}"#,
                #"{"type":"close"}"#,
            ])
        #expect(response.status == "200 OK" && response.body == Self.ack + "\n")
        #expect(
            response.fields == [
                "Content-Type: application/json", #"ETag: "k2v9.1/9""#, "Caret-Epoch: k2v9.1",
                "Caret-Revision: 9",
            ])
    }

    @Test("with If-Match, the push of the edits is `exact`")
    func exact() throws {
        _ = try post(
            Self.resumed, Self.ack, Self.closed,
            fields: [#"If-Match: "k2v9.1/7""#, "Content-Type: application/json"])
        #expect(server.messages[1].hasSuffix(#""text":"x"}],"exact":true}"#))
        for code in ["base_behind", "base_ahead", "epoch_changed"] {
            let response = try post(
                Self.resumed, Self.error(code, #","epoch":"k2v9.1","rev":9"#), Self.closed,
                fields: [#"If-Match: "k2v9.1/7""#])
            #expect(response.summary == "412 \(code)" && response["ETag"] == #""k2v9.1/9""#)
        }
    }

    @Test("a refused push closes the document before its error is sent")
    func refused() throws {
        for code in ["base_ahead", "epoch_changed", "push_in_flight"] {
            server.forget()
            let response = try post(Self.resumed, Self.error(code), Self.closed)
            #expect(response.summary == "409 \(code)" && !response.closes)
            #expect(server.messages.last == #"{"type":"close"}"#)
        }
    }

    @Test("a refused open ends the request, and the body is not read")
    func notOpened() throws {
        server.answers = [Self.error("not_found") + "\n"]
        server.send(WebConversation.bytes(of: "POST /docs/agenda?base=k2v9.1/7", body: Self.edits))
        let response = try server.response()
        #expect(response.summary == "404 not_found" && response.closes && server.messages.count == 1)
    }

    @Test("messages of others in the document are ignored")
    func others() throws {
        let change =
            #"{"type":"change","doc":"agenda","rev":8,"edits":[],"user":"bob","client":"p-2","time":5}"#
        let ack = Self.ack.replacing(#""seq":1"#, with: #""seq":2"#)
        let response = try post(Self.resumed + "\n" + change, ack + "\n" + Self.ack, Self.closed)
        #expect(response.body == Self.ack + "\n")
    }

    @Test("a document that is deleted or hidden while the body arrives gets 404")
    func deletedMeanwhile() throws {
        server.answers = [Self.resumed]
        let request = WebConversation.bytes(of: "POST /docs/agenda?base=k2v9.1/7", body: Self.edits)
        server.send(Array(request.dropLast(5)))
        server.room(#"{"type":"gone","doc":"agenda","epoch":"k2v9.1","reason":"deleted"}"#, to: 1)
        server.end(1)
        server.send(Array(request.suffix(5)))
        let response = try server.response()
        #expect(response.summary == "404 not_found" && !response.closes)
    }

    @Test("if the server closes the document early, the response stays the same")
    func endedMeanwhile() throws {
        server.answers = [Self.resumed, Self.ack]
        server.send(WebConversation.bytes(of: "POST /docs/agenda?base=k2v9.1/7", body: Self.edits))
        #expect(server.responses == [])
        server.end(1)
        #expect(try server.response().body == Self.ack + "\n")
    }

    @Test(
        "edits without a version, or with another condition, are refused",
        arguments: [
            ([], "", "428 condition_required"), (["If-Match: *"], "", "428 condition_required"),
            (["If-None-Match: *"], "", "428 condition_required"), (["If-Match: 7"], "", "400 bad_request"),
            ([#"If-Match: "k/1""#], "?base=k/1", "400 bad_request"),
            (["Content-Type: text/plain"], "?base=k/1", "415 bad_type"),
        ])
    func badConditions(fields: [String], query: String, summary: String) throws {
        let response = try server.request("POST /docs/agenda\(query)", fields, body: Self.edits)
        #expect(response.summary == summary && response.closes && server.log == [])
    }

    @Test(
        "a body that is not an object with edits is refused with the reason",
        arguments: [
            ("", "400 bad_json"), (" ", "400 bad_json"), ("{}", "400 bad_message"), ("[]", "400 bad_json"),
            (#"{"edits":[]"#, "400 bad_json"), (#"{"edits":[]}{"a":1}"#, "400 bad_json"),
            (#"{"edits":[],"doc":"other"}"#, "400 bad_json"), (#"{"edits":7}"#, "400 bad_message"),
            (#"{"edits":[],"type":"delete"}"#, "400 bad_json"), (#"{"edits":[]}}"#, "400 bad_json"),
        ])
    func badBodies(body: String, summary: String) throws {
        let server = WebConversation()
        server.answers = [Self.resumed, Self.closed]
        let response = try server.request("POST /docs/agenda?base=k2v9.1/7", body: body)
        #expect(response.summary == summary && !response.closes)
        #expect(server.messages.count == 2 && server.messages.last == #"{"type":"close"}"#)
    }

    // MARK: Appending

    @Test(
        "text is inserted at the end, on a line of its own",
        arguments: [
            ("", "", 0, "more\n"), ("", "a\n", 2, "more\n"), ("", "a", 1, "\nmore\n"),
            ("", "\u{1F600}", 2, "\nmore\n"), ("?unit=utf-8", "\u{1F600}\n", 5, "more\n"),
            ("?unit=utf-16", "\u{1F600}\n", 3, "more\n"),
            ("?unit=utf-32", "e\u{301}\u{1F600}\n", 4, "more\n"),
        ])
    func append(query: String, text: String, end: Int, inserted: String) throws {
        let json = text.replacing("\n", with: "\\n")
        server.answers = [Self.opened(#""text":"\#(json)","#), Self.ack, Self.closed]
        let response = try server.request("POST /append/agenda\(query)", body: "more\r\n")
        let insertion =
            #"{"range":[\#(end),\#(end)],"text":"\#(inserted.replacing("\n", with: "\\n"))"}"#
        #expect(
            server.messages == [
                #"{"type":"open","doc":"agenda"}"#,
                #"{"type":"push","doc":"agenda","epoch":"k2v9.1","base":7,"seq":1,"edits":[\#(insertion)]}"#,
                #"{"type":"close"}"#,
            ])
        #expect(response.status == "200 OK" && response["ETag"] == #""k2v9.1/9""#)
    }

    private static let open = #"{"type":"open","doc":"agenda"}"#
    private static let created = #"{"type":"ack","doc":"agenda","seq":1,"epoch":"k2v9.1","rev":1}"#

    private static func creation(_ text: String) -> String {
        #"{"type":"push","doc":"agenda","base":0,"seq":1,"text":"\#(text)","create":true}"#
    }

    @Test("`create=1` makes a missing document of the text")
    func create() throws {
        server.answers = [Self.error("not_found"), Self.created]
        let response = try server.request("POST /append/agenda?create=1", body: "more\r\n")
        #expect(server.messages == [Self.open, Self.creation(#"more\r\n"#)])
        #expect(response.status == "200 OK" && response.body == Self.created + "\n")
        #expect(response["ETag"] == #""k2v9.1/1""#)
        server.forget()
        server.answers = [Self.error("not_found")]
        #expect(try server.request("POST /append/agenda?create=0", body: "more").summary == "404 not_found")
        #expect(server.messages == [Self.open])
    }

    @Test("a refused creation has the answer of the push")
    func refusedCreation() throws {
        for code in ["too_large", "storage_full", "forbidden"] {
            server.forget()
            server.answers = [Self.error("not_found"), Self.error(code)]
            let response = try server.request("POST /append/agenda?create=1", body: "more")
            #expect(response.summary.hasSuffix(code) && server.messages.count == 2)
        }
    }

    @Test("if another request creates the document first, the text is added to it")
    func createdMeanwhile() throws {
        server.answers = [
            Self.error("not_found"), Self.error("epoch_changed", #","epoch":"k2v9.1","rev":7"#),
            Self.opened(#""text":"a","#), Self.ack, Self.closed,
        ]
        let response = try server.request("POST /append/agenda?create=1", body: "more\r\n")
        #expect(
            server.messages == [
                Self.open, Self.creation(#"more\r\n"#), Self.open,
                #"{"type":"push","doc":"agenda","epoch":"k2v9.1","base":7,"seq":1,"#
                    + #""edits":[{"range":[1,1],"text":"\nmore\n"}]}"#,
                #"{"type":"close"}"#,
            ])
        #expect(response.status == "200 OK" && response["ETag"] == #""k2v9.1/9""#)
    }

    @Test("if the document is deleted again meanwhile, the request is refused")
    func createdAndDeleted() throws {
        server.answers = [Self.error("not_found"), Self.error("epoch_changed"), Self.error("not_found")]
        #expect(try server.request("POST /append/agenda?create=1", body: "more").summary == "404 not_found")
    }

    @Test("a body is kept for another message up to a limit", arguments: [0, 1])
    func longBody(excess: Int) throws {
        server.answers = [Self.error("not_found"), Self.error("epoch_changed")]
        let body = String(repeating: "x", count: BodyFrame.mostKept + excess)
        server.send(WebConversation.bytes(of: "POST /append/agenda?create=1", body: body))
        #expect(server.messages.last == (excess == 0 ? Self.open : Self.creation(body)))
        if excess == 1 { #expect(try server.response().summary == "409 exists") }
    }

    @Test("a text to append in another type than text gets 415")
    func types() throws {
        #expect(
            try server.request("POST /append/agenda", ["Content-Type: application/json"], body: "{}").summary
                == "415 bad_type")
    }
}
