import Testing

@Suite("GET and HEAD of a document") struct ReadingTests {
    private static let line: String =
        #"{"type":"text","doc":"agenda","epoch":"k2v9.1","rev":7,"text":"one\ntwo\n","newline":"lf"}"#
    private static let windowsLine: String = line.replacing(#""lf""#, with: #""crlf""#)

    private let server = WebConversation()

    private func get(
        _ target: String, _ fields: String..., method: String = "GET", answer: String = line
    ) throws -> WebResponse {
        server.answers = [answer]
        return try server.request("\(method) \(target)", fields)
    }

    @Test("a document is sent as text, with its version and rules for caches")
    func text() throws {
        let response = try get("/docs/agenda")
        #expect(server.messages == [#"{"type":"read","doc":"agenda"}"#])
        #expect(response.status == "200 OK" && response.body == "one\ntwo\n")
        #expect(
            response.fields == [
                "Content-Type: text/plain; charset=utf-8", #"ETag: "k2v9.1/7""#, "Caret-Epoch: k2v9.1",
                "Caret-Revision: 7", "Caret-Newline: lf", "Vary: Accept", "Cache-Control: no-cache",
                "Content-Security-Policy: sandbox; default-src 'none'",
            ])
    }

    @Test("as JSON, a document is the server's message, with an ETag of its own")
    func json() throws {
        let response = try get("/docs/agenda", "Accept: application/json")
        #expect(response.body == Self.line + "\n")
        #expect(response["ETag"] == #""k2v9.1/7/json""# && response["Content-Type"] == "application/json")
        #expect(response["Caret-Revision"] == "7")
    }

    @Test("HEAD has the fields of GET, and no body")
    func head() throws {
        for accept in ["text/plain", "application/json"] {
            let get = try get("/docs/agenda", "Accept: \(accept)")
            let head = try self.get("/docs/agenda", "Accept: \(accept)", method: "HEAD")
            #expect(head.fields == get.fields && head.status == get.status && head.body == "")
        }
        let missing = try self.get(
            "/docs/agenda", method: "HEAD", answer: #"{"type":"error","code":"not_found","message":"no"}"#)
        #expect(missing.status == "404 Not Found" && missing.body == "")
    }

    @Test(
        "a version or a time selects the text",
        arguments: [
            ("?rev=3", #""rev":3"#, "no-cache"),
            ("?rev=0", #""rev":0"#, "no-cache"),
            ("?at=1790000000000", #""at":1790000000000"#, "no-cache"),
        ])
    func moments(query: String, field: String, caching: String) throws {
        let response = try get("/docs/agenda\(query)")
        #expect(server.messages == [#"{"type":"read","doc":"agenda",\#(field)}"#])
        // A kept text must not be shown to somebody else, or after a redaction. A request with its tag is cheap.
        #expect(response["Cache-Control"] == caching)
    }

    @Test(
        "a trimmed revision is gone, and its history too",
        arguments: ["/docs/agenda?rev=3", "/history/agenda"])
    func trimmed(target: String) throws {
        let refusal = #"{"type":"error","code":"base_trimmed","message":"no"}"#
        #expect(try get(target, answer: refusal).summary == "410 base_trimmed")
    }

    @Test(
        "the path names a document, and `/` in a name may be escaped",
        arguments: [
            ("/docs/a/b", "a/b"), ("/docs/a%2Fb", "a/b"), ("/docs/a%20b", "a b"), ("/docs/a+b", "a+b"),
            ("/docs/%C3%A4", "ä"), ("/docs/docs/x", "docs/x"),
        ])
    func names(path: String, name: String) throws {
        _ = try get(path)
        #expect(server.messages == [#"{"type":"read","doc":"\#(name)"}"#])
    }

    @Test("an invalid name is refused", arguments: ["/docs/", "/docs/a//b", "/docs/..", "/docs/a%00"])
    func badNames(path: String) throws {
        #expect(try get(path).summary == "400 bad_name")
    }

    @Test(
        "line breaks of the file are kept only on request",
        arguments: [
            ("", windowsLine, "one\ntwo\n", "crlf"), ("?newline=lf", windowsLine, "one\ntwo\n", "crlf"),
            ("?newline=kept", windowsLine, "one\r\ntwo\r\n", "crlf"),
            ("?newline=kept", line, "one\ntwo\n", "lf"),
        ])
    func newlines(query: String, answer: String, body: String, newline: String) throws {
        let response = try get("/docs/agenda\(query)", answer: answer)
        #expect(Array(response.body.utf8) == Array(body.utf8) && response["Caret-Newline"] == newline)
    }

    @Test(
        "a client that already has the version gets 304 without a body",
        arguments: [
            #""k2v9.1/7""#, #"W/"k2v9.1/7""#, #""other/1", "k2v9.1/7""#, #""k2v9.1/7","other/1""#, "*",
        ])
    func known(tags: String) throws {
        let response = try get("/docs/agenda", "If-None-Match: \(tags)")
        #expect(response.status == "304 Not Modified" && response.body == "")
        #expect(response["ETag"] == #""k2v9.1/7""# && response["Vary"] == "Accept")
        #expect(response["Content-Type"] == nil && !response.closes)
        let head = try get("/docs/agenda", "If-None-Match: \(tags)", method: "HEAD")
        #expect(head == response)
    }

    @Test(
        "a client with another version or form gets the text",
        arguments: [#""k2v9.1/6""#, #""k2v9.1/7/json""#, "k2v9.1/7", #""k2v9.2/7""#])
    func unknown(tags: String) throws {
        #expect(try get("/docs/agenda", "If-None-Match: \(tags)").status == "200 OK")
    }

    @Test("for the JSON form, only its own ETag gives 304")
    func knownForm() throws {
        let tag = #"If-None-Match: "k2v9.1/7/json""#
        #expect(try get("/docs/agenda", tag, "Accept: application/json").status == "304 Not Modified")
        let text = #"If-None-Match: "k2v9.1/7""#
        #expect(try get("/docs/agenda", text, "Accept: application/json").status == "200 OK")
    }

    @Test("a client that accepts neither form gets 406 at once")
    func notAcceptable() throws {
        #expect(try get("/docs/agenda", "Accept: text/html").summary == "406 bad_type")
        #expect(server.log == [])
    }

    @Test(
        "an error of the server keeps its code and gets its HTTP status",
        arguments: [
            (#""code":"not_found","message":"x""#, "404 not_found"),
            (#""code":"base_ahead","message":"x","epoch":"k2v9.1","rev":2"#, "409 base_ahead"),
            (#""code":"damaged","message":"x""#, "500 damaged"),
            (#""code":"not_known_here","message":"x""#, "500 not_known_here"),
        ])
    func errors(members: String, summary: String) throws {
        let line = #"{"type":"error",\#(members)}"#
        let response = try get("/docs/agenda?rev=9", answer: line)
        #expect(response.summary == summary && response["Content-Type"] == "application/json")
        #expect(response["ETag"] == (summary.hasPrefix("409") ? #""k2v9.1/2""# : nil))
        #expect(!response.closes)
    }
}
