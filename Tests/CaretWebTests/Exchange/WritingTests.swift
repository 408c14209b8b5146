import Testing

@Suite("PUT of a document") struct WritingTests {
    private let server = WebConversation()

    private func put(
        _ target: String = "/docs/agenda", _ fields: String..., body: String = "new", answers: String...
    ) throws -> WebResponse {
        server.answers = answers
        return try server.request("PUT \(target)", fields, body: body)
    }

    private static func ack(_ rev: Int, _ others: String = "") -> String {
        #"{"type":"ack","doc":"agenda","seq":1,"rev":\#(rev)\#(others)}"#
    }

    private static func error(_ code: String, _ others: String = "") -> String {
        #"{"type":"error","doc":"agenda","seq":1,"code":"\#(code)","message":"x"\#(others)}"#
    }

    // MARK: The condition

    @Test("If-None-Match: * creates a document")
    func create() throws {
        let response = try put(
            "/docs/agenda", "If-None-Match: *", answers: Self.ack(1, #","epoch":"k2v9.1""#))
        #expect(
            server.messages == [
                #"{"type":"push","doc":"agenda","base":0,"seq":1,"text":"new","create":true,"exact":true}"#
            ])
        #expect(response.status == "201 Created" && response.body == "")
        #expect(
            response.fields == [
                #"ETag: "k2v9.1/1""#, "Caret-Epoch: k2v9.1", "Caret-Revision: 1", "Location: /docs/agenda",
            ])
    }

    @Test("If-None-Match: * refuses a document that exists")
    func exists() throws {
        for answer in [
            Self.error("epoch_changed", #","epoch":"k2v9.1","rev":7"#),
            Self.error("base_behind", #","epoch":"k2v9.1","rev":7"#),
            Self.ack(7, #","epoch":"k2v9.1","unchanged":true"#),
        ] {
            let response = try put("/docs/agenda", "If-None-Match: *", answers: answer)
            #expect(response.summary == "412 exists" && response["Location"] == nil && !response.closes)
            #expect(response["ETag"] == #""k2v9.1/7""#)
        }
        // An empty text is unchanged at revision 0.
        let empty = try put(
            "/docs/agenda", "If-None-Match: *", body: "",
            answers: Self.ack(0, #","epoch":"k2v9.1","unchanged":true"#))
        #expect(empty.status == "201 Created")
        let repeated = try put(
            "/docs/agenda", "If-None-Match: *",
            answers: Self.ack(1, #","epoch":"k2v9.1","duplicate":true"#))
        #expect(repeated.status == "201 Created")
    }

    @Test("If-Match with a tag replaces only that version", arguments: ["", "/json"])
    func isHead(form: String) throws {
        let response = try put(
            "/docs/agenda", #"If-Match: "k2v9.1/7\#(form)""#, answers: Self.ack(8))
        #expect(
            server.messages == [
                #"{"type":"push","doc":"agenda","epoch":"k2v9.1","base":7,"seq":1,"text":"new","exact":true}"#
            ])
        #expect(response.status == "204 No Content")
        #expect(
            response.fields == [#"ETag: "k2v9.1/8""#, "Caret-Epoch: k2v9.1", "Caret-Revision: 8"])
    }

    @Test("If-Match of a version other than the head gets 412 and the head's tag")
    func isNotHead() throws {
        for code in ["base_behind", "base_ahead", "epoch_changed"] {
            let response = try put(
                "/docs/agenda", #"If-Match: "k2v9.1/7""#,
                answers: Self.error(code, #","epoch":"k2v9.1","rev":9"#))
            #expect(response.summary == "412 \(code)" && response["ETag"] == #""k2v9.1/9""#)
        }
    }

    @Test("with `base`, a text is merged with what others changed since then")
    func merge() throws {
        let response = try put("/docs/agenda?base=k2v9.1/7", answers: Self.ack(12))
        #expect(
            server.messages == [
                #"{"type":"push","doc":"agenda","epoch":"k2v9.1","base":7,"seq":1,"text":"new"}"#
            ])
        #expect(response.status == "204 No Content" && response["ETag"] == #""k2v9.1/12""#)
    }

    @Test("a text that equals the head gets the head's tag, whatever epoch the request has")
    func unchanged() throws {
        let unchanged = Self.ack(3, #","epoch":"k2v9.2","unchanged":true"#)
        for (target, field) in [
            ("/docs/agenda?base=k2v9.1/7", "Accept: */*"), ("/docs/agenda", #"If-Match: "k2v9.1/7""#),
        ] {
            let response = try put(target, field, answers: unchanged)
            #expect(
                response.fields == [#"ETag: "k2v9.2/3""#, "Caret-Epoch: k2v9.2", "Caret-Revision: 3"])
        }
        for text in ["%0D%0AX-Evil:%201/7", "k%00/7", "k%22/7", "k%20x/7"] {
            let server = WebConversation()
            let response = try server.request("PUT /docs/agenda?base=\(text)", body: "new")
            #expect(response.summary == "400 bad_request" && server.messages.isEmpty)
        }
    }

    @Test(
        "a merge that is not possible gets 409",
        arguments: ["base_ahead", "epoch_changed", "base_trimmed", "base_before_own_push"])
    func noMerge(code: String) throws {
        let response = try put(
            "/docs/agenda?base=k2v9.1/7", answers: Self.error(code, #","epoch":"k2v9.1","rev":9"#))
        #expect(response.summary == "409 \(code)" && response["ETag"] == #""k2v9.1/9""#)
    }

    @Test("If-Match: * writes over any version of a document")
    func overwrite() throws {
        let text =
            #"{"type":"text","doc":"agenda","epoch":"k2v9.1","rev":7,"text":"old","newline":"lf"}"#
        let response = try put("/docs/agenda", "If-Match: *", answers: text, Self.ack(8))
        #expect(
            server.messages == [
                #"{"type":"read","doc":"agenda"}"#,
                #"{"type":"push","doc":"agenda","epoch":"k2v9.1","base":7,"seq":1,"text":"new"}"#,
            ])
        #expect(response.status == "204 No Content" && response["ETag"] == #""k2v9.1/8""#)
    }

    @Test("If-Match: * for a missing document gets 404, and the connection closes")
    func overwriteMissing() throws {
        let response = try put("/docs/agenda", "If-Match: *", answers: Self.error("not_found"))
        // The body was not read, so the next request cannot be found.
        #expect(response.summary == "404 not_found" && response.closes)
        #expect(server.log == ["join http-7f21 utf-16", #"{"type":"read","doc":"agenda"}"#, "leave"])
    }

    @Test(
        "a missing, wrong or repeated condition is refused; no body is read",
        arguments: [
            ("", [], "428 condition_required"),
            ("", ["If-Match: k2v9.1/7"], "400 bad_request"),
            ("", [#"If-Match: W/"k2v9.1/7""#], "400 bad_request"),
            ("", [#"If-Match: "k2v9.1/7", "k2v9.1/8""#], "400 bad_request"),
            ("", [#"If-Match: """#], "400 bad_request"), ("", [#"If-Match: ""#], "400 bad_request"),
            ("", [#"If-Match: "k2v9.1/-7""#], "400 bad_request"),
            ("", [#"If-None-Match: "k2v9.1/7""#], "400 bad_request"),
            ("", ["If-Match: *", "If-None-Match: *"], "400 bad_request"),
            ("", ["If-Match: *", "If-Match: *"], "400 bad_request"),
            ("?base=k2v9.1/7", ["If-Match: *"], "400 bad_request"),
            ("?base=k2v9.1/7", ["If-None-Match: *"], "400 bad_request"),
        ])
    func badConditions(query: String, fields: [String], summary: String) throws {
        let response = try server.request("PUT /docs/agenda\(query)", fields, body: "new")
        #expect(response.summary == summary && response.closes && server.log == [])
    }

    // MARK: The text

    @Test("`Prefer: return=representation` gets the committed text")
    func representation() throws {
        let prefer = "Prefer: wait=5, Return=Representation"
        let merged = try put("/docs/agenda?base=k2v9.1/7", prefer, answers: Self.ack(9, #","text":"new\nx""#))
        #expect(server.messages.last?.hasSuffix(#""text":"new","want":"text"}"#) == true)
        #expect(merged.status == "200 OK" && merged.body == "new\nx")
        #expect(
            merged.fields == [
                "Content-Type: text/plain; charset=utf-8", #"ETag: "k2v9.1/9""#, "Caret-Epoch: k2v9.1",
                "Caret-Revision: 9",
            ])
        let created = try put(
            "/docs/agenda", "If-None-Match: *", prefer,
            answers: Self.ack(1, #","epoch":"k2v9.1","text":"new""#))
        #expect(created.status == "201 Created" && created.body == "new")
    }

    @Test(
        "a wrong Content-Type gets 415; for a form, with a hint for curl",
        arguments: [
            ("application/json", false), ("text/html", false), ("multipart/form-data; boundary=x", false),
            ("application/x-www-form-urlencoded", true), ("APPLICATION/X-WWW-FORM-URLENCODED ; a=b", true),
        ])
    func badType(type: String, hasHint: Bool) throws {
        let response = try put("/docs/agenda?base=k/1", "Content-Type: \(type)")
        #expect(response.summary == "415 bad_type" && response.closes && server.log == [])
        #expect(response.body.contains("-T FILE") == hasHint)
    }

    @Test(
        "another character encoding gets 415",
        arguments: [
            "charset=utf-16", "charset=latin1", "charset=utf-7", #"charset="iso-8859-1""#, "CHARSET=x",
            "format=flowed; charset=utf-16", "charset=utf-8; charset=utf-16", "charset=", "charset",
        ])
    func badCharset(parameter: String) throws {
        for type in ["text/plain", "application/octet-stream"] {
            let server = WebConversation()
            let field = "Content-Type: \(type); \(parameter)"
            let response = try server.request("PUT /docs/agenda?base=k/1", [field], body: "new")
            #expect(response.summary == "415 bad_type" && response.closes && server.log == [])
        }
    }

    @Test(
        "text and bytes of no known type are accepted",
        arguments: [
            "text/plain", "Text/Plain; charset=utf-8", "application/octet-stream",
            #"text/plain;Charset="UTF-8";format=flowed"#, "text/plain; charset=us-ascii", "text/plain;",
        ])
    func goodType(type: String) throws {
        let response = try put("/docs/agenda?base=k/1", "Content-Type: \(type)", answers: Self.ack(2))
        #expect(response.status == "204 No Content")
    }
}
